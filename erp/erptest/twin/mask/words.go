package mask

import (
	"strings"
	"sync"
)

// Invented words are made of syllables: one of 32 beginnings, 8 vowels and 4
// ends, ten bits each. Every syllable begins with a consonant and no end is
// part of a beginning, so different syllables are different words.
var (
	onsets = strings.Fields("b d f g h j k m p s t v z l n r br dr fr gr kr pr tr bl fl gl kl pl sl st sk sp")
	vowels = strings.Fields("a e i o u ai ei ou")
	codas  = []string{"", "n", "r", "l"}
)

// given are 128 given names.
var given = strings.Fields(`
Ada Aino Alba Aleksi Alice Amir Ana Anton Aron Asta Axel Bela Benno Berit Bruno Carla Cecil Clara Dana Daria
David Dina Dora Edgar Edin Egon Elena Elif Elin Elsa Emil Emma Enzo Erik Ester Eva Fabio Felix Fiona Frida
Gabor Gerda Greta Gustav Hanna Hugo Ida Igor Ilse Imre Ines Ingrid Irina Ivan Jana Jari Joana Jonas Jorge Josef
Julia Kaja Karin Katja Kemal Kira Klara Lajos Lara Lasse Laura Lea Lena Leon Lidia Linus Lotte Luca Lucia Luis
Magda Malik Marco Maria Marta Matti Mia Mila Milan Mira Nadia Nils Nina Nora Noemi Olaf Olga Oskar Otto Paula
Pavel Petra Pia Rafael Rania Renata Rita Rosa Ruben Sami Samuel Sara Selma Silva Simon Sofia Sonja Stella Sven Tamar
Teo Tilda Tomas Ursula Vera Viktor Yara Zoe`)

// trades end the names of firms, 64 of them.
var trades = strings.Fields(`
Works Trade Supply Goods Partners Service Systems Group Stores Market Foods Metal Timber Paper Glass Textile
Motors Tools Energy Water Garden Office Travel Media Design Print Sports Toys Books Music Health Care
Logistics Transport Cargo Marine Air Rail Building Stone Paint Steel Plastics Chemicals Optics Electric Digital Data
Networks Software Research Labs Consult Finance Assets Invest Import Export Retail Outlet Center House Depot Union`)

// things end the names of everything else, 64 of them.
var things = strings.Fields(`
Item Piece Unit Set Part Kit Line Series Model Type Grade Class Range Pack Batch Bundle
Section Stage Phase Step Task Plan Block Module Panel Board Frame Base Cover Case Box Tray
Rack Shelf Zone Area Site Field Point Corner Circle Square Level Layer Track Route Channel Bridge
North South East West Prime Basic Extra Plus Light Solid Round Plain Large Small First Second`)

// ways end the names of streets, 16 of them.
var ways = strings.Fields("Street Road Lane Avenue Way Court Drive Terrace Walk Alley Row Hill Park Gate Quay Mews")

// towns end the names of cities, 16 of them.
var towns = strings.Fields("ton berg ville haven field stad ford dorf burg mouth port dale stead bridge minster wick")

// brief and neutral are the words of free text: those of two and three characters, and longer ones.
var (
	brief = strings.Fields(`
as at by in is it of on or so to up and any are but can for has its may new not now one our out own per see set
the too two use via was yes few`)
	neutral = strings.Fields(`
also area back base been both case clear copy date each even file form from full give good here item keep kind
know last late left less like line list long look main make many mark more most move must name near need next
note open over page part past plan read same seen sent show side sign some sort step such take than that them
then this time told turn type under unit upon used very view want ways well went were what when will with word
work year about above after again along among basic began being below brief bring carry cause check claim close
count cover daily doing early eight enter equal every extra field first focus found fresh front general given
going group hence issue large later learn least level light limit local lower major matter means might minor
model month moved never noted offer often order other outer point press prior quick quite range rather reach
ready reply right round scale scope sense serve seven shall share sheet short since small solid sound space
stage start state still store study table taken tells there these thing think third those three times today
topic total track trial until upper usual value watch where which while whole whose words would write`)
)

// legalForms are ends of firms' names that stay, as people write them.
var legalForms = strings.Split("gmbh & co. kg|gmbh & co kg|gmbh|mbh|ag|kg|ohg|ug|gbr|e.v.|se|inc.|inc|llc|ltd.|ltd|plc|corp.|corp|co.|"+
	"s.a.s.|sas|s.a.|sa|s.r.l.|srl|sarl|s.p.a.|spa|s.l.|b.v.|bv|n.v.|nv|oyj|oy|ab|a/s|as|aps|kft|sp. z o.o.|s.r.o.|a.s.|d.o.o.|lda|ltda|pty|k.k.", "|")

// word invents a word of so many syllables.
func (d *draw) word(syllables int) string {
	var b strings.Builder
	for range syllables {
		n := d.n(1024)
		b.WriteString(onsets[n>>5])
		b.WriteString(vowels[n>>2&7])
		b.WriteString(codas[n&3])
	}
	return b.String()
}

// name invents a name of five syllables, which are 50 bits: one word, or two with
// a separator between them.
func (d *draw) name(separator string) string {
	if separator == "" {
		return title(d.word(5))
	}
	return title(d.word(2)) + separator + title(d.word(3))
}

func title(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// vocabulary has the words of all lists, in small letters.
var vocabulary = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, list := range [][]string{given, trades, things, ways, brief, neutral} {
		for _, w := range list {
			m[strings.ToLower(w)] = true
		}
	}
	return m
})

// InVocabulary reports whether all words of a text are in the lists that masked
// values are partly made of. Such a text may be in masked values by chance,
// wherever it came from.
func InVocabulary(text string) bool {
	for part := range parts(strings.ToLower(text)) {
		if !vocabulary()[part] {
			return false
		}
	}
	return true
}

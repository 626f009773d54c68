package registry

import (
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/erphub/erphub/internal/nearest"
)

// grade is how something was found, the best last. A grade outweighs everything
// below it: the kind of a thing, then the worth of its words.
type grade uint8

const (
	byDescription grade = iota + 1
	byPart              // letters within a word of the name or the label
	bySynonymWord       // a word of a synonym
	byWord              // a word of the name or the label, or its beginning
	byBeginning         // the name or the label begins with the text
	bySynonym           // the text is a synonym
	byLabel             // the text is the label, or the name without its prefix
	byName              // the text is the name
)

// What a hit is worth. A word that is found outweighs every grade where hits need
// not have all words.
const (
	worthOfWord  = 100_000
	worthOfHint  = 10_000 // of the kind that the text names
	worthOfGrade = 1000
	worthOfWords = 50  // at most, of all words by where they stand
	worthOfAll   = 300 // keeps what is taken off below the next grade
)

// worthOfKind orders hits of the same grade: people mostly look for tables.
var worthOfKind = map[SearchKind]float64{SearchTable: 400, SearchWindow: 300, SearchProcess: 290, SearchReference: 150}

// The words of [SearchHit.Why].
const whyName = "name"

var whyOf = map[grade]string{
	byName: whyName, byLabel: "label", bySynonym: "synonym", byBeginning: "beginning of the name", byWord: "words",
	bySynonymWord: "words of a synonym", byPart: "part of a word", byDescription: "description",
}

// wanted is what is searched for.
type wanted struct {
	words []wantedWord
	hint  SearchKind // the kind that the text names; empty: none
	// forms are the texts that may be a name, a label or a synonym as a whole, in
	// lower case.
	forms []string
}

// wantedWord is one word in its forms: as it was written and in the singular, or
// when nothing has it the words that were probably meant.
type wantedWord struct {
	text  string
	forms []string
	slip  bool
}

func newWanted(text string) wanted {
	lower := strings.ToLower(text)
	w := wanted{forms: []string{lower}}
	content := map[string]bool{}
	for _, word := range contentWords(text) {
		content[word] = true
	}
	for word := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !content[stem(word)] || slices.ContainsFunc(w.words, func(o wantedWord) bool { return o.text == word }) || len(w.words) == maxSearchWords {
			continue
		}
		one := wantedWord{text: word, forms: []string{stem(word)}}
		if !strings.HasPrefix(word, one.forms[0]) {
			one.forms = append(one.forms, word)
		}
		w.words = append(w.words, one)
	}
	return w.formed()
}

// formed adds the words as a phrase to the forms.
func (w wanted) formed() wanted {
	phrase := make([]string, len(w.words))
	for i, word := range w.words {
		phrase[i] = word.forms[0]
	}
	for i, word := range w.words {
		for _, form := range word.forms {
			phrase[i] = form
			for _, text := range []string{strings.Join(phrase, " "), strings.Join(phrase, "")} { // order line, orderline
				if !slices.Contains(w.forms, text) {
					w.forms = append(w.forms, text)
				}
			}
		}
		phrase[i] = word.forms[0]
	}
	return w
}

// withoutKind is w without the words that name a kind, which it remembers.
func (w wanted) withoutKind() (wanted, bool) {
	less := wanted{}
	for _, word := range w.words {
		if kind, ok := kindWords[word.forms[0]]; ok && less.hint == "" {
			less.hint = kind
			continue
		}
		less.words = append(less.words, word)
	}
	if less.hint == "" || len(less.words) == 0 {
		return w, false
	}
	return less.formed(), true
}

// mostMeant is how many words may have been meant by one that nothing has.
const mostMeant = 3

// correct gives words that nothing has the forms that were probably meant, and
// reports whether there are any.
func (x *searchIndex) correct(w *wanted) bool {
	var meter nearest.Meter
	found := false
	var own []rune
	for i, word := range w.words {
		if limit := slips(word.text); limit > 0 && !x.has(word) {
			type near struct {
				word     string
				distance int
				docs     int
			}
			var all []near
			mine := []rune(word.text)
			has := letters(word.text)
			for at, candidate := range x.words {
				if d := len(candidate) - len(word.text); d > 2*limit || -d > 2*limit || bits.OnesCount64(has&^letters(candidate)) > limit {
					continue
				}
				own = own[:0]
				for _, r := range candidate {
					own = append(own, r)
				}
				if d, ok := meter.Within(mine, own, limit); ok {
					all = append(all, near{candidate, d, len(x.postings[at])})
				}
			}
			slices.SortStableFunc(all, func(a, b near) int {
				if a.distance != b.distance {
					return a.distance - b.distance
				}
				return b.docs - a.docs
			})
			if len(all) == 0 {
				continue
			}
			w.words[i].slip, w.words[i].forms = true, nil
			for _, n := range all[:min(len(all), mostMeant)] {
				if n.distance == all[0].distance {
					w.words[i].forms = append(w.words[i].forms, n.word)
				}
			}
			found = true
		}
	}
	if found {
		*w = w.formed()
	}
	return found
}

// slips is how many letters of a word may be wrong.
func slips(word string) int {
	switch n := len(word); {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// has reports whether something has the word, or one that begins with it.
func (x *searchIndex) has(word wantedWord) bool {
	return slices.ContainsFunc(word.forms, func(form string) bool {
		at, _ := slices.BinarySearch(x.words, form)
		return at < len(x.words) && strings.HasPrefix(x.words[at], form)
	})
}

// searchMatch is the work space of one search.
type searchMatch struct {
	x       *searchIndex
	wanted  wanted
	score   []float32
	seen    []uint16 // bit per word of the query
	weakest []grade  // of the words found so far
	now     []grade  // of the present word
	all     uint16   // bits of all words
	found   []int32  // documents with a score
	touched []int32  // documents with the present word
}

// match scores all documents that have a word of what is wanted.
func (x *searchIndex) match(w wanted) *searchMatch {
	m := x.idle.Get().(*searchMatch)
	m.wanted = w
	for i, word := range w.words {
		for _, form := range word.forms {
			m.word(form, word.slip)
		}
		for _, doc := range m.touched {
			if m.seen[doc] == 0 {
				m.found = append(m.found, doc)
				m.weakest[doc] = byName
			}
			m.seen[doc] |= uint16(1) << i
			m.weakest[doc] = min(m.weakest[doc], m.now[doc])
			m.now[doc] = 0
		}
		m.touched = m.touched[:0]
	}
	m.all = uint16(1)<<len(w.words) - 1
	return m
}

// word adds what one word of the query is worth. A word that is there as it is
// counts most, one that begins a word less, one within a word least. A word that
// was corrected has to be there as it is.
func (m *searchMatch) word(word string, exact bool) {
	x := m.x
	from, _ := slices.BinarySearch(x.words, word)
	to := from
	for to < len(x.words) && (x.words[to] == word || len(word) > 1 && strings.HasPrefix(x.words[to], word)) {
		if own := x.words[to]; own == word || own == word+"s" {
			m.posts(to, 1, byWord)
		} else if !exact {
			m.posts(to, 0.6, byWord)
		}
		to++
	}
	if len(word) < 3 || exact {
		return // everything has that somewhere
	}
	for i, own := range x.words {
		if (i < from || i >= to) && len(own) > len(word) && strings.Contains(own, word) {
			m.posts(i, 0.4, byPart)
		}
	}
}

func (m *searchMatch) posts(word int, quality float32, most grade) {
	posts := m.x.postings[word]
	// Rare words say more.
	rarity := float32(1 + math.Log(float64(len(m.x.docs)+1)/float64(len(posts)+1)))
	for _, p := range posts {
		by := most
		switch p.weight {
		case weightSynonym:
			by = min(most, bySynonymWord)
		case weightDescription:
			by = byDescription
		}
		if m.now[p.doc] == 0 {
			m.touched = append(m.touched, p.doc)
		}
		m.now[p.doc] = max(m.now[p.doc], by)
		m.score[p.doc] += p.weight * quality * rarity
	}
}

// hits yields the documents with their scores: those with all words, or all
// that have one.
func (m *searchMatch) hits(keep func(int32) bool, every bool) iter.Seq2[int32, float64] {
	return func(yield func(int32, float64) bool) {
		for _, doc := range m.found {
			if every && m.seen[doc] != m.all || !keep(doc) {
				continue
			}
			if !yield(doc, m.worth(doc)) {
				return
			}
		}
	}
}

// worth is the score of a document that has words of the query.
func (m *searchMatch) worth(doc int32) float64 {
	d := &m.x.docs[doc]
	by, rank := m.grade(doc)
	worth := float64(bits.OnesCount16(m.seen[doc]))*worthOfWord + float64(by)*worthOfGrade + worthOfAll + worthOfKind[d.kind]
	if m.wanted.hint == d.kind {
		worth += worthOfHint
	}
	if d.view || passing(d.plain) {
		worth -= 60 // the table itself comes before what is made of it
	}
	words := float64(m.score[doc])
	// Of equals the shorter name is the plainer thing, and the earlier line of the synonyms.
	return worth + worthOfWords*words/(words+40) - 0.05*float64(min(len(d.plain), 60)) - 0.2*float64(rank)
}

// gradeOf is the grade of the best hit.
func gradeOf(r SearchResult) grade {
	return grade(math.Mod(r.Hits[0].Score, worthOfHint) / worthOfGrade)
}

// grade is how a document was found, and the place of the synonym that it was
// found by.
func (m *searchMatch) grade(doc int32) (grade, int) {
	d := &m.x.docs[doc]
	is := func(text string) bool { return text != "" && slices.Contains(m.wanted.forms, text) }
	isColumn := d.kind == SearchColumn
	isTable := d.kind == SearchTable
	switch {
	case d.plain == m.wanted.forms[0] && (isTable || isColumn && !plainWord(d.name)):
		return byName, 0
	case isTable && !passing(d.plain) && (is(bare(d.plain)) || is(d.plainLabel)):
		return byLabel, 0
	case !isTable && !isColumn && (is(d.plain) || is(strings.TrimPrefix(d.plainLabel, "_"))):
		return bySynonym, 0 // what a table is called counts as much as what a window is called
	}
	for _, s := range d.synonyms {
		if is(s.phrase) {
			return bySynonym, s.rank
		}
	}
	text := m.wanted.forms[0]
	switch {
	case isColumn && d.plain == text:
		return byBeginning, 0
	case !isColumn && !passing(d.plain) && len(text) > 1 && m.weakest[doc] == byWord &&
		(strings.HasPrefix(d.plain, text) || strings.HasPrefix(bare(d.plain), text) || strings.HasPrefix(d.plainLabel, text)):
		return byBeginning, 0
	}
	return m.weakest[doc], 0
}

// plainWord reports whether a name is one word, which people also use for other
// things than the column of that name: Price, but not DocStatus.
func plainWord(name string) bool {
	before := ' '
	for _, r := range name {
		if r == '_' || unicode.IsUpper(r) && unicode.IsLower(before) {
			return false
		}
		before = r
	}
	return true
}

// passing reports whether a table, by its name in lower case, holds records on
// their way: to be imported, or of one run of a report.
func passing(name string) bool { return strings.HasPrefix(name, "i_") || strings.HasPrefix(name, "t_") }

// why says why a document was found.
func (m *searchMatch) why(doc int32) string {
	by, rank := m.grade(doc)
	why := whyOf[by]
	if by == bySynonym && rank == 0 {
		why = whyName
	}
	for i, word := range m.wanted.words {
		if word.slip && m.seen[doc]&(uint16(1)<<i) != 0 {
			why += ", " + word.forms[0] + " for " + word.text
		}
	}
	return why
}

// release makes the work space ready for another search.
func (x *searchIndex) release(m *searchMatch) {
	for _, doc := range m.found {
		m.score[doc], m.seen[doc], m.weakest[doc] = 0, 0, 0
	}
	m.found, m.wanted = m.found[:0], wanted{}
	x.idle.Put(m)
}

package docsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// longestWord is how many letters of a word count.
const longestWord = 40

// plain are letters with marks and what they are compared as.
var plain = strings.NewReplacer(
	"ä", "a", "á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "ö", "o", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ø", "o",
	"ü", "u", "ú", "u", "ù", "u", "û", "u", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "î", "i", "ï", "i",
	"ñ", "n", "ç", "c", "ß", "ss", "æ", "ae", "œ", "oe",
)

// span is a word and where it stands in the text, in bytes.
type span struct {
	word       string
	begin, end int
}

// words are the words of a text as they are indexed. A name such as
// C_BPartner_ID is one word, and each of its parts is another.
func words(text string) []span {
	var out []span
	begin, part := -1, -1
	flush := func(end int, last bool) {
		if part >= 0 && (!last || part > begin) {
			out = append(out, span{normal(text[part:end]), part, end})
		}
		part = -1
		if last && begin >= 0 {
			out = append(out, span{normal(text[begin:end]), begin, end})
			begin = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if begin < 0 {
				begin = i
			}
			if part < 0 {
				part = i
			}
		case r == '_' && begin >= 0:
			flush(i, false)
		default:
			flush(i, true)
		}
	}
	flush(len(text), true)
	return out
}

// normal is the form in which words are compared.
func normal(word string) string {
	word = text.First(plain.Replace(strings.ToLower(word)), longestWord)
	return stem(strings.Trim(word, "_"))
}

// stem takes the commonest endings of English off: few enough to do no harm to
// words of other languages.
func stem(w string) string {
	if strings.ContainsRune(w, '_') || len(w) < 4 {
		return w
	}
	for _, e := range []struct{ end, instead string }{
		{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""},
	} {
		if rest, ok := strings.CutSuffix(w, e.end); ok {
			w = rest + e.instead
			break
		}
	}
	for _, end := range []string{"ing", "ed"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			// closing, closed and close are one word; so are shipping and ship.
			if n := len(rest); rest[n-1] == rest[n-2] && rest[n-1] != 'l' && rest[n-1] != 's' {
				rest = rest[:n-1]
			}
			return strings.TrimSuffix(rest, "e")
		}
	}
	if len(w) >= 5 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// idle tells words of questions that say nothing.
func idle(word string) bool {
	switch word {
	case "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "doe", "does", "for", "from", "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "the", "this", "that", "to", "what", "when", "where", "which", "who", "why", "with", "you", "your":
		return true
	}
	return utf8.RuneCountInString(word) < 2
}

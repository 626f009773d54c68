package registry

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

//go:embed synonyms.txt
var synonymsText string

// synonym is another word, or several, for a thing of the dictionary.
type synonym struct {
	phrase string // as [phraseOf] writes it
	rank   int    // the order of the file, from 1
}

// synonymsOf has what things are called besides, by kind and name in lower case.
var synonymsOf = sync.OnceValue(func() map[string][]synonym {
	out := map[string][]synonym{}
	rank := 1
	for line := range strings.Lines(synonymsText) {
		thing, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(thing, "#") {
			continue
		}
		key := strings.ToLower(thing)
		if _, _, kind := kindOfThing(key); !kind {
			key = string(SearchTable) + " " + key
		}
		for word := range strings.SplitSeq(words, ", ") {
			out[key] = append(out[key], synonym{phraseOf(word), rank})
		}
		rank++
	}
	return out
})

// kindOfThing splits "process Cache Reset".
func kindOfThing(thing string) (kind SearchKind, name string, ok bool) {
	first, rest, _ := strings.Cut(thing, " ")
	kind = SearchKind(first)
	return kind, rest, rest != "" && slices.Contains([]SearchKind{SearchTable, SearchColumn, SearchWindow, SearchProcess, SearchReference}, kind)
}

// fillers are words of a question that say nothing about what is searched for.
var fillers = wordSet(`a an the of for to in on at by with from and or is are be was do does did can could i we my our your me it its this that these those
which what where who whom whose how why when all any some show list find get give tell see look need want there here
der die das den dem des ein eine einer von für mit und oder im in zu wo wie was welche welcher welches el la los las un una de del y o en para con
le les une du des et ou dans pour avec il lo gli di da e per con`)

// kindWords are words that say of which kind the thing is.
var kindWords = map[string]SearchKind{
	"table": SearchTable, "view": SearchTable, "tabelle": SearchTable, "tabla": SearchTable,
	"column": SearchColumn, "field": SearchColumn, "spalte": SearchColumn, "feld": SearchColumn, "campo": SearchColumn, "columna": SearchColumn,
	"window": SearchWindow, "screen": SearchWindow, "fenster": SearchWindow, "ventana": SearchWindow,
	"process": SearchProcess, "report": SearchProcess, "prozess": SearchProcess, "bericht": SearchProcess, "proceso": SearchProcess, "reporte": SearchProcess, "informe": SearchProcess,
	"reference": SearchReference,
}

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// stem is a word without the s of the plural, and the like.
func stem(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "shes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "xes")):
		return word[:n-2]
	case n > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:n-1]
	}
	return word
}

// contentWords are the words of a text that say what is searched for: without
// fillers, unless nothing else is left, and in the singular.
func contentWords(text string) []string {
	var all, words []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all = append(all, stem(word))
		if !fillers[word] {
			words = append(words, stem(word))
		}
	}
	if len(words) == 0 {
		words = all
	}
	return words
}

// phraseOf is a text in the form in which phrases are compared.
func phraseOf(text string) string { return strings.Join(contentWords(text), " ") }

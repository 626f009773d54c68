package tablefile

import (
	"slices"
	"strconv"

	"github.com/erphub/erphub/dict"
)

// word is one value of an enumeration and what the dictionary calls it.
type word struct{ word, code string }

// wordSets are the words of every enumeration, in the order the schema has
// them.
func wordSets(name string) []word {
	switch name {
	case "access":
		return []word{
			{"organization", string(dict.AccessOrg)}, {"client", string(dict.AccessClient)},
			{"client+organization", string(dict.AccessClientOrg)}, {"system", string(dict.AccessSystem)},
			{"system+client", string(dict.AccessSystemClient)}, {"all", string(dict.AccessAll)},
		}
	case "replication":
		return []word{
			{"local", string(dict.ReplicationLocal)}, {"merge", string(dict.ReplicationMerge)},
			{"reference", string(dict.ReplicationReference)},
		}
	case "foreignKey":
		return []word{
			{"no-action", string(dict.FKNoAction)}, {"cascade", string(dict.FKCascade)}, {"set-null", string(dict.FKSetNull)},
			{"none", string(dict.FKNone)}, {"model-cascade", string(dict.FKModelCascade)},
			{"model-no-action", string(dict.FKModelNoAction)}, {"model-set-null", string(dict.FKModelSetNull)},
		}
	case "window":
		return []word{
			{"maintain", string(dict.WindowMaintain)}, {"transaction", string(dict.WindowTransaction)},
			{"query-only", string(dict.WindowQueryOnly)}, {"single-record", string(dict.WindowSingle)},
		}
	case "template":
		var words []word
		for _, t := range dict.Templates() {
			words = append(words, word{string(t), string(t)})
		}
		return words
	case "type":
		var words []word
		for _, t := range dict.DisplayTypes() {
			words = append(words, word{t.String(), strconv.Itoa(int(t))})
		}
		return words
	}
	return nil
}

func wordsOf(set string) []string {
	var words []string
	for _, w := range wordSets(set) {
		words = append(words, w.word)
	}
	return words
}

// codeOf is the dictionary's code of a word; empty stays empty.
func codeOf(set, w string) string {
	sets := wordSets(set)
	if i := slices.IndexFunc(sets, func(x word) bool { return x.word == w }); i >= 0 {
		return sets[i].code
	}
	return ""
}

// wordOf is the word of a code; it reports false for a code that has none.
func wordOf(set, code string) (string, bool) {
	if code == "" {
		return "", true
	}
	sets := wordSets(set)
	i := slices.IndexFunc(sets, func(x word) bool { return x.code == code })
	if i < 0 {
		return "", false
	}
	return sets[i].word, true
}

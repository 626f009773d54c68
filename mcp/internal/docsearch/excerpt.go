package docsearch

import (
	"strings"
	"unicode/utf8"
)

// longestExcerpt is how many bytes of a passage are shown, marks aside.
const longestExcerpt = 600

// excerpt is the part of a text with most of the words searched for, marked.
func excerpt(text string, asked []string) string {
	var found []span
	for _, s := range words(text) {
		if !means(s.word, asked) {
			continue
		}
		if n := len(found); n > 0 && s.begin < found[n-1].end { // a name after its own parts
			for n > 0 && found[n-1].begin >= s.begin {
				n--
			}
			found = found[:n]
		}
		found = append(found, s)
	}
	from, to := window(text, found)
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	at := from
	for _, s := range found {
		if s.begin < at || s.end > to {
			continue
		}
		b.WriteString(text[at:s.begin] + "**" + text[s.begin:s.end] + "**")
		at = s.end
	}
	b.WriteString(text[at:to])
	if to < len(text) {
		b.WriteString(" …")
	}
	return strings.TrimSpace(b.String())
}

// means reports whether a word of a text is one of those searched for, or begins
// with one.
func means(word string, asked []string) bool {
	for _, a := range asked {
		if word == a || utf8.RuneCountInString(a) >= 3 && strings.HasPrefix(word, a) {
			return true
		}
	}
	return false
}

// window is the part of a text to show: where most different words stand.
func window(text string, found []span) (from, to int) {
	if len(text) <= longestExcerpt {
		return 0, len(text)
	}
	best := -1
	for i, first := range found {
		different := map[string]bool{}
		for _, s := range found[i:] {
			if s.end-first.begin > longestExcerpt-100 {
				break
			}
			different[s.word] = true
		}
		if len(different) > best {
			best, from = len(different), max(0, first.begin-80)
		}
	}
	to = min(len(text), from+longestExcerpt)
	if from = max(0, to-longestExcerpt); from > 0 {
		// Begin with a word, not within one.
		if i := strings.IndexAny(text[from:min(from+40, len(text))], " \n"); i >= 0 {
			from += i + 1
		}
	}
	if to < len(text) {
		if i := strings.LastIndexAny(text[max(from, to-40):to], " \n"); i > 0 {
			to = max(from, to-40) + i
		}
	}
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}

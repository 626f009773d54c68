package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// shortText is the number of characters below which free text has no room
	// for words.
	shortText = 6
	// longestText bounds what is invented for one value.
	longestText = 4000
)

// text replaces free text by neutral words. One character stays. The result is between three
// quarters of the length of the text and all of it, and at most 4,000
// characters long. No word of four characters or more of the text is in it.
func (t *tools) text(value string, limit int) string {
	n := utf8.RuneCountInString(value)
	if n == 1 {
		return value // a flag, whatever the dictionary calls it
	}
	if n < shortText {
		return t.code(value)
	}
	if !strings.ContainsFunc(value, partOf) {
		return value // rulers and dots
	}
	d := t.draw("text", value, 0)
	most := min(n, limit, longestText)
	target := max(most-d.n(most/4+1), 1)
	taken := takenBy(value)
	var b strings.Builder
	b.Grow(target + 8)
	digits := strings.ContainsFunc(value, unicode.IsDigit)
	for sentence := 0; b.Len() < target; {
		w := d.of(brief)
		if d.n(4) > 0 {
			w = newWord(d, taken)
		}
		if digits && d.n(8) == 0 {
			w = number(d)
		}
		end := ""
		switch room := target - b.Len(); {
		case b.Len() == 0 && len(w) > room:
			w = d.letters(min(room, 3))
		case b.Len() > 0 && len(w)+1 > room:
			return b.String()
		case b.Len() == 0:
			w = title(w)
		default:
			end = " "
			if sentence++; sentence > 8 && len(w)+2 <= room {
				end, sentence, w = ". ", 0, title(w)
			}
		}
		b.WriteString(end)
		b.WriteString(w)
	}
	return b.String()
}

// takenBy are the words of a text that none in its place may have.
func takenBy(value string) map[string]bool {
	taken := map[string]bool{}
	for part := range parts(strings.ToLower(value)) {
		if k := utf8.RuneCountInString(part); k >= shortest && k <= 16 {
			taken[part] = true
		}
	}
	return taken
}

func newWord(d *draw, taken map[string]bool) string {
	for range attempts {
		if w := d.of(neutral); !hasTaken(w, taken) {
			return w
		}
	}
	return d.of(brief)
}

// number is one of up to three digits: too short to be a part of the text.
func number(d *draw) string {
	return string([]byte{byte('1' + d.n(9)), byte('0' + d.n(10))}[:1+d.n(2)])
}

// hasTaken reports whether a part of the word is one of the taken ones.
func hasTaken(word string, taken map[string]bool) bool {
	if len(taken) == 0 {
		return false
	}
	for i := range len(word) {
		for j := i + shortest; j <= len(word); j++ {
			if taken[word[i:j]] {
				return true
			}
		}
	}
	return false
}

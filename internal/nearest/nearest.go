// Package nearest finds the name that somebody meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// longest is how much of a word is looked at: longer ones are not typing
// mistakes.
const longest = 64

// Name is the candidate that resembles the word most, "" when none is near
// enough to be meant: a third of the letters may differ. Case does not matter.
func Name(word string, candidates []string) string {
	best, distance := "", allowed(word)+1
	for _, c := range candidates {
		if d := Distance(word, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// Names are at most so many different candidates that resemble the word, the
// nearest first. One that contains the word counts as near.
func Names(word string, candidates []string, most int) []string {
	type hit struct {
		name     string
		distance int
	}
	w := strings.ToLower(word)
	if w == "" {
		return nil
	}
	allowed := allowed(word)
	var hits []hit
	for _, c := range candidates {
		d := allowed + 1
		if len(c)-len(w) <= 4*allowed { // the rest is out of reach, whatever its letters
			d = Distance(word, c)
		}
		if d > 1 && len(w) >= 3 && len(w) <= longest && strings.Contains(strings.ToLower(c), w) {
			d = 1
		}
		if d <= allowed {
			hits = append(hits, hit{c, d})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name))
	})
	var names []string
	for _, h := range hits {
		if len(names) < most && !slices.Contains(names, h.name) {
			names = append(names, h.name)
		}
	}
	return names
}

// allowed is how far a candidate may be from a word.
func allowed(word string) int { return max(1, min(len(word), longest)/3) }

// Distance counts the letters to insert, remove, change or swap with their
// neighbour to get from a to b, without regard to case.
func Distance(a, b string) int {
	x, y := fold(a), fold(b)
	d, _ := new(Meter).Within(x, y, max(len(x), len(y)))
	return d
}

// Meter measures many distances with one work space. The zero Meter is ready;
// it is not safe for concurrent use.
type Meter struct {
	before, row, next []int
}

// Within is [Distance] for words in letters that are compared as they are. It
// gives up and reports false when the distance is above the limit.
func (m *Meter) Within(a, b []rune, limit int) (int, bool) {
	if d := len(a) - len(b); d > limit || -d > limit {
		return 0, false
	}
	width := len(b) + 1
	if cap(m.row) < width {
		m.before, m.row, m.next = make([]int, 2*width), make([]int, 2*width), make([]int, 2*width)
	}
	before, row, next := m.before[:width], m.row[:width], m.next[:width]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		smallest := i
		for j := 1; j <= len(b); j++ {
			d := row[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			next[j] = d
			smallest = min(smallest, d)
		}
		if smallest > limit {
			return 0, false
		}
		before, row, next = row, next, before
	}
	return row[len(b)], row[len(b)] <= limit
}

// fold makes spelling comparable, and long words bearable.
func fold(s string) []rune {
	if len(s) > 4*longest {
		s = s[:4*longest]
	}
	r := []rune(strings.ToLower(s))
	return r[:min(len(r), longest)]
}

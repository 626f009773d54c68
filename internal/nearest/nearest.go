// Package nearest finds the name that somebody meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// longest is how much of a word is looked at: longer ones are no typing
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
	before, row := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}

// fold makes spelling comparable, and long words bearable.
func fold(s string) []rune {
	if len(s) > 4*longest {
		s = s[:4*longest]
	}
	r := []rune(strings.ToLower(s))
	return r[:min(len(r), longest)]
}

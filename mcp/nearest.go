package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxNearest = 3
	// longestName bounds the work for words that are no names.
	longestName = 64
)

// Nearest are at most three candidates that resemble the word, the nearest
// first. Upper and lower case do not matter.
func Nearest(word string, candidates []string) []string {
	type hit struct {
		name     string
		distance int
	}
	w := fold(word)
	if len(w) == 0 || len(w) > longestName {
		return nil
	}
	allowed := max(1, len(w)/3)
	var hits []hit
	for _, c := range candidates {
		f := fold(c)
		d := len(f) - len(w)
		switch {
		case d > longestName:
			continue
		case d != 0 && len(w) >= 3 && strings.Contains(string(f), string(w)):
			d = 1
		case max(d, -d) > allowed:
			continue
		default:
			d = editDistance(w, f)
		}
		if d <= allowed {
			hits = append(hits, hit{c, d})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var names []string
	for _, h := range hits {
		if !slices.Contains(names, h.name) && len(names) < maxNearest {
			names = append(names, h.name)
		}
	}
	return names
}

// fold makes spelling comparable.
func fold(s string) []rune {
	if len(s) > 8*longestName {
		s = s[:8*longestName]
	}
	return []rune(strings.ToLower(s))
}

// editDistance counts the letters to insert, remove, change or swap with their
// neighbour to get from a to b.
func editDistance(a, b []rune) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// didYouMean is a hint with the nearest names, "" without any.
func didYouMean(word string, names []string) string {
	near := Nearest(word, names)
	if len(near) == 0 {
		return ""
	}
	for i, n := range near {
		near[i] = fmt.Sprintf("%q", n)
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// hintNames is a hint with the nearest names and all there are.
func hintNames(word string, names []string) string {
	all := "there are: " + strings.Join(names, ", ")
	if near := didYouMean(word, names); near != "" {
		return near + " " + all
	}
	return all
}

// clip shortens what somebody sent, for a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	s = s[:most]
	for !utf8.ValidString(s) && len(s) > most-utf8.UTFMax {
		s = s[:len(s)-1]
	}
	return s + "…"
}

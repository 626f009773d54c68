package app

import "strings"

// nearest is the candidate that resembles the word most, "" when none is
// near enough to be meant.
func nearest(word string, candidates []string) string {
	best, distance := "", len(word)/2+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the letters to insert, remove or change to get from a
// to b. Long words are cut: they are no typing mistakes.
func editDistance(a, b string) int {
	const longest = 64
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), longest)], y[:min(len(y), longest)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(y)]
}

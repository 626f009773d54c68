package mcp

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// maxNearest is how many names a hint has.
const maxNearest = 3

// Nearest are at most three candidates that resemble the word, the nearest
// first. Upper and lower case do not matter.
func Nearest(word string, candidates []string) []string {
	return nearest.Names(word, candidates, maxNearest)
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

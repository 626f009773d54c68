package tablefile

import (
	"reflect"
	"strings"
)

// field is one key of a structure of the format.
type field struct {
	key   string
	doc   string
	enum  string // set of words, empty: none
	is    string // kind of text
	need  bool
	index int
	typ   reflect.Type
}

// fieldsOf are the keys of a structure in order.
func fieldsOf(t reflect.Type) []field {
	fields := make([]field, t.NumField())
	for i := range fields {
		f := t.Field(i)
		fields[i] = field{key: f.Tag.Get("yaml"), doc: f.Tag.Get("doc"), enum: f.Tag.Get("enum"), is: f.Tag.Get("is"),
			need: f.Tag.Get("need") == "true", index: i, typ: f.Type}
		if f.Type == reflect.TypeFor[typeName]() {
			fields[i].enum = "type"
		}
	}
	return fields
}

// nearest is the candidate that resembles the word most, "" when none is near
// enough to be meant.
func nearest(word string, candidates []string) string {
	best, distance := "", len(word)/2+1
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts the letters to insert, remove or change to get from a to
// b. Long words are cut: they are no typing mistakes.
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

package dictcompare

import (
	"fmt"
	"slices"
	"strings"
)

// Diff lists what differs, a line for each thing: "-" what only s has, "+" what
// only other has, "~" the values that differ of what both have.
func (s *Snapshot) Diff(other *Snapshot) []string {
	return slices.Concat(diff(s.Rows, other.Rows), diff(s.Physical, other.Physical))
}

// diff compares two sorted lists.
func diff(a, b []string) []string {
	var onlyA, onlyB []string
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			onlyA, a = append(onlyA, a[0]), a[1:]
		case len(a) == 0 || b[0] < a[0]:
			onlyB, b = append(onlyB, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	var out []string
	for _, line := range onlyA {
		key, values, _ := strings.Cut(line, ": ")
		i := slices.IndexFunc(onlyB, func(l string) bool { return strings.HasPrefix(l, key+": ") })
		if i < 0 {
			out = append(out, "- "+line)
			continue
		}
		_, others, _ := strings.Cut(onlyB[i], ": ")
		onlyB = slices.Delete(onlyB, i, i+1)
		out = append(out, fmt.Sprintf("~ %s: %s", key, changes(values, others)))
	}
	for _, line := range onlyB {
		out = append(out, "+ "+line)
	}
	return out
}

// changes are the fields that differ of two rows.
func changes(a, b string) string {
	before, after := splitFields(a), splitFields(b)
	var out []string
	for _, f := range before {
		if !slices.Contains(after, f) {
			out = append(out, "-"+f)
		}
	}
	for _, f := range after {
		if !slices.Contains(before, f) {
			out = append(out, "+"+f)
		}
	}
	return strings.Join(out, " ")
}

// splitFields takes name="value" name="value" apart; quotes inside values are
// escaped.
func splitFields(s string) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quoted:
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ' ' && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

package generator

import (
	"fmt"
	"strings"
)

// maxSymbolicName keeps names of bundles usable as folders with room for more.
const maxSymbolicName = 120

// checkSymbolicName says what is wrong with an OSGi symbolic name that is a
// Maven artifact id and a folder at the same time, or "". Tokens are letters,
// digits, underscores and dashes, separated by single dots.
func checkSymbolicName(name string) string {
	if name == "" {
		return "is empty"
	}
	for i, r := range name {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
		case r == '.' && i > 0 && name[i-1] != '.' && i < len(name)-1:
		case r == '.':
			return "has a dot at an end or two in a row; parts are separated by one dot"
		default:
			return fmt.Sprintf("contains %q; only A to Z, digits, dots, dashes and underscores are possible", r)
		}
	}
	switch {
	case len(name) > maxSymbolicName:
		return fmt.Sprintf("is %d characters long, at most %d are possible", len(name), maxSymbolicName)
	case name[0] == '-':
		return "begins with a dash"
	}
	for part := range strings.SplitSeq(name, "/") {
		if why := checkElement(part); why != "" {
			return why
		}
	}
	return ""
}

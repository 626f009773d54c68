package generator

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// Longest names of files.
const (
	maxPath    = 1000
	maxElement = 255
)

// NameError is a name that cannot be used: of a file, a bundle, a package, a
// class or anything else that becomes part of what is generated.
type NameError struct {
	Kind string // what it would name: "file", "artifact id", "class", ...
	Name string
	Why  string // what is wrong with it
}

// Error says what is wrong with the name. Long names are cut, and odd
// characters made visible.
func (e *NameError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("the %s %s", e.Kind, e.Why)
	}
	return fmt.Sprintf("the %s %s %s", e.Kind, quote(e.Name), e.Why)
}

// quote shows a name in a message.
func quote(s string) string { return text.Quote(s) }

// checkFileName refuses names that are not a place inside of a tree on every
// system a plugin is unpacked on.
func checkFileName(name string) error {
	bad := func(why string) error { return &NameError{Kind: "file name", Name: name, Why: why} }
	switch {
	case name == "":
		return bad("is empty")
	case !utf8.ValidString(name):
		return bad("is not valid UTF-8")
	case len(name) > maxPath:
		return bad(fmt.Sprintf("is longer than %d bytes", maxPath))
	case strings.Contains(name, `\`):
		return bad("contains a backslash; folders are separated by slashes")
	case strings.HasPrefix(name, "/"):
		return bad("is absolute; names are relative to the tree")
	case !fs.ValidPath(name) || name == ".":
		return bad(`has an element that is empty, "." or ".."`)
	}
	for element := range strings.SplitSeq(name, "/") {
		if why := checkElement(element); why != "" {
			return bad(why)
		}
	}
	return nil
}

// checkElement says what is wrong with one element of a path, or "".
func checkElement(element string) string {
	if len(element) > maxElement {
		return fmt.Sprintf("has an element longer than %d bytes", maxElement)
	}
	for _, r := range element {
		if unicode.IsControl(r) || strings.ContainsRune(`:*?"<>|`, r) || invisible(r) {
			return fmt.Sprintf("contains %q, which not every system can have in a name", r)
		}
	}
	if last := element[len(element)-1]; last == '.' || last == ' ' || element[0] == ' ' {
		return "has an element that begins or ends in a blank, or ends in a dot"
	}
	stem, _, _ := strings.Cut(strings.ToLower(element), ".")
	switch stem = strings.TrimSpace(stem); {
	case stem == "con", stem == "prn", stem == "aux", stem == "nul",
		len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9':
		return fmt.Sprintf("has the element %q, which is a device on Windows", element)
	case strings.EqualFold(element, ".git"):
		return `has the element ".git", which is the version control's own`
	}
	return ""
}

// invisible reports characters that show nothing, or turn the text around them.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

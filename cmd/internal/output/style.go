package output

import "strings"

// Style is what a text means, which a terminal shows as a colour.
type Style int

// The styles.
const (
	Plain Style = iota
	Heading
	Good
	Warning
	Bad
	Added
	Removed
	Changed
)

var codes = map[Style]string{
	Heading: "\x1b[1m", Good: "\x1b[32m", Warning: "\x1b[33m", Bad: "\x1b[31m",
	Added: "\x1b[32m", Removed: "\x1b[31m", Changed: "\x1b[33m",
}

const reset = "\x1b[0m"

// Paint is the text in the style's colour. The text must be clean already.
func (s Style) Paint(text string) string {
	code, ok := codes[s]
	if !ok || text == "" {
		return text
	}
	return code + text + reset
}

// unpainted removes what Paint adds.
func unpainted(text string) string {
	text = strings.ReplaceAll(text, reset, "")
	for _, code := range codes {
		text = strings.ReplaceAll(text, code, "")
	}
	return text
}

// ByText is a [Column]'s style by what its cells say.
func ByText(styles map[string]Style) func(string) Style {
	return func(cell string) Style { return styles[cell] }
}

// State is the style of a state in the words that commands have for it.
func State(cell string) Style {
	switch strings.ToLower(cell) {
	case "ok", "success", "up", "valid", "succeeded", "added":
		return Good
	case "warning", "warn", "building", "deploying", "held", "waiting", "changed", "due":
		return Warning
	case "failure", "failed", "fail", "error", "down", "rolled_back", "refused", "unreadable", "expired", "removed":
		return Bad
	}
	return Plain
}

// Styled are columns of which those with the name have a style.
func Styled(columns []Column, name string, style func(string) Style) []Column {
	for i := range columns {
		if columns[i].Name == name {
			columns[i].Style = style
		}
	}
	return columns
}

// PaintChanges paints the lines of a text that begin, behind blanks, with +, - or ~.
func PaintChanges(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		content, end := strings.TrimSuffix(line, "\n"), ""
		if len(content) < len(line) {
			end = "\n"
		}
		style := Plain
		switch trimmed := strings.TrimLeft(content, " "); {
		case strings.HasPrefix(trimmed, "+ "):
			style = Added
		case strings.HasPrefix(trimmed, "- "):
			style = Removed
		case strings.HasPrefix(trimmed, "~ "):
			style = Changed
		}
		b.WriteString(style.Paint(content) + end)
	}
	return b.String()
}

// Colour modes of --color.
const (
	ColourAuto   = "auto"
	ColourAlways = "always"
	ColourNever  = "never"
)

// Coloured reports whether colours are used: as --color says, else by NO_COLOR,
// CLICOLOR_FORCE, TERM and CLICOLOR, else on a terminal.
func Coloured(mode string, getenv func(string) string, terminal bool) bool {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case mode == ColourAlways:
		return true
	case mode == ColourNever, getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	case getenv("TERM") == "dumb", getenv("CLICOLOR") == "0":
		return false
	}
	return terminal
}

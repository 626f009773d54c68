package help

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// Bounds of the width of a page, in columns.
const (
	DefaultWidth = 80
	maxWidth     = 100
	minWidth     = 40
)

const indent = "  "

// WriteText writes the page for a terminal of that width; 0 is one of unknown
// width, or none.
func (p *Page) WriteText(to io.Writer, width int) error {
	if width <= 0 {
		width = DefaultWidth
	}
	w := &writer{bufio.NewWriter(to), max(minWidth, min(width, maxWidth))}
	w.fill(text.Sentence(p.Summary), "", "")
	if len(p.Usage) > 0 {
		w.heading("USAGE")
	}
	for _, line := range p.Usage {
		w.fill(line, indent, indent+"    ")
	}
	w.description(p)
	w.groups("COMMANDS", p.Commands)
	w.groups("FLAGS", p.Flags)
	w.examples(p.Examples)
	if len(p.Output) > 0 && len(p.Path) > 1 {
		w.groups("OUTPUT", []Group{{Entries: p.Output}})
	}
	if len(p.Global) > 0 {
		w.groups("GLOBAL FLAGS", []Group{{Entries: p.Global}})
	}
	if len(p.Topics) > 0 {
		w.groups("HELP TOPICS", []Group{{Entries: p.Topics}})
	}
	if len(p.SeeAlso) > 0 {
		w.heading("SEE ALSO")
		for _, s := range p.SeeAlso {
			w.line(indent + s)
		}
	}
	return w.Flush()
}

// writer writes lines of bounded width; its error comes with Flush.
type writer struct {
	*bufio.Writer
	width int
}

func (w *writer) line(s string) {
	w.WriteString(strings.TrimRight(s, " "))
	w.WriteByte('\n')
}

func (w *writer) heading(s string) {
	w.line("")
	w.line(s)
}

func (w *writer) description(p *Page) {
	for i, d := range p.Description {
		if i == 0 && len(p.Usage) > 0 { // a topic has nothing else
			w.heading("DESCRIPTION")
		} else {
			w.line("")
		}
		w.paragraph(d)
	}
}

func (w *writer) examples(all []Example) {
	for i, e := range all {
		if i == 0 {
			w.heading("EXAMPLES")
		} else {
			w.line("")
		}
		w.fill("# "+e.About, indent, indent+"# ")
		for _, line := range e.Lines {
			w.line(indent + line)
		}
	}
}

func (w *writer) paragraph(p Paragraph) {
	if !p.Fast {
		w.fill(p.Text, indent, indent)
		return
	}
	for line := range strings.SplitSeq(p.Text, "\n") {
		w.line(indent + indent + line)
	}
}

// Fill is text in lines that fit, each of which begins with lead; a width of 0 is
// one line.
func Fill(text, lead string, width int) string {
	if width <= 0 {
		return lead + text + "\n"
	}
	var b strings.Builder
	w := writer{bufio.NewWriter(&b), width}
	w.fill(text, lead, lead)
	_ = w.Flush() // into memory
	return b.String()
}

// fill writes words in lines that fit; first and next are what lines begin with.
func (w *writer) fill(text, first, next string) {
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > w.width:
			w.line(line)
			line = next + word
		default:
			line += " " + word
		}
		empty = false
	}
	w.line(line)
}

// widest is how much of a line names take; the text of longer ones begins below.
const widest = 28

func (w *writer) groups(title string, groups []Group) {
	if len(groups) == 0 {
		return
	}
	w.heading(title)
	column := 0
	for _, g := range groups {
		for _, e := range g.Entries {
			if n := utf8.RuneCountInString(e.Name); n <= widest {
				column = max(column, n)
			}
		}
	}
	for i, g := range groups {
		if g.Title != "" {
			if i > 0 {
				w.line("")
			}
			w.line(indent + g.Title)
		}
		lead := indent
		if g.Title != "" {
			lead += indent
		}
		for _, e := range g.Entries {
			w.entry(e, lead, column)
		}
	}
}

func (w *writer) entry(e Entry, lead string, column int) {
	next := lead + strings.Repeat(" ", column+2)
	gap := column + 2 - utf8.RuneCountInString(e.Name)
	if gap < 2 {
		w.line(lead + e.Name)
		w.fill(e.Text, next, next)
		return
	}
	w.fill(e.Text, lead+e.Name+strings.Repeat(" ", gap), next)
}

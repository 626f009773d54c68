package pack

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// systemClient is the UUID of the System tenant in published archives.
const systemClient = "11237b53-9592-4af1-b3c5-afd216514b5d"

const stamp = "2006-01-02 15:04:05.0"

// header opens every XML file; no byte order mark.
const header = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// packOut writes the records as PackOut.xml.
func packOut(opts *Options, roots []*node) ([]byte, error) {
	w := &xmlWriter{}
	w.b.WriteString(header)
	w.b.WriteString("<idempiere")
	update := "false"
	if opts.UpdateDictionary {
		update = "true"
	}
	date := opts.Date.UTC().Format(stamp)
	for _, a := range [][2]string{
		{"Name", opts.Name}, {"Version", opts.Version.String()}, {"idempiereVersion", ""}, {"DataBaseVersion", ""},
		{"Description", opts.Description}, {"Author", opts.Author}, {"AuthorEmail", opts.AuthorEmail},
		{"CreatedDate", date}, {"UpdatedDate", date}, {"PackOutVersion", "100"}, {"UpdateDictionary", update},
		{"Client", "0-SYSTEM-System"}, {"AD_Client_UU", systemClient},
	} {
		w.attribute("idempiere", a[0], a[1])
	}
	w.b.WriteString(">\n")
	for _, n := range roots {
		w.record(n, 1)
	}
	w.b.WriteString("</idempiere>\n")
	if w.err != nil {
		return nil, w.err
	}
	return w.b.Bytes(), nil
}

// xmlWriter collects XML; the first error stays.
type xmlWriter struct {
	b   bytes.Buffer
	err error
}

// record writes an element with its properties and the records nested in it.
// Values stand between their tags as they are: blanks and line breaks count.
func (w *xmlWriter) record(n *node, depth int) {
	indent := strings.Repeat("  ", depth)
	fmt.Fprintf(&w.b, "%s<%s type=\"table\">\n", indent, n.table)
	for _, p := range n.props {
		w.b.WriteString(indent + "  <" + p.column)
		if p.reference != "" {
			w.attribute(n.name, "reference", p.reference)
			w.attribute(n.name, "reference-key", p.key)
		}
		if p.text == "" {
			w.b.WriteString("/>\n")
			continue
		}
		w.b.WriteByte('>')
		w.text(n.table+" "+n.name+", "+p.column, p.text)
		w.b.WriteString("</" + p.column + ">\n")
	}
	for _, child := range n.children {
		w.record(child, depth+1)
	}
	fmt.Fprintf(&w.b, "%s</%s>\n", indent, n.table)
}

func (w *xmlWriter) attribute(where, name, value string) {
	w.b.WriteString(" " + name + `="`)
	w.escape(where+", "+name, value, true)
	w.b.WriteByte('"')
}

func (w *xmlWriter) text(where, value string) { w.escape(where, value, false) }

// escape writes text so that a parser reads exactly it. A carriage return is
// written as a number, because parsers turn it into a line feed otherwise; in
// attributes so are line feeds and tabs. What XML cannot hold is an error.
func (w *xmlWriter) escape(where, s string, attribute bool) {
	for i, r := range s {
		switch {
		case r == '&':
			w.b.WriteString("&amp;")
		case r == '<':
			w.b.WriteString("&lt;")
		case r == '>':
			w.b.WriteString("&gt;")
		case r == '"' && attribute:
			w.b.WriteString("&quot;")
		case r == '\r', attribute && (r == '\n' || r == '\t'):
			fmt.Fprintf(&w.b, "&#%d;", r)
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				w.fail(where, "is not valid UTF-8")
				return
			}
			w.b.WriteRune(r)
		case !inXML(r):
			w.fail(where, fmt.Sprintf("holds the character U+%04X, which XML cannot hold", r))
			return
		default:
			w.b.WriteRune(r)
		}
	}
}

// inXML reports whether a character may stand in XML 1.0.
func inXML(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return true
	case r < 0x20, r >= 0xD800 && r <= 0xDFFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= 0x10FFFF
}

func (w *xmlWriter) fail(where, what string) {
	if w.err == nil {
		w.err = fmt.Errorf("the text of %s %s; remove it", where, what)
	}
}

// sheet writes the page for people. The ERP never reads it.
func sheet(opts *Options) ([]byte, error) {
	w := &xmlWriter{}
	w.b.WriteString(header)
	w.b.WriteString(`<?xml-stylesheet type="text/css" href="idempiereDocument.css"?>` + "\n<idempiereDocument>\n")
	line := func(element, text string) {
		w.b.WriteString("  <" + element + ">")
		w.text("the package's "+element, text)
		w.b.WriteString("</" + element + ">\n")
	}
	date := opts.Date.UTC().Format(stamp)
	line("header", opts.Name+" Package Description")
	for _, part := range [][3]string{
		{"Package Name:", "packagename", opts.Name},
		{"Version:", "version", opts.Version.String()},
		{"Author:", "author", opts.Author},
		{"Email Address:", "Email", opts.AuthorEmail},
		{"Created:", "Date", date},
		{"Updated:", "Date", date},
		{"Description:", "description", opts.Description},
		{"Instructions:", "instructions", ""},
		{"Files in Package:", "file", "PackOut.xml"},
		{"Client:", "Client", "0-SYSTEM-System"},
	} {
		line("H1", part[0])
		line(part[1], part[2])
	}
	w.b.WriteString("</idempiereDocument>\n")
	return w.b.Bytes(), w.err
}

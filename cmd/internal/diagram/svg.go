package diagram

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// style draws light, and dark for readers who prefer that.
const style = `
  .paper{fill:#ffffff}.box{fill:#ffffff;stroke:#57606a}.head{fill:#ddf4ff;stroke:#57606a}
  text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
  .name{font-weight:bold}.type{fill:#656d76}.key{font-weight:bold}
  .link{fill:none;stroke:#0969da;stroke-width:1.3}.optional{stroke-dasharray:5 3}.part{stroke-width:2.2}
  .label{font-size:10px;fill:#656d76}.end{fill:#0969da}
  @media (prefers-color-scheme:dark){
    .paper{fill:#0d1117}.box{fill:#161b22;stroke:#8b949e}.head{fill:#1f3a5f;stroke:#8b949e}
    text{fill:#e6edf3}.type,.label{fill:#9198a1}.link{stroke:#58a6ff}.end{fill:#58a6ff}
  }
`

// WriteSVG writes the diagram as a picture: a box per table, a line per
// reference with its arrow at the table referred to, dashed when it may be
// empty and thick when the table is a part of the other.
func (m *Model) WriteSVG(w io.Writer) error {
	boxes, byName, width, height := m.layout()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img" aria-labelledby="t d">`+"\n",
		num(width), num(height))
	fmt.Fprintf(b, "<title id=\"t\">Tables and their references</title>\n<desc id=\"d\">%s</desc>\n", escape(m.description()))
	fmt.Fprintf(b, "<style>%s</style>\n", style)
	b.WriteString(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
		`<path class="end" d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	fmt.Fprintf(b, `<rect class="paper" width="%s" height="%s"/>`+"\n", num(width), num(height))
	for _, l := range m.Links {
		m.writeLink(b, l, byName)
	}
	for _, bx := range boxes {
		writeBox(b, bx)
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

func writeBox(b *bufio.Writer, bx *box) {
	fmt.Fprintf(b, `<g><rect class="box" x="%s" y="%s" width="%s" height="%s" rx="4"/>`, num(bx.x), num(bx.y), num(bx.width), num(bx.height))
	fmt.Fprintf(b, `<rect class="head" x="%s" y="%s" width="%s" height="%d" rx="4"/>`, num(bx.x), num(bx.y), num(bx.width), headHeight)
	fmt.Fprintf(b, `<text class="name" x="%s" y="%s">%s<title>%s</title></text>`+"\n", num(bx.x+10), num(bx.y+headHeight-9),
		escape(clip(bx.table.Name)), escape(bx.table.Label))
	for i, c := range bx.table.Columns {
		y := num(bx.row(i) + 4)
		mark, class := " ", "column"
		switch {
		case c.Key:
			mark, class = "#", "key"
		case c.Mandatory:
			mark = "*"
		}
		fmt.Fprintf(b, `<text class="%s" x="%s" y="%s">%s</text>`, class, num(bx.x+8), y, mark)
		fmt.Fprintf(b, `<text class="%s" x="%s" y="%s">%s</text>`, class, num(bx.x+22), y, escape(clip(c.Name)))
		fmt.Fprintf(b, `<text class="type" x="%s" y="%s" text-anchor="end">%s</text>`+"\n", num(bx.x+bx.width-8), y, escape(clip(c.Type)))
	}
	b.WriteString("</g>\n")
}

// row is the height of the middle of a column's line.
func (bx *box) row(i int) float64 {
	return bx.y + headHeight + float64(i)*lineHeight + lineHeight/2 + 4
}

// rowOf is the height of the line of a column, or of the head when the column
// is not shown.
func (bx *box) rowOf(column string) float64 {
	for i, c := range bx.table.Columns {
		if c.Name == column {
			return bx.row(i)
		}
	}
	return bx.y + headHeight/2
}

func (m *Model) writeLink(b *bufio.Writer, l Link, byName map[string]*box) {
	from, to := byName[l.From], byName[l.To]
	class := "link"
	if l.Optional {
		class += " optional"
	}
	if l.Parent {
		class += " part"
	}
	y1, y2 := from.rowOf(l.Column), to.y+headHeight/2
	var path string
	switch {
	case from == to: // around the right side
		x := from.x + from.width
		path = fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x), num(y1), num(x+loopWidth), num(y1), num(x+loopWidth), num(y2), num(x), num(y2))
	case to.x+to.width < from.x:
		x1, x2 := from.x, to.x+to.width
		path = curve(x1, y1, x2, y2, -gapX/2)
	case from.x+from.width < to.x:
		path = curve(from.x+from.width, y1, to.x, y2, gapX/2)
	default: // in one column: around the left side
		x1, x2 := from.x, to.x
		out := min(x1, x2) - margin
		path = fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x1), num(y1), num(out), num(y1), num(out), num(y2), num(x2), num(y2))
	}
	fmt.Fprintf(b, `<path class="%s" d="%s" marker-end="url(#arrow)"><title>%s</title></path>`+"\n", class, path,
		escape(l.From+"."+l.Column+" → "+l.To))
}

func curve(x1, y1, x2, y2, bend float64) string {
	return fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x1), num(y1), num(x1+bend), num(y1), num(x2-bend), num(y2), num(x2), num(y2))
}

// description tells in words what the picture shows.
func (m *Model) description() string {
	var parts []string
	for _, t := range m.Tables {
		parts = append(parts, fmt.Sprintf("%s with %d columns", t.Name, len(t.Columns)))
	}
	text := "Tables: " + strings.Join(parts, ", ") + "."
	for _, l := range m.Links {
		text += fmt.Sprintf(" %s.%s refers to %s.", l.From, l.Column, l.To)
	}
	return text
}

// num writes a measure without needless digits.
func num(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }

// escape is text as content of an element.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder does not fail
	return b.String()
}

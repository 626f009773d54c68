package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	width "github.com/jedib0t/go-pretty/v6/text"

	"github.com/erphub/erphub/internal/text"
)

// Screen is what a table is shown on.
type Screen struct {
	// Width is how many columns a line has; 0 is without end.
	Width int
	// Colour reports whether there are colours.
	Colour bool
}

const (
	gap        = 2  // blanks between columns
	shortest   = 10 // columns that a text is shortened to at most
	headingMax = 20 // of a heading that a column is not made narrower than
	firstMax   = 24 // of the first column, which is what people know a row by
)

// grid is what a table looks like.
type grid struct {
	headings []string
	right    []bool
	wrap     []bool
	rows     [][]string
	style    func(row, column int) Style
}

// writeTable writes a table that fits the screen, and returns how many columns
// it does not show.
func (t Table) writeTable(w io.Writer, screen Screen, wide bool) (hidden int, err error) {
	if len(t.Columns) == 0 { // text alone
		_, err = io.WriteString(w, t.Below)
		return 0, err
	}
	limit := screen.Width
	if wide {
		limit = 0
	}
	t = t.withoutSpare(limit)
	var g grid
	if t.Single != nil && len(t.Rows) == 1 {
		g = t.single(wide)
	} else {
		g = t.grid(wide)
	}
	rendered, hidden := g.render(limit, screen.Colour)
	if limit > 0 {
		hidden += t.More
	}
	if _, err = io.WriteString(w, t.Above+rendered+t.Below); err != nil || t.Then == nil {
		return hidden, err
	}
	more, err := t.Then.writeTable(w, screen, wide)
	return hidden + more, err
}

// withoutSpare leaves out the spare columns from the first one on that does not fit into
// limit beside the others, with nothing shortened; without a limit all of them. They
// count as more.
func (t Table) withoutSpare(limit int) Table {
	if !slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Spare }) {
		return t
	}
	room := limit
	natural := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		natural[i] = gap + width.StringWidth(oneLine(c.Name))
		for _, row := range t.Rows {
			natural[i] = max(natural[i], gap+cells(c.shown(cell(row, i), false)))
		}
		if !c.Spare && !c.Wide {
			room -= natural[i]
		}
	}
	out := t
	out.Columns, out.Rows = nil, make([][]string, len(t.Rows))
	for i, c := range t.Columns {
		if c.Spare {
			if room -= natural[i]; room < -gap { // the last column has no gap
				out.More++
				continue
			}
		}
		out.Columns = append(out.Columns, c)
		for r, row := range t.Rows {
			out.Rows[r] = append(out.Rows[r], cell(row, i))
		}
	}
	return out
}

func (t Table) grid(wide bool) grid {
	var g grid
	var from []int
	for i, c := range t.Columns {
		if c.Wide && !wide {
			continue
		}
		from = append(from, i)
		g.headings, g.right, g.wrap = append(g.headings, oneLine(c.Name)), append(g.right, c.Right), append(g.wrap, c.Wrap)
	}
	g.rows = make([][]string, len(t.Rows))
	for r, row := range t.Rows {
		g.rows[r] = make([]string, len(from))
		for i, at := range from {
			g.rows[r][i] = t.Columns[at].shown(cell(row, at), wide)
		}
	}
	g.style = func(row, column int) Style { return t.Columns[from[column]].style(cell(t.Rows[row], from[column])) }
	return g
}

// single is one thing: a line per column.
func (t Table) single(wide bool) grid {
	g := grid{headings: t.Single[:], right: make([]bool, 2), wrap: []bool{false, true}, rows: make([][]string, len(t.Columns))}
	for i, c := range t.Columns {
		g.rows[i] = []string{oneLine(c.Name), c.shown(cell(t.Rows[0], i), wide)}
	}
	g.style = func(row, column int) Style {
		if column == 0 {
			return Plain
		}
		return t.Columns[row].style(cell(t.Rows[0], row))
	}
	return g
}

// shown is the text of a cell in a table.
func (c Column) shown(cell string, wide bool) string {
	cell = oneLine(cell)
	if c.Max > 0 && !wide {
		cell = text.Shorten(cell, c.Max)
	}
	return cell
}

func (c Column) style(cell string) Style {
	if c.Style == nil {
		return Plain
	}
	return c.Style(cell)
}

// render is the text of the grid in lines that are no longer than limit, and how
// many columns were left out for that; 0 means no limit.
func (g grid) render(limit int, colour bool) (string, int) {
	natural := make([]int, len(g.headings))
	for i, h := range g.headings {
		natural[i] = width.StringWidth(h)
	}
	for _, row := range g.rows {
		for i, c := range row {
			natural[i] = max(natural[i], cells(c))
		}
	}
	widths := natural
	if limit > 0 {
		widths = g.fit(natural, limit)
	}
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	style.Format.Header, style.Format.HeaderAlign = width.FormatDefault, width.AlignDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	configs, header := make([]table.ColumnConfig, len(widths)), make(table.Row, len(widths))
	for i, n := range widths {
		align := width.AlignLeft
		if g.right[i] {
			align = width.AlignRight
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
		header[i] = paint(Heading, cut(g.headings[i], n), colour)
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for r, row := range g.rows {
		line := make(table.Row, len(widths))
		for i, n := range widths {
			lines := []string{cut(row[i], n)}
			if g.wrap[i] && lines[0] != row[i] {
				lines = wrap(row[i], n)
			}
			for j := range lines {
				lines[j] = paint(g.style(r, i), lines[j], colour)
			}
			line[i] = strings.Join(lines, "\n")
		}
		t.AppendRow(line)
	}
	return t.Render() + "\n", len(natural) - len(widths)
}

func paint(s Style, text string, colour bool) string {
	if !colour {
		return text
	}
	return s.Paint(text)
}

// fit are widths of columns whose lines are no longer than limit. Texts shrink, the
// longest first; where that is not enough, the last columns have no width at all.
func (g grid) fit(natural []int, limit int) []int {
	least := make([]int, len(natural))
	widths := make([]int, len(natural))
	for i, n := range natural {
		widths[i] = min(n, limit)
		switch {
		case g.right[i]:
			least[i] = widths[i]
		case i == 0:
			least[i] = min(widths[i], firstMax)
		default:
			least[i] = min(widths[i], max(shortest, min(cells(g.headings[i]), headingMax)))
		}
	}
	shown := len(widths)
	for shown > 1 && sum(least[:shown])+gap*(shown-1) > limit {
		shown--
	}
	widths = widths[:shown]
	for over := sum(widths) + gap*(shown-1) - limit; over > 0; over-- {
		longest := -1
		for i, n := range widths {
			if n > least[i] && (longest < 0 || n > widths[longest]) {
				longest = i
			}
		}
		if longest < 0 {
			break // one column, which the limit bounds already
		}
		widths[longest]--
	}
	return widths
}

func sum(numbers []int) (n int) {
	for _, x := range numbers {
		n += x
	}
	return n
}

// cells is how many columns of a terminal a text takes.
func cells(s string) int { return width.StringWidthWithoutEscSequences(s) }

// cut is the text in so many columns of a terminal, with an ellipsis when
// something is missing.
func cut(s string, limit int) string {
	if cells(s) <= limit {
		return s
	}
	const ellipsis = "…"
	if cells(ellipsis) > limit {
		return ""
	}
	return strings.TrimRight(width.Trim(s, limit-cells(ellipsis)), " ") + ellipsis
}

// wrap is the text in lines of so many columns of a terminal. Lines end between
// words; only a word that is longer than a line is broken,
// behind a separator where it has one.
func wrap(s string, limit int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && cells(line)+1+cells(word) <= limit {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for cells(word) > limit {
			head := width.Trim(word, limit)
			if head == "" {
				return append(lines, cut(word, limit)) // a character is wider than a line
			}
			if at := strings.LastIndexAny(head, "/.:,=-") + 1; at > len(head)/2 {
				head = head[:at]
			}
			lines, word = append(lines, head), word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}

// oneLine is a text as one line of a table. What makes one picture of several in an
// emoji is left out, because terminals do not agree how wide that is.
func oneLine(s string) string {
	s = text.OneLine(s)
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	picture := false // the last one
	for _, r := range s {
		switch {
		case r == variation, picture && (r == joiner || r >= firstTone && r <= lastTone):
			continue
		}
		picture = r > firstPicture
		b.WriteRune(r)
	}
	return b.String()
}

const (
	variation           = '\ufe0f'
	joiner              = '\u200d'
	firstPicture        = '\U0001f000'
	firstTone, lastTone = '\U0001f3fb', '\U0001f3ff'
)

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// writeVertical writes a line per column, and a line between rows. number is that
// of the first row; one row alone has none.
func (t Table) writeVertical(w io.Writer, screen Screen, number int) error {
	longest := 0
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = oneLine(c.Name)
		longest = max(longest, cells(names[i]))
	}
	var b strings.Builder
	for r, row := range t.Rows {
		if number > 0 {
			b.WriteString(paint(Heading, fmt.Sprintf("-[ %d ]-", number+r), screen.Colour) + "\n")
		}
		for i, c := range t.Columns {
			value := cell(row, i)
			lines := strings.Split(text.Printable(strings.ReplaceAll(value, "\r\n", "\n")), "\n")
			for n, line := range lines {
				lead := ""
				if n == 0 {
					lead = paint(Heading, names[i], screen.Colour) + strings.Repeat(" ", longest-cells(names[i]))
				} else {
					lead = strings.Repeat(" ", longest)
				}
				if line != "" {
					line = strings.Repeat(" ", gap) + paint(c.style(value), strings.TrimRight(line, " \t"), screen.Colour)
				}
				b.WriteString(strings.TrimRight(lead+line, " ") + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeNames writes the column that names the rows.
func (t Table) writeNames(w io.Writer) error {
	var b strings.Builder
	at := max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID }))
	for _, row := range t.Rows {
		if name := oneLine(cell(row, at)); name != "" {
			b.WriteString(name + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

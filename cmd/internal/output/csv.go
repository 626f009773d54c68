package output

import (
	"bufio"
	"io"
	"strings"

	words "github.com/erphub/erphub/internal/text"
)

// writeCSV writes the table as RFC 4180 has it, with line feeds, and so that nothing
// is lost: line breaks within a text stay as they are, and where the table knows
// cells without a value, they differ from empty texts. Of a single column they do
// not, because readers skip an empty line.
func (t Table) writeCSV(to io.Writer, noFormulas bool) error {
	w := bufio.NewWriter(to)
	line := func(n int, cell func(int) (text string, null bool)) {
		for i := range n {
			if i > 0 {
				_ = w.WriteByte(',') // Flush tells
			}
			text, null := cell(i)
			if noFormulas {
				text = words.NoFormula(text)
			}
			if null && n > 1 {
				continue
			}
			if text == "" || strings.ContainsAny(text, "\",\r\n") || strings.TrimSpace(text) != text {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			_, _ = w.WriteString(text)
		}
		_ = w.WriteByte('\n')
	}
	line(len(t.Columns), func(i int) (string, bool) { return t.Columns[i].Name, false })
	for r, row := range t.Rows {
		line(len(t.Columns), func(i int) (string, bool) {
			text := cell(row, i)
			return text, text == "" && (t.Null == nil || t.Null(r, i))
		})
	}
	return w.Flush()
}

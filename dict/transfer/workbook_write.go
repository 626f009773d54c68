package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// WorkbookWriter writes a workbook with one worksheet, row by row. It is a
// [RowWriter].
type WorkbookWriter struct {
	z     *zip.Writer
	out   *bufio.Writer
	row   int
	cells bytes.Buffer
}

// workbookParts are those of a workbook besides its worksheet.
var workbookParts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	// The second format is that of days.
	{"xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`},
}

const xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// NewWorkbookWriter begins a workbook whose worksheet has a name, of which the first 31
// characters count.
func NewWorkbookWriter(w io.Writer, sheet string) (*WorkbookWriter, error) {
	z := zip.NewWriter(w)
	var name bytes.Buffer
	if err := xml.EscapeText(&name, []byte(sheetName(sheet))); err != nil {
		return nil, err
	}
	book := `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="` +
		name.String() + `" sheetId="1" r:id="rId1"/></sheets></workbook>`
	for _, p := range append(workbookParts[:len(workbookParts):len(workbookParts)], struct{ name, text string }{"xl/workbook.xml", book}) {
		f, err := z.Create(p.name)
		if err == nil {
			_, err = io.WriteString(f, xmlHeader+p.text)
		}
		if err != nil {
			return nil, fmt.Errorf("writing the workbook: %w", err)
		}
	}
	f, err := z.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, fmt.Errorf("writing the workbook: %w", err)
	}
	out := bufio.NewWriter(f)
	_, err = out.WriteString(xmlHeader + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	return &WorkbookWriter{z: z, out: out}, err
}

// sheetName is a name without what worksheets may not be called.
func sheetName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\'`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 31 {
		name = string(runes[:31])
	}
	return cmp.Or(name, "Sheet1")
}

// maxCell is how many characters a cell takes.
const maxCell = 32_767

// Row implements [RowWriter]. Numbers of more digits than a spreadsheet keeps are written
// as text.
func (w *WorkbookWriter) Row(cells []values.Cell) error {
	w.row++
	b := &w.cells
	b.Reset()
	fmt.Fprintf(b, `<row r="%d">`, w.row)
	for i, c := range cells {
		if c.Kind == values.Null || c.Text == "" {
			continue
		}
		at := columnName(i) + strconv.Itoa(w.row)
		switch {
		case c.Kind == values.Number && exact(c.Text):
			fmt.Fprintf(b, `<c r="%s"><v>%s</v></c>`, at, c.Text)
		case c.Kind == values.Date && isDay(c.Text):
			fmt.Fprintf(b, `<c r="%s" s="1"><v>%d</v></c>`, at, daysSince1900(c.Text))
		case c.Kind == values.Bool:
			n := 0
			if c.Text == "true" {
				n = 1
			}
			fmt.Fprintf(b, `<c r="%s" t="b"><v>%d</v></c>`, at, n)
		default:
			if n := len([]rune(c.Text)); n > maxCell {
				return fmt.Errorf("row %d: a text of %d characters does not fit into a cell, which takes %d; write CSV or NDJSON", w.row, n, maxCell)
			}
			fmt.Fprintf(b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">`, at)
			if err := xml.EscapeText(b, []byte(escape(c.Text))); err != nil {
				return err
			}
			b.WriteString(`</t></is></c>`)
		}
	}
	b.WriteString("</row>")
	_, err := w.out.Write(b.Bytes())
	return err
}

// isDay reports whether a text is a day that all spreadsheets count alike.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil && text >= "1900-03-01"
}

// daysSince1900 is a day as spreadsheets store it.
func daysSince1900(day string) int {
	t, _ := time.Parse(time.DateOnly, day) // isDay has read it
	return int((t.Unix() - time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC).Unix()) / 86400)
}

// exact reports whether a spreadsheet keeps all digits of a number.
func exact(number string) bool {
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(number), "0")
	if len(digits) > 15 || strings.ContainsAny(number, "eE") {
		return false
	}
	_, err := erp.ParseDecimal(number)
	return err == nil
}

// escape writes characters that XML does not have, and the underscore of what looks
// like one of them, or would with the escaped character behind it.
func escape(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == '_' || r == 0xfffe || r == 0xffff }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '_' && escapedStart().MatchString(s[i:min(i+6, len(s))]):
			b.WriteString("_x005F_")
		case r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff:
			fmt.Fprintf(&b, "_x%04X_", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Close implements [RowWriter].
func (w *WorkbookWriter) Close() error {
	if _, err := w.out.WriteString("</sheetData></worksheet>"); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.z.Close()
}

// Header implements [RowWriter].
func (w *WorkbookWriter) Header(names []string) error {
	cells := make([]values.Cell, len(names))
	for i, name := range names {
		cells[i].Text = name
	}
	return w.Row(cells)
}

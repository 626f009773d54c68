package report

import (
	"bytes"
	"fmt"
	"strings"
)

// The page: A4 landscape with a monospaced font, measured in points.
const (
	pageWidth  = 842
	pageHeight = 595
	margin     = 40
	fontSize   = 8
	leading    = 10
	titleSize  = 14
	perPage    = (pageHeight - 2*margin - 2*titleSize) / leading
)

// PDF is the table as a PDF 1.4 document.
func (t *Table) PDF() []byte {
	lines := t.lines()
	var pages [][]string
	for len(lines) > perPage {
		pages, lines = append(pages, lines[:perPage]), lines[perPage:]
	}
	pages = append(pages, lines)

	w := pdfWriter{}
	w.raw("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n")
	// Objects: 1 catalog, 2 page tree, 3 and 4 fonts, then two per page.
	kids := make([]string, len(pages))
	for i := range pages {
		kids[i] = fmt.Sprintf("%d 0 R", 5+2*i)
	}
	w.object("<< /Type /Catalog /Pages 2 0 R >>")
	w.object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(pages)))
	w.object("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>")
	w.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	for i, page := range pages {
		w.object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>",
			pageWidth, pageHeight, 6+2*i))
		content := t.page(page, i+1, len(pages))
		w.object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	return w.finish()
}

// page is the drawing of one page.
func (t *Table) page(lines []string, number, of int) string {
	var b strings.Builder
	y := pageHeight - margin - titleSize
	fmt.Fprintf(&b, "BT /F2 %d Tf %d %d Td (%s) Tj ET\n", titleSize, margin, y, pdfText(t.Title))
	fmt.Fprintf(&b, "BT /F1 %d Tf %d TL %d %d Td\n", fontSize, leading, margin, y-titleSize)
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", pdfText(line))
	}
	b.WriteString("ET\n")
	fmt.Fprintf(&b, "BT /F1 %d Tf %d %d Td (%d / %d) Tj ET", fontSize, pageWidth-2*margin, margin/2, number, of)
	return b.String()
}

// pdfText encodes text for a PDF string in WinAnsi; what that lacks becomes a
// question mark.
func pdfText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '(' || r == ')' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(byte(r))
		case r == '€':
			b.WriteString(`\200`)
		case r >= ' ' && r < 0x7F:
			b.WriteByte(byte(r))
		case r >= 0xA0 && r <= 0xFF:
			fmt.Fprintf(&b, `\%03o`, r)
		case r < ' ':
			b.WriteByte(' ')
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// pdfWriter numbers objects and remembers where they stand.
type pdfWriter struct {
	b       bytes.Buffer
	offsets []int
}

func (w *pdfWriter) raw(s string) { w.b.WriteString(s) }

func (w *pdfWriter) object(body string) {
	w.offsets = append(w.offsets, w.b.Len())
	fmt.Fprintf(&w.b, "%d 0 obj\n%s\nendobj\n", len(w.offsets), body)
}

// finish writes the cross-reference table.
func (w *pdfWriter) finish() []byte {
	start := w.b.Len()
	fmt.Fprintf(&w.b, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, at := range w.offsets {
		fmt.Fprintf(&w.b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&w.b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, start)
	return w.b.Bytes()
}

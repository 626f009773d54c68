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
	perPage    = (pageHeight - 2*margin) / leading
)

// PDF is the title and the rows, as text, in a PDF 1.4 document.
func (t *Table) PDF() []byte {
	lines := append([]string{t.Title, ""}, t.lines()...)
	pages := (len(lines) + perPage - 1) / perPage
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n%\xE2\xE3\xCF\xD3\n") // not only ASCII, so that nobody takes it for text
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages)
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>")
	for i := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>",
			pageWidth, pageHeight, len(offsets)+2)
		var text strings.Builder
		fmt.Fprintf(&text, "BT /F1 %d Tf %d TL %d %d Td\n", fontSize, leading, margin, pageHeight-margin)
		for _, line := range lines[i*perPage : min((i+1)*perPage, len(lines))] {
			fmt.Fprintf(&text, "(%s) Tj T*\n", pdfText(line))
		}
		text.WriteString("ET")
		object("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String())
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
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

// Package report writes a table of texts as PDF, HTML, CSV or an Excel
// workbook, as far as the embedded ERP's reports need it.
package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"strings"
)

// Table is the content of a report.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string // each as long as Header
}

// CSV is the table with its header as comma-separated values.
func (t *Table) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(t.Header); err != nil {
		return nil, err
	}
	if err := w.WriteAll(t.Rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// HTML is the table as a document.
func (t *Table) HTML() []byte {
	var b bytes.Buffer
	title := html.EscapeString(t.Title)
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html><head><meta charset=\"UTF-8\"><title>%s</title></head>\n<body>\n<h1>%s</h1>\n<table>\n", title, title)
	line := func(cell string, values []string) {
		b.WriteString("<tr>")
		for _, v := range values {
			fmt.Fprintf(&b, "<%s>%s</%s>", cell, html.EscapeString(v), cell)
		}
		b.WriteString("</tr>\n")
	}
	line("th", t.Header)
	for _, row := range t.Rows {
		line("td", row)
	}
	b.WriteString("</table>\n</body></html>\n")
	return b.Bytes()
}

// widths are the widths of the columns in characters, at most limit each.
func (t *Table) widths(limit int) []int {
	out := make([]int, len(t.Header))
	for i, h := range t.Header {
		out[i] = len([]rune(h))
	}
	for _, row := range t.Rows {
		for i, v := range row {
			if i < len(out) {
				out[i] = max(out[i], len([]rune(v)))
			}
		}
	}
	for i := range out {
		out[i] = min(out[i], limit)
	}
	return out
}

// lines are the rows as text with aligned columns.
func (t *Table) lines() []string {
	widths := t.widths(30)
	format := func(values []string) string {
		var b strings.Builder
		for i, w := range widths {
			v := ""
			if i < len(values) {
				v = values[i]
			}
			runes := []rune(strings.Map(func(r rune) rune {
				if r < ' ' {
					return ' '
				}
				return r
			}, v))
			if len(runes) > w {
				runes = runes[:w]
			}
			b.WriteString(string(runes))
			b.WriteString(strings.Repeat(" ", w-len(runes)+2))
		}
		return strings.TrimRight(b.String(), " ")
	}
	out := []string{format(t.Header), ""}
	for _, row := range t.Rows {
		out = append(out, format(row))
	}
	return out
}

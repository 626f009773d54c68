package app

import (
	"encoding/json"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/erphub/erphub/internal/text"
)

// printJSON writes v as the one JSON value of a command. A terminal gets it
// without what it would obey and JSON does not escape.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.data())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printTable writes rows under their headings for a person.
func (a *app) printTable(headings []string, rows [][]string) {
	t := table.NewWriter()
	t.SetOutputMirror(a.streams.Out)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = 0
	t.SetStyle(style)
	header := make(table.Row, len(headings))
	for i, h := range headings {
		header[i] = h
	}
	t.AppendHeader(header)
	for _, r := range rows {
		row := make(table.Row, len(r))
		for i, cell := range r {
			row[i] = printable(cell)
		}
		t.AppendRow(row)
	}
	t.Render()
}

// printable is text from elsewhere without what a terminal would obey.
func printable(s string) string { return text.Printable(s) }

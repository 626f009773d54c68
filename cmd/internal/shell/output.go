package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/internal/text"
)

// PrintJSON writes v as the one JSON value of a command. A terminal gets it
// without what it would obey and JSON does not escape.
func (sh *Shell) PrintJSON(v any) error {
	enc := json.NewEncoder(sh.Data())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// PrintTable writes rows under their headings for a person.
func (sh *Shell) PrintTable(headings []string, rows [][]string) {
	table := output.Table{Rows: rows}
	for _, h := range headings {
		table.Columns = append(table.Columns, output.Column{Name: h})
	}
	_, _ = (&output.Choice{Format: output.FormatTable}).Write(context.Background(), sh.Streams.Out, sh.screen(), nil, table) // Run tells
}

// Printable is text from elsewhere without what a terminal would obey.
func Printable(s string) string { return text.Printable(s) }

// YesNo is a flag in a table.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// OrDash is a text in a table, or - where there is none.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// printableWriter cleans text on its way to a terminal.
type printableWriter struct {
	to   io.Writer
	rest []byte // begin of a character that is not complete yet
}

func (w *printableWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-i:]) {
				end = len(text) - i
			}
			break
		}
	}
	if _, err := io.WriteString(w.to, Printable(string(text[:end]))); err != nil {
		return 0, err
	}
	w.rest = append([]byte(nil), text[end:]...)
	return len(p), nil
}

// Short is text for a cell of a table: one line of bounded length.
func Short(s string, longest int) string { return text.Shorten(text.OneLine(s), longest) }

// Note writes a remark for people on standard error.
func (sh *Shell) Note(format string, args ...any) {
	fmt.Fprintf(sh.Streams.Err, "erphub: %s\n", Printable(fmt.Sprintf(format, args...)))
}

// Data is standard output for data of others: as it is for programs, without
// what a terminal would obey on a terminal.
func (sh *Shell) Data() io.Writer {
	if Terminal(sh.Streams.Out) {
		return &printableWriter{to: sh.Streams.Out}
	}
	return sh.Streams.Out
}

package output

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/erphub/erphub/cmd/internal/export"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// RecordOptions configure [Choice.WriteRecords].
type RecordOptions struct {
	export.Options
	// Shown is a value for people, in [FormatVertical]; nil is as in CSV.
	Shown func(json.RawMessage) string
}

// WriteRecords writes records as they come, holding one at a time, and returns how
// many. Formats with tables are not among its formats, and jq and templates see one
// record at a time with [FormatNDJSON], else the whole list, which is held for that.
func (c *Choice) WriteRecords(ctx context.Context, w io.Writer, screen Screen, records iter.Seq2[erp.Record, error], opts *RecordOptions) (int, error) {
	switch {
	case c.Filtered() && c.Format == FormatNDJSON:
		return each(w, records, func(out io.Writer, _ int, rec erp.Record) error {
			raw, err := rec.MarshalJSON()
			if err != nil {
				return err
			}
			return c.writeOne(ctx, out, raw)
		})
	case c.Filtered():
		var whole bytes.Buffer
		n, err := export.Write(&whole, export.JSON, records, &opts.Options)
		if err != nil {
			return n, err
		}
		return n, c.writeOne(ctx, w, whole.Bytes())
	}
	switch c.Format {
	case FormatYAML:
		return writeYAMLRecords(w, records, opts.Total)
	case FormatName:
		return each(w, records, func(out io.Writer, _ int, rec erp.Record) error {
			return Table{Rows: [][]string{{nameOf(rec, opts.Columns)}}}.writeNames(out)
		})
	case FormatVertical:
		return each(w, records, func(out io.Writer, n int, rec erp.Record) error {
			return recordTable(rec, opts).writeVertical(out, screen, n)
		})
	}
	csv := opts.Options
	if c.NoFormulas {
		csv.Text = text.NoFormula
	}
	return export.Write(w, export.Format(c.Format), records, &csv)
}

// each writes records one by one; number is that of the record, from 1.
func each(w io.Writer, records iter.Seq2[erp.Record, error], write func(out io.Writer, number int, rec erp.Record) error) (n int, err error) {
	out := bufio.NewWriter(w)
	for rec, err := range records {
		if err == nil {
			err = write(out, n+1, rec)
		}
		if err == nil && n%100 == 99 {
			err = out.Flush()
		}
		if err != nil {
			_ = out.Flush() // what came before is written; the error is what matters
			return n, err
		}
		n++
	}
	return n, out.Flush()
}

// nameOf is what other commands take for the record: its key, or the first column
// that was named.
func nameOf(rec erp.Record, columns []string) string {
	if len(columns) == 0 {
		return rec.ID().String()
	}
	raw, _ := rec.Raw(columns[0])
	return export.Cell(raw, false)
}

// recordTable is a table of one record, of the columns named or all it has.
func recordTable(rec erp.Record, opts *RecordOptions) Table {
	names := opts.Columns
	if len(names) == 0 {
		names = rec.Columns()
	}
	shown := opts.Shown
	if shown == nil {
		shown = func(raw json.RawMessage) string { return export.Cell(raw, opts.Names) }
	}
	t := Table{Rows: [][]string{nil}}
	for _, name := range names {
		if name == "model-name" && len(opts.Columns) == 0 {
			continue
		}
		raw, _ := rec.Raw(name)
		t.Columns = append(t.Columns, Column{Name: name})
		t.Rows[0] = append(t.Rows[0], shown(raw))
	}
	return t
}

// writeYAMLRecords writes what [export.JSON] has, as YAML.
func writeYAMLRecords(w io.Writer, records iter.Seq2[erp.Record, error], total *int) (int, error) {
	n, err := each(w, records, func(out io.Writer, number int, rec erp.Record) error {
		raw, err := rec.MarshalJSON()
		if err != nil {
			return err
		}
		var item bytes.Buffer
		if err := writeYAML(&item, append(append([]byte("["), raw...), ']')); err != nil {
			return err
		}
		lead := ""
		if number == 1 {
			lead = "records:\n"
		}
		_, err = io.WriteString(out, lead+indented(item.String()))
		return err
	})
	if err != nil {
		return n, err
	}
	end := fmt.Sprintf("count: %d\n", n)
	if n == 0 {
		end = "records: []\n" + end
	}
	if total != nil {
		end += fmt.Sprintf("total: %d\n", *total)
	}
	_, err = io.WriteString(w, end)
	return n, err
}

// indented is a text whose lines begin with two more blanks.
func indented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line != "\n" {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}

package output

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// RecordOptions configure [Choice.WriteRecords].
type RecordOptions struct {
	// Columns are those of the result, in order. CSV needs them. A name in another
	// case finds its column in CSV, too.
	Columns []string
	// Names writes the names of references and lists instead of their keys.
	// CSV and [FormatVertical] only.
	Names bool
	// Total is the number of records there are altogether, when it is known;
	// JSON and YAML then tell it. nil leaves it out.
	Total *int
	// Unlisted is called once for each column that a record has and a CSV file
	// does not; nil ignores them.
	Unlisted func(column string)
	// Shown is a value for people, in [FormatVertical]; nil is as in CSV.
	Shown func(json.RawMessage) string
}

// WriteRecords writes records as they come, holding one at a time, and returns how
// many. It stops at the first error; the records before it are written then, one JSON
// value stays unfinished. Formats with tables are not among its formats, and jq and
// templates see one record at a time with [FormatNDJSON], else the whole list, which is
// held for that.
func (c *Choice) WriteRecords(ctx context.Context, w io.Writer, screen Screen, records iter.Seq2[erp.Record, error], opts *RecordOptions) (int, error) {
	switch {
	case c.Format == FormatNDJSON:
		return each(w, records, func(out io.Writer, _ int, rec erp.Record) error {
			raw, err := rec.MarshalJSON()
			if err != nil {
				return err
			}
			return c.writeOne(ctx, out, raw)
		})
	case c.Filtered():
		var whole bytes.Buffer
		n, err := writeJSONRecords(&whole, records, opts.Total)
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
	case FormatCSV:
		return c.writeCSVRecords(w, records, opts)
	}
	return writeJSONRecords(w, records, opts.Total)
}

// writeCSVRecords writes a line per record, under one that names the columns. A cell is
// the value as the ERP writes it: text as it is, numbers with all their digits, nothing
// for no value, JSON for what has members and is not a reference. Lines end with a line
// feed.
func (c *Choice) writeCSVRecords(w io.Writer, records iter.Seq2[erp.Record, error], opts *RecordOptions) (int, error) {
	known := map[string]bool{} // columns in small letters: those of the file, and those Unlisted was called for
	for _, name := range opts.Columns {
		known[strings.ToLower(name)] = true
	}
	var buffer bytes.Buffer // flushing a writer over out would flush out with each line
	lines := csv.NewWriter(&buffer)
	line := func(out io.Writer, cells []string) error {
		if len(cells) == 1 && cells[0] == "" { // an empty line would be skipped by readers
			_, err := io.WriteString(out, "\"\"\n")
			return err
		}
		for i := range cells {
			if c.NoFormulas {
				cells[i] = text.NoFormula(cells[i])
			}
		}
		buffer.Reset()
		_ = lines.Write(cells) // a buffer takes all
		lines.Flush()
		_, err := out.Write(buffer.Bytes())
		return err
	}
	if err := line(w, slices.Clone(opts.Columns)); err != nil {
		return 0, err
	}
	cells := make([]string, len(opts.Columns))
	return each(w, records, func(out io.Writer, _ int, rec erp.Record) error {
		for i, name := range opts.Columns {
			raw, _ := rec.Raw(name)
			cells[i] = Cell(raw, opts.Names)
		}
		for name := range rec.All() {
			if key := strings.ToLower(name); opts.Unlisted != nil && !known[key] {
				known[key] = true
				opts.Unlisted(name)
			}
		}
		return line(out, cells)
	})
}

// writeJSONRecords writes {"records":[…],"count":n,"total":m}, a record on a line.
func writeJSONRecords(w io.Writer, records iter.Seq2[erp.Record, error], total *int) (int, error) {
	if _, err := io.WriteString(w, `{"records":[`); err != nil {
		return 0, err
	}
	n, err := each(w, records, func(out io.Writer, number int, rec erp.Record) error {
		var line bytes.Buffer
		if number > 1 {
			line.WriteByte(',')
		}
		line.WriteByte('\n')
		raw, err := rec.MarshalJSON()
		if err == nil {
			err = json.Compact(&line, raw) // a server may break lines in its responses
		}
		if err == nil {
			_, err = out.Write(line.Bytes())
		}
		return err
	})
	if err != nil {
		return n, err
	}
	end := ""
	if total != nil {
		end = fmt.Sprintf(`,"total":%d`, *total)
	}
	_, err = fmt.Fprintf(w, "\n],\"count\":%d%s}\n", n, end)
	return n, err
}

// each writes records one by one; number is that of the record, from 1.
func each(w io.Writer, records iter.Seq2[erp.Record, error], write func(out io.Writer, number int, rec erp.Record) error) (n int, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
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
	return Cell(raw, false)
}

// recordTable is a table of one record, of the columns named or all it has.
func recordTable(rec erp.Record, opts *RecordOptions) Table {
	names := opts.Columns
	if len(names) == 0 {
		names = rec.Columns()
	}
	shown := opts.Shown
	if shown == nil {
		shown = func(raw json.RawMessage) string { return Cell(raw, opts.Names) }
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

// writeYAMLRecords writes what [writeJSONRecords] has, as YAML.
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

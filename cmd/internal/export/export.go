package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/erphub/erphub/erp"
)

// Format is how records are written.
type Format string

// The formats.
const (
	CSV    Format = "csv"
	NDJSON Format = "ndjson" // one JSON object per line
	JSON   Format = "json"   // {"records":[…],"count":n,"total":m}
)

// flushEvery bounds how many records wait before they are passed on.
const flushEvery = 100

// Options configure [Write].
type Options struct {
	// Columns are those of a CSV file, in order, and required for it. A name
	// in another case finds its column, too.
	Columns []string
	// Names writes the names of references and lists instead of their keys.
	// CSV only.
	Names bool
	// Text changes the text of every cell and heading. CSV only; nil changes nothing.
	Text func(string) string
	// Total is the number of records there are altogether, when it is known;
	// JSON then tells it. nil leaves it out.
	Total *int
	// Unlisted is called once for each column that a record has and a CSV file
	// does not; nil ignores them.
	Unlisted func(column string)
}

// Write writes the records and returns how many it wrote. It stops at the first
// error; the records before it are written then, the JSON value of [JSON] stays
// unfinished.
func Write(w io.Writer, format Format, records iter.Seq2[erp.Record, error], opts *Options) (int, error) {
	if opts == nil {
		opts = &Options{}
	}
	out := bufio.NewWriterSize(w, 64<<10)
	var f writer
	switch format {
	case CSV:
		if len(opts.Columns) == 0 {
			return 0, fmt.Errorf("a CSV file needs the names of its columns")
		}
		f = newCSV(out, opts)
	case NDJSON:
		f = &ndjson{out: out}
	case JSON:
		f = &oneJSON{out: out, total: opts.Total}
	default:
		return 0, fmt.Errorf("there is no format %q; use csv, ndjson or json", format)
	}
	n, err := write(out, f, records)
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	return n, err
}

// writer writes records in one format.
type writer interface {
	begin() error
	record(erp.Record) error
	end(count int) error
}

func write(out *bufio.Writer, f writer, records iter.Seq2[erp.Record, error]) (n int, err error) {
	if err := f.begin(); err != nil {
		return 0, err
	}
	for rec, err := range records {
		if err != nil {
			return n, err
		}
		if err := f.record(rec); err != nil {
			return n, fmt.Errorf("writing record %s: %w", rec.ID(), err)
		}
		if n++; n%flushEvery == 0 {
			if err := out.Flush(); err != nil {
				return n, err
			}
		}
	}
	return n, f.end(n)
}

// ndjson writes one object per line.
type ndjson struct {
	out  *bufio.Writer
	line bytes.Buffer
}

func (f *ndjson) begin() error    { return nil }
func (f *ndjson) end(_ int) error { return nil }

func (f *ndjson) record(rec erp.Record) error {
	f.line.Reset()
	raw, err := rec.MarshalJSON()
	if err == nil {
		err = json.Compact(&f.line, raw) // a server may break lines in its responses
	}
	if err != nil {
		return err
	}
	f.line.WriteByte('\n')
	_, err = f.out.Write(f.line.Bytes())
	return err
}

// oneJSON writes one object that holds all records, each on a line.
type oneJSON struct {
	out   *bufio.Writer
	line  bytes.Buffer
	begun bool
	total *int
}

func (f *oneJSON) begin() error {
	_, err := f.out.WriteString(`{"records":[`)
	return err
}

func (f *oneJSON) record(rec erp.Record) error {
	f.line.Reset()
	if f.begun {
		f.line.WriteByte(',')
	}
	f.line.WriteByte('\n')
	raw, err := rec.MarshalJSON()
	if err == nil {
		err = json.Compact(&f.line, raw)
	}
	if err != nil {
		return err
	}
	f.begun = true
	_, err = f.out.Write(f.line.Bytes())
	return err
}

func (f *oneJSON) end(count int) error {
	total := ""
	if f.total != nil {
		total = fmt.Sprintf(`,"total":%d`, *f.total)
	}
	_, err := fmt.Fprintf(f.out, "\n],\"count\":%d%s}\n", count, total)
	return err
}

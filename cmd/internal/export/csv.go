package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"

	"github.com/erphub/erphub/erp"
)

// csvFile writes a line per record.
type csvFile struct {
	w        io.Writer
	out      *csv.Writer // over w, empty between lines
	opts     *Options
	cells    []string
	listed   map[string]bool // columns of the file, in small letters
	reported map[string]bool
}

func newCSV(w io.Writer, opts *Options) *csvFile {
	f := &csvFile{
		w: w, out: csv.NewWriter(w), opts: opts, cells: make([]string, len(opts.Columns)),
		listed: map[string]bool{}, reported: map[string]bool{},
	}
	for _, c := range opts.Columns {
		f.listed[strings.ToLower(c)] = true
	}
	return f
}

func (f *csvFile) begin() error { return f.line(f.opts.Columns) }

func (f *csvFile) end(int) error { return nil }

// line writes one line. The buffer above is the one that is flushed by count,
// so that of encoding/csv is emptied into it at once.
func (f *csvFile) line(cells []string) error {
	if len(cells) == 1 && cells[0] == "" { // an empty line would be skipped by readers
		_, err := io.WriteString(f.w, "\"\"\n")
		return err
	}
	if f.opts.Text != nil {
		changed := make([]string, len(cells))
		for i, text := range cells {
			changed[i] = f.opts.Text(text)
		}
		cells = changed
	}
	err := f.out.Write(cells)
	f.out.Flush()
	if err == nil {
		err = f.out.Error()
	}
	return err
}

func (f *csvFile) record(rec erp.Record) error {
	for i, c := range f.opts.Columns {
		raw, _ := rec.Raw(c)
		f.cells[i] = Cell(raw, f.opts.Names)
	}
	if f.opts.Unlisted != nil {
		for name := range rec.All() {
			if key := strings.ToLower(name); !f.listed[key] && !f.reported[key] {
				f.reported[key] = true
				f.opts.Unlisted(name)
			}
		}
	}
	return f.line(f.cells)
}

// Cell is a value in one piece of text. Of a reference or a list it is the key,
// or the name when names is set and there is one.
func Cell(raw json.RawMessage, names bool) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text
		}
	case raw[0] == '{':
		if ref, ok := reference(raw); ok {
			if names && ref.Identifier != "" {
				return ref.Identifier
			}
			return ref.ID.String()
		}
		return compact(raw)
	case raw[0] == '[':
		return compact(raw)
	}
	return string(raw)
}

// reference reads a reference or a list value; an object with other members is
// a record that was put in its place, of which nothing must be lost.
func reference(raw json.RawMessage) (erp.Ref, bool) {
	rec, err := erp.ParseRecord(raw)
	if err != nil {
		return erp.Ref{}, false
	}
	for name := range rec.All() {
		switch name {
		case "id", "uid", "uuid", "identifier", "model-name", "propertyLabel":
		default:
			return erp.Ref{}, false
		}
	}
	var ref erp.Ref
	return ref, json.Unmarshal(raw, &ref) == nil
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

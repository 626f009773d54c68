package transfer

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"

	"github.com/erphub/erphub/dict/values"
)

// RowWriter writes a file row by row.
type RowWriter interface {
	// Header names the columns. It is called once, before the rows.
	Header(names []string) error
	// Row writes as many cells as there are columns.
	Row(cells []values.Cell) error
	// Close ends the file; what is below stays open.
	Close() error
}

// NewWriter writes text of a format to w.
func NewWriter(w io.Writer, format Format) (RowWriter, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	switch format {
	case CSV:
		return &csvWriter{out: out, comma: ','}, nil
	case TSV:
		return &csvWriter{out: out, comma: '\t'}, nil
	case NDJSON:
		return &jsonWriter{out: out}, nil
	case JSONList:
		return &jsonWriter{out: out, list: true}, nil
	}
	return nil, fmt.Errorf("there is no format %q; use csv, tsv, ndjson or json", format)
}

// csvWriter writes a line per row.
type csvWriter struct {
	out   *bufio.Writer
	comma rune
	texts []string
}

func (w *csvWriter) Header(names []string) error { return w.line(names) }

func (w *csvWriter) Row(cells []values.Cell) error {
	w.texts = w.texts[:0]
	for _, c := range cells {
		w.texts = append(w.texts, c.Text)
	}
	return w.line(w.texts)
}

func (w *csvWriter) line(texts []string) error {
	if len(texts) == 1 && texts[0] == "" { // an empty line would be skipped by readers
		_, err := w.out.WriteString("\"\"\n")
		return err
	}
	line := csv.NewWriter(w.out)
	line.Comma = w.comma
	if err := line.Write(texts); err != nil {
		return err
	}
	line.Flush()
	return line.Error()
}

func (w *csvWriter) Close() error { return w.out.Flush() }

// jsonWriter writes an object per line. What has no value is null.
type jsonWriter struct {
	out   *bufio.Writer
	list  bool
	names [][]byte
	begun bool
	line  bytes.Buffer
}

func (w *jsonWriter) Header(names []string) error {
	for _, name := range names {
		text, err := json.Marshal(name)
		if err != nil {
			return err
		}
		w.names = append(w.names, text)
	}
	if w.list {
		return w.out.WriteByte('[')
	}
	return nil
}

func (w *jsonWriter) Row(cells []values.Cell) error {
	b := &w.line
	b.Reset()
	if w.list {
		if w.begun {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	w.begun = true
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, c := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(w.names[i])
		b.WriteByte(':')
		if err := enc.Encode(asJSON(c)); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line break
	}
	b.WriteByte('}')
	if !w.list {
		b.WriteByte('\n')
	}
	_, err := w.out.Write(b.Bytes())
	return err
}

func (w *jsonWriter) Close() error {
	if w.list {
		if _, err := w.out.WriteString("\n]\n"); err != nil {
			return err
		}
	}
	return w.out.Flush()
}

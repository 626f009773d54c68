package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/values"
)

// jsonReader reads objects: one after another (NDJSON), or those of a list, which
// may be the member "records" of an object.
type jsonReader struct {
	in     *lineCounter
	closer io.Closer
	dec    *json.Decoder
	list   bool // the objects are those of a list
	begun  bool
	ended  bool
	seen   map[string]bool
}

func newJSON(in io.ReadCloser, list bool) *jsonReader {
	r := &jsonReader{in: &lineCounter{in: in}, closer: in, list: list, seen: map[string]bool{}}
	return r
}

func (r *jsonReader) Close() error { return r.closer.Close() }

// Header implements [Reader].
func (r *jsonReader) Header() ([]string, error) { return nil, r.begin() }

func (r *jsonReader) begin() error {
	if r.begun {
		return nil
	}
	r.begun = true
	if err := r.in.begin(); err != nil {
		return err
	}
	r.dec = json.NewDecoder(r.in)
	r.dec.UseNumber()
	if !r.list {
		return nil
	}
	first, err := r.dec.Token()
	if errors.Is(err, io.EOF) {
		return wrongFile(0, "it is empty; it must be a list of objects")
	}
	if err != nil {
		return r.wrong(err)
	}
	if first == json.Delim('{') { // {"records":[…]} as exports write it
		name, err := r.dec.Token()
		if err != nil {
			return r.wrong(err)
		}
		if name != "records" {
			return wrongFile(r.line(), `it must be a list of objects, or {"records":[…]}; a file with one object per line is NDJSON`)
		}
		if first, err = r.dec.Token(); err != nil {
			return r.wrong(err)
		}
	}
	if first != json.Delim('[') {
		return wrongFile(r.line(), "it must be a list of objects, such as [{\"Name\":\"Joe\"}]")
	}
	return nil
}

func (r *jsonReader) line() int { return r.in.lineAt(r.dec.InputOffset()) }

// wrong is an error of the decoder with its place.
func (r *jsonReader) wrong(err error) error {
	var wrong *FileError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return wrongFile(r.in.lines, "it ends in the middle of a value; was it cut short?")
	case errors.As(err, &syntax):
		return wrongFile(r.in.lineAt(r.dec.InputOffset()), "it is not JSON: %v", err)
	}
	return err
}

// Next implements [Reader].
func (r *jsonReader) Next() (Row, error) {
	if err := r.begin(); err != nil {
		return Row{}, err
	}
	if r.ended {
		return Row{}, io.EOF
	}
	if r.list && !r.dec.More() {
		if _, err := r.dec.Token(); err != nil {
			return Row{}, r.wrong(err)
		}
		r.ended = true
		return Row{}, io.EOF
	}
	r.in.from = r.dec.InputOffset()
	var raw json.RawMessage
	err := r.dec.Decode(&raw)
	if errors.Is(err, io.EOF) && !r.list {
		r.ended = true
		return Row{}, io.EOF
	}
	if err != nil {
		return Row{}, r.wrong(err)
	}
	line := r.in.lineAt(r.dec.InputOffset() - int64(len(raw)))
	r.in.passed(r.dec.InputOffset())
	if len(raw) > maxRow {
		return Row{}, wrongFile(line, "the object is longer than %d MiB", maxRow>>20)
	}
	return r.row(line, raw)
}

// row takes an object apart.
func (r *jsonReader) row(line int, raw json.RawMessage) (Row, error) {
	row := Row{Line: line}
	if raw[0] != '{' {
		what := "a value"
		if raw[0] == '[' {
			what = "a list"
		}
		return Row{}, wrongFile(line, "there is %s where an object is expected; each record is an object such as {\"Name\":\"Joe\"}", what)
	}
	if !utf8.Valid(raw) {
		return Row{}, wrongFile(line, "the object is not UTF-8; save the file as UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return Row{}, wrongFile(line, "it is not JSON: %v", err)
	}
	clear(r.seen)
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return Row{}, wrongFile(line, "it is not JSON: %v", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Row{}, wrongFile(line, "it is not JSON: %v", err)
		}
		member, _ := name.(string)
		if r.seen[member] {
			row.Err = fmt.Errorf("the member %q is there twice", member)
		}
		if r.seen[member] = true; len(row.Cells) == maxColumns {
			return Row{}, wrongFile(line, "the object has more than %d members", maxColumns)
		}
		row.Names = append(row.Names, member)
		row.Cells = append(row.Cells, values.CellOf(value))
	}
	return row, nil
}

// lineCounter passes a file on and knows on which line a byte of it is, of those
// that a decoder may still ask about.
type lineCounter struct {
	in     io.Reader
	offset int64 // bytes passed on
	lines  int   // line of the next byte
	from   int64 // where the value that is read begins at the earliest

	breaks []int64 // offsets of line breaks not passed yet
	first  int     // line of the bytes before the first of them
}

func (c *lineCounter) begin() error {
	c.lines, c.first = 1, 1
	start := make([]byte, 8)
	n, err := io.ReadFull(c.in, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	start = start[:n]
	if err := checkEncoding(start); err != nil {
		return err
	}
	c.in = io.MultiReader(bytes.NewReader(bytes.TrimPrefix(start, byteOrderMark)), c.in)
	return nil
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.breaks = append(c.breaks, c.offset+int64(i))
			c.lines++
		}
	}
	c.offset += int64(n)
	if c.offset-c.from > maxRow+1<<20 { // the decoder holds all of a value
		return n, wrongFile(c.lineAt(c.from), "the object is longer than %d MiB", maxRow>>20)
	}
	return n, err
}

// lineAt is the line of a byte.
func (c *lineCounter) lineAt(offset int64) int {
	line := c.first
	for _, b := range c.breaks {
		if b >= offset {
			break
		}
		line++
	}
	return line
}

// passed says that nobody will ask about bytes before the offset.
func (c *lineCounter) passed(offset int64) {
	n := 0
	for n < len(c.breaks) && c.breaks[n] < offset {
		n++
	}
	c.first += n
	c.breaks = append(c.breaks[:0], c.breaks[n:]...)
}

package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/internal/text"
)

// csvReader reads CSV as RFC 4180 has it, with any delimiter. Unlike encoding/csv
// it keeps the line breaks inside of values as they are, bounds what it reads, and
// goes on behind a row with too many values.
type csvReader struct {
	in        *bufio.Reader
	closer    io.Closer
	delimiter byte
	line      int // of what is read next
	header    []string

	value  []byte
	cells  []values.Cell
	quoted bool // the value that was read was in quotes
}

// newCSV begins to read. The delimiter 0 is found in the first line.
func newCSV(in io.ReadCloser, delimiter byte) *csvReader {
	return &csvReader{in: bufio.NewReaderSize(in, 256<<10), closer: in, delimiter: delimiter, line: 1}
}

func (r *csvReader) Close() error { return r.closer.Close() }

// Header implements [Reader].
func (r *csvReader) Header() ([]string, error) {
	if r.header != nil {
		return r.header, nil
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	row, err := r.row()
	if errors.Is(err, io.EOF) {
		return nil, wrongFile(0, "it is empty; the first line must name the columns")
	}
	if err != nil {
		return nil, err
	}
	r.header = make([]string, len(row.Cells))
	for i, c := range row.Cells {
		r.header[i] = strings.TrimSpace(c.Text)
	}
	return r.header, nil
}

// begin looks at the first bytes.
func (r *csvReader) begin() error {
	start, err := r.in.Peek(r.in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := checkEncoding(start); err != nil {
		return err
	}
	if bytes.HasPrefix(start, byteOrderMark) {
		_, _ = r.in.Discard(len(byteOrderMark)) // they were peeked at
		start = start[len(byteOrderMark):]
	}
	if r.delimiter == 0 {
		if r.delimiter, err = findDelimiter(start); err != nil {
			return err
		}
	}
	return nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// checkEncoding refuses by its first bytes what is not a text in UTF-8.
func checkEncoding(start []byte) error {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return wrongFile(0, "it is UTF-16; save it as UTF-8 (in Excel: CSV UTF-8)")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return wrongFile(0, "it is a workbook or another archive, not text; give it the extension .xlsx, or name its format")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return wrongFile(0, "it is compressed with gzip; decompress it first")
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")):
		return wrongFile(0, "it is a workbook of an old kind (.xls); save it as .xlsx or CSV UTF-8")
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return wrongFile(0, "it is a PDF, not a table")
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("<")):
		return wrongFile(1, "it begins with <, as HTML and XML do; save it as CSV UTF-8 or .xlsx")
	}
	return nil
}

// delimiters are those that are looked for, the likeliest first.
const delimiters = ",;\t|"

// findDelimiter is the delimiter of the first line: the one that is in it outside
// of quotes. Several are not guessed about. A line without any is one column.
func findDelimiter(start []byte) (byte, error) {
	inside := false
	found := []byte(nil)
line:
	for _, c := range start {
		switch {
		case c == '"':
			inside = !inside
		case inside:
		case c == '\n' || c == '\r':
			break line
		case strings.IndexByte(delimiters, c) >= 0 && bytes.IndexByte(found, c) < 0:
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		return ',', nil
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, c := range found {
		names[i] = fmt.Sprintf("%q", string(c))
	}
	return 0, wrongFile(1, "the first line has %s in it; say which one is the delimiter", strings.Join(names, " and "))
}

// Next implements [Reader].
func (r *csvReader) Next() (Row, error) {
	header, err := r.Header()
	if err != nil {
		return Row{}, err
	}
	for {
		row, err := r.row()
		if err != nil {
			return Row{}, err
		}
		switch {
		case len(row.Cells) == 1 && row.Cells[0].Text == "" && !r.quoted:
			continue // an empty line
		case len(row.Cells) != len(header):
			row.Err = fmt.Errorf("the line has %d values, and the header has %d columns; put values with %q, quotes or line breaks in quotes",
				len(row.Cells), len(header), string(r.delimiter))
		}
		return row, nil
	}
}

// row reads one line of values.
func (r *csvReader) row() (Row, error) {
	row := Row{Line: r.line}
	r.cells = r.cells[:0]
	size := 0
	for {
		end, err := r.readValue(row.Line)
		if errors.Is(err, io.EOF) {
			if len(r.cells) == 0 && len(r.value) == 0 && !r.quoted {
				return Row{}, io.EOF
			}
			end, err = true, nil
		}
		if err != nil {
			return Row{}, err
		}
		if at := text.Invalid(r.value); at != "" {
			return Row{}, wrongFile(row.Line, "value %d holds %s; save the file as UTF-8 (in Excel: CSV UTF-8)", len(r.cells)+1, at)
		}
		if size += len(r.value); size > maxRow {
			return Row{}, wrongFile(row.Line, "the row is longer than %d MiB; is a quote missing?", maxRow>>20)
		}
		if len(r.cells) == maxColumns {
			return Row{}, wrongFile(row.Line, "there are more than %d columns", maxColumns)
		}
		r.cells = append(r.cells, values.Cell{Text: string(r.value)})
		if end {
			row.Cells = r.cells
			return row, nil
		}
	}
}

// readValue reads one value into r.value, and reports whether the line ends behind
// it.
func (r *csvReader) readValue(line int) (end bool, err error) {
	r.value, r.quoted = r.value[:0], false
	c, err := r.in.ReadByte()
	if err != nil {
		return false, err
	}
	if c == '"' {
		r.quoted = true
		return r.readQuoted(line)
	}
	for {
		switch c {
		case r.delimiter:
			return false, nil
		case '\n':
			r.line++
			return true, nil
		case '\r':
			if next, err := r.in.Peek(1); err != nil || next[0] == '\n' {
				_, _ = r.in.Discard(1) // it was peeked at, or there is nothing
			}
			r.line++
			return true, nil
		}
		if r.value = append(r.value, c); len(r.value) > maxField {
			return false, wrongFile(line, "value %d is longer than %d MiB", len(r.cells)+1, maxField>>20)
		}
		if c, err = r.in.ReadByte(); err != nil {
			return false, err
		}
	}
}

// readQuoted reads a value behind its opening quote.
func (r *csvReader) readQuoted(line int) (end bool, err error) {
	begun := r.line
	for {
		c, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return false, wrongFile(begun, "the quote before value %d has no end", len(r.cells)+1)
		}
		if err != nil {
			return false, err
		}
		if c != '"' {
			if c == '\n' {
				r.line++
			}
			if r.value = append(r.value, c); len(r.value) > maxField {
				return false, wrongFile(begun, "value %d is longer than %d MiB; does its quote have an end?", len(r.cells)+1, maxField>>20)
			}
			continue
		}
		switch c, err = r.in.ReadByte(); {
		case err != nil:
			return false, err // the value ends with the file
		case c == '"':
			r.value = append(r.value, '"')
		case c == r.delimiter:
			return false, nil
		case c == '\n':
			r.line++
			return true, nil
		case c == '\r':
			if next, err := r.in.Peek(1); err != nil || next[0] == '\n' {
				_, _ = r.in.Discard(1) // it was peeked at, or there is nothing
			}
			r.line++
			return true, nil
		default:
			return false, wrongFile(r.line, "value %d goes on behind its closing quote; write a quote inside of a value twice", len(r.cells)+1)
		}
	}
}

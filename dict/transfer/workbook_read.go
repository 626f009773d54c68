package transfer

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// sheetReader reads the rows of a worksheet.
type sheetReader struct {
	w      *workbook
	part   io.Closer
	closer io.Closer
	dec    *xml.Decoder

	header []string
	last   int // number of the row that was read
	ended  bool
}

// Close implements [Reader].
func (r *sheetReader) Close() error { return errors.Join(r.part.Close(), r.closer.Close()) }

// Header implements [Reader].
func (r *sheetReader) Header() ([]string, error) {
	if r.header != nil {
		return r.header, nil
	}
	_, cells, err := r.row()
	if errors.Is(err, io.EOF) {
		return nil, wrongFile(0, "the worksheet is empty; its first row must name the columns")
	}
	if err != nil {
		return nil, err
	}
	r.header = make([]string, len(cells))
	for i, c := range cells {
		r.header[i] = strings.TrimSpace(c.Text)
	}
	return r.header, nil
}

// Next implements [Reader].
func (r *sheetReader) Next() (Row, error) {
	header, err := r.Header()
	if err != nil {
		return Row{}, err
	}
	line, cells, err := r.row()
	if err != nil {
		return Row{}, err
	}
	row := Row{Line: line}
	if len(cells) > len(header) {
		row.Err = fmt.Errorf("column %s has a value and no heading over it", columnName(len(cells)-1))
	}
	for len(cells) < len(header) {
		cells = append(cells, values.Cell{Kind: values.Null})
	}
	row.Cells = cells
	return row, nil
}

// row reads the next row with a value. Its cells end with the last that has one.
func (r *sheetReader) row() (line int, cells []values.Cell, err error) {
	for !r.ended {
		token, err := r.dec.RawToken()
		if errors.Is(err, io.EOF) {
			return 0, nil, wrongFile(0, "the worksheet ends in the middle; was the file cut short?")
		}
		if err != nil {
			return 0, nil, notXML("of the worksheet", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				line, cells, err := r.readRow(t)
				if err != nil || len(cells) > 0 {
					return line, cells, err
				}
			case "mergeCell":
				return 0, nil, wrongFile(0, "the cells %s are merged, so all but the first are empty; unmerge them", attribute(t, "ref"))
			}
		case xml.EndElement:
			r.ended = t.Name.Local == "worksheet"
		}
	}
	return 0, nil, io.EOF
}

func (r *sheetReader) readRow(start xml.StartElement) (int, []values.Cell, error) {
	r.last++
	if n, err := strconv.Atoi(attribute(start, "r")); err == nil && n > 0 {
		r.last = n
	}
	var cells []values.Cell
	next := 0
	for {
		token, err := r.dec.RawToken()
		if err != nil {
			return 0, nil, notXML("of the worksheet", endless(err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			at := next
			if ref := attribute(t, "r"); ref != "" {
				if at = columnIndex(ref); at < 0 {
					return 0, nil, wrongFile(r.last, "the worksheet puts a cell at %q, which names no place; save it again with a spreadsheet program", ref)
				}
			}
			if at >= maxColumns {
				return 0, nil, wrongFile(r.last, "there are more than %d columns", maxColumns)
			}
			cell, err := r.readCell(t)
			if err != nil {
				return 0, nil, err
			}
			for len(cells) <= at {
				cells = append(cells, values.Cell{Kind: values.Null})
			}
			cells[at], next = cell, at+1
		case xml.EndElement:
			if t.Name.Local == "row" {
				return r.last, withoutEmptyEnd(cells), nil
			}
		}
	}
}

func endless(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func withoutEmptyEnd(cells []values.Cell) []values.Cell {
	for len(cells) > 0 && (cells[len(cells)-1].Kind == values.Null || cells[len(cells)-1] == values.Cell{}) {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// readCell reads one cell behind its start.
func (r *sheetReader) readCell(start xml.StartElement) (values.Cell, error) {
	kind, style := attribute(start, "t"), attribute(start, "s")
	var text strings.Builder
	inText, phonetic, formula, saved := false, false, false, false
	for {
		token, err := r.dec.RawToken()
		if err != nil {
			return values.Cell{}, notXML("of the worksheet", endless(err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				inText, saved = true, true
			case "t":
				inText = !phonetic
			case "rPh":
				phonetic = true
			case "f":
				formula = true
			}
		case xml.CharData:
			if inText {
				text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inText = false
			case "rPh":
				phonetic = false
			case "c":
				if formula && !saved {
					return values.Cell{Kind: values.Fault, Text: "a formula without a saved value"}, nil
				}
				return r.cell(kind, style, text.String())
			}
		}
	}
}

// cell makes a value of what a cell holds.
func (r *sheetReader) cell(kind, style, text string) (values.Cell, error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= len(r.w.shared) {
			return values.Cell{}, wrongFile(r.last, "a cell has the shared text %q, which the workbook does not have; save it again in a spreadsheet", text)
		}
		return values.Cell{Text: r.w.shared[n]}, nil
	case "inlineStr", "str":
		return values.Cell{Text: unescape(text)}, nil
	case "b":
		return values.Cell{Kind: values.Bool, Text: strconv.FormatBool(strings.TrimSpace(text) == "1")}, nil
	case "e":
		return values.Cell{Kind: values.Fault, Text: text}, nil
	case "d":
		return values.Cell{Kind: values.Date, Text: dateOfCell(strings.TrimSpace(text))}, nil
	}
	return r.w.number(style, strings.TrimSpace(text)), nil
}

// dateOfCell is the day, or the moment without a zone, that a cell of dates says. Writers
// add fractions, and a zone that the sheet does not have.
func dateOfCell(text string) string {
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"} {
		t, err := time.Parse(form, text)
		switch {
		case err != nil:
		case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
			return t.Format(time.DateOnly)
		default:
			return t.Format("2006-01-02T15:04:05")
		}
	}
	return text
}

// number makes a value of a number, which is a date by its style.
func (w *workbook) number(style, text string) values.Cell {
	if text == "" {
		return values.Cell{Kind: values.Null}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return values.Cell{Kind: values.Fault, Text: text}
	}
	if s, err := strconv.Atoi(style); err == nil && s >= 0 && s < len(w.dates) && w.dates[s] {
		return w.date(n)
	}
	return values.Cell{Kind: values.Number, Text: strconv.FormatFloat(n, 'f', -1, 64)}
}

// date is the day and time that a number of days stands for.
func (w *workbook) date(days float64) values.Cell {
	fault := values.Cell{Kind: values.Fault, Text: strconv.FormatFloat(days, 'f', -1, 64) + " as a date"}
	if days < 0 || days >= 2_958_466 { // behind the year 9999
		return fault
	}
	seconds := int64(math.Round(days * 86400))
	if seconds < 86400 && days != 0 {
		return values.Cell{Text: time.Unix(seconds, 0).UTC().Format("15:04:05")}
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case w.from04:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days >= 60 && days < 61, days < 1: // the 29th of February 1900, which never was, and no day
		return fault
	case days < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	at := epoch.AddDate(0, 0, int(seconds/86400)).Add(time.Duration(seconds%86400) * time.Second)
	if seconds%86400 == 0 {
		return values.Cell{Kind: values.Date, Text: at.Format("2006-01-02")}
	}
	return values.Cell{Kind: values.Date, Text: at.Format("2006-01-02T15:04:05")}
}

// columnIndex is the place of a cell such as AB12, from 0, below 0 for none.
func columnIndex(ref string) int {
	n := 0
	for i := 0; i < len(ref); i++ {
		c := ref[i]
		switch {
		case c >= 'A' && c <= 'Z' && i < 4:
			n = n*26 + int(c-'A') + 1
		case c >= '0' && c <= '9' && i > 0:
			return n - 1
		default:
			return -1
		}
	}
	return -1
}

func columnName(index int) string {
	name := ""
	for index++; index > 0; index = (index - 1) / 26 {
		name = string(rune('A'+(index-1)%26)) + name
	}
	return name
}

// escaped is how a workbook writes characters that XML does not have, escapedStart
// all of that but the underscore at its end.
var (
	escaped      = lazyregexp.New(`_x[0-9A-Fa-f]{4}_`)
	escapedStart = lazyregexp.New(`^_x[0-9A-Fa-f]{4}`)
)

func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escaped().ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseUint(m[2:6], 16, 16)
		if err != nil || n >= 0xd800 && n < 0xe000 {
			return m
		}
		return string(rune(n))
	})
}

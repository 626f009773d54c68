package erp

import (
	"fmt"
	"math"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// Paging is the server's information about the page and the whole result.
type Paging struct {
	Rows  int    // records that match, over all pages; -1 if the server does not say
	Pages int    // pages of that size, at least 1
	Size  int    // effective page size: $top after the server's cap, 0 without a cap
	Skip  int    // records before this page, as requested
	Count int    // records of this page, those that SQLWithout leaves out included
	SQL   string // the statement, if Query.ShowSQL requested it
}

// Page is one page of records.
type Page struct {
	Paging
	Records []Record
}

// More reports whether records follow after this page.
func (p *Page) More() bool {
	return len(p.Records) > 0 && (p.Rows < 0 || p.Skip+len(p.Records) < p.Rows)
}

// envelope is a response with a list in it, split but not decoded.
type envelope struct {
	Paging
	list     []byte // the list itself
	hasList  bool
	hasSkip  bool
	hasCount bool
}

// countOf sets the number of records where the server does not say it.
func (p *Paging) countOf(e *envelope, records int) {
	if !e.hasCount {
		p.Count = records
	}
}

// parseEnvelope splits the response to a record query.
func parseEnvelope(data []byte) (envelope, error) {
	outer, err := ParseRecord(data)
	if err != nil {
		return envelope{}, err
	}
	e := envelope{Paging: Paging{Rows: -1}}
	for _, f := range outer.fields {
		value := f.Value(outer.raw)
		switch string(f.Name(outer.raw)) {
		case "row-count":
			e.Rows, err = intMember(f.Name(outer.raw), value)
		case "page-count":
			e.Pages, err = intMember(f.Name(outer.raw), value)
		case "records-size":
			e.Size, err = intMember(f.Name(outer.raw), value)
		case "skip-records":
			e.hasSkip = true
			e.Skip, err = skipMember(value)
		case "array-count":
			e.hasCount = true
			e.Count, err = intMember(f.Name(outer.raw), value)
		case "sql-command":
			e.SQL, _ = jsonscan.Text(value)
		case "records":
			e.list, e.hasList = value, true
		}
		if err != nil {
			return envelope{}, err
		}
	}
	return e, nil
}

func intMember(name, value []byte) (int, error) {
	number, ok := Decimal(value).Int64()
	if !ok || number < 0 || number > 1<<53 {
		return 0, fmt.Errorf("%s of the page is %s, not a count: %w", name, quote(string(value)), ErrBadResponse)
	}
	return int(number), nil
}

// skipMember reads how many records are before the page: the server gives back the
// number of the request, be it below 0.
func skipMember(value []byte) (int, error) {
	if len(value) > 1 && value[0] == '-' {
		skip, err := intMember([]byte("skip-records"), value[1:])
		return -skip, err
	}
	return intMember([]byte("skip-records"), value)
}

// parseRecords splits a list of records. All share one index.
func parseRecords(list []byte) ([]Record, error) {
	if uint64(len(list)) > math.MaxUint32 {
		return nil, fmt.Errorf("a list of %d bytes is too large: %w", len(list), ErrBadResponse)
	}
	s := jsonscan.Scanner{Data: list}
	s.Space()
	if !s.Byte('[') {
		return nil, fmt.Errorf("records must be a JSON list, this is %s: %w", kindOf(list), ErrBadResponse)
	}
	type span struct{ start, end, first, last int }
	var spans []span
	fields := make([]jsonscan.Field, 0, min(4+len(list)/40, 1<<14))
	s.Space()
	if !s.Byte(']') {
		for {
			start, first := s.Pos, len(fields)
			var ok bool
			if fields, ok = s.Fields(fields); !ok {
				return nil, fmt.Errorf("read record %d: %w: %w", len(spans)+1, s.Err(), ErrBadResponse)
			}
			if spans == nil {
				spans = make([]span, 0, min(1+len(list)/(s.Pos-start), 1<<14))
			}
			spans = append(spans, span{start, s.Pos, first, len(fields)})
			s.Space()
			if s.Byte(',') {
				s.Space()
				continue
			}
			if s.Byte(']') {
				break
			}
			return nil, fmt.Errorf("read record %d: %w: %w", len(spans), s.Err(), ErrBadResponse)
		}
	}
	if !s.End() {
		return nil, fmt.Errorf("read records: %w: %w", s.Err(), ErrBadResponse)
	}
	records := make([]Record, len(spans))
	for i, sp := range spans {
		records[i] = Record{
			raw:    list[sp.start:sp.end:sp.end],
			fields: fields[sp.first:sp.last:sp.last],
		}
	}
	return records, nil
}

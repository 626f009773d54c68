package rawapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// page is one page of a list: what the API says beside the records, which are the
// only member that holds a list.
type page struct {
	records []json.RawMessage
	total   int // of all pages; -1: not said
	size    int // of a page, records that are left out counted; 0: not said
}

// listOf reads a page; an array is a list that has only one.
func listOf(text []byte) (*page, error) {
	var records []json.RawMessage
	if json.Unmarshal(text, &records) == nil {
		return &page{records: records, total: len(records)}, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, errors.New("the response is no JSON")
	}
	p := &page{total: -1}
	found := 0
	for _, raw := range object {
		if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
			if err := json.Unmarshal(raw, &p.records); err != nil {
				return nil, err
			}
			found++
		}
	}
	if found != 1 {
		return nil, errors.New("the response is not a list")
	}
	for name, into := range map[string]*int{"row-count": &p.total, "records-size": &p.size} {
		if n, err := strconv.Atoi(string(object[name])); err == nil {
			*into = n
		}
	}
	return p, nil
}

// readPage asks for a page.
func readPage(ctx context.Context, client *erp.Client, ask *request) (*page, error) {
	res, err := send(ctx, client, ask)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxJSON+1))
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	if len(text) > maxJSON {
		return nil, shell.Usagef("a page is longer than %d bytes; ask for fewer records with -f '$top=50'", maxJSON)
	}
	list, err := listOf(text)
	if err != nil {
		return nil, shell.Usagef("--paginate reads lists: %v; leave it out", err)
	}
	return list, nil
}

// pages prints the records of all pages as one array, page by page as they come,
// or what the expression selects of that array.
func (p *printer) pages(ctx context.Context, client *erp.Client, ask *request) error {
	out, done := io.Writer(p.a.Data()), func() error { return nil }
	var whole bytes.Buffer
	if p.filter != nil || p.path != "" {
		out = &whole
		done = func() error {
			if p.filter != nil {
				return p.filtered(ctx, whole.Bytes())
			}
			return p.save(&whole)
		}
	}
	skip, err := strconv.Atoi(cmp.Or(ask.query.Get("$skip"), "0"))
	if err != nil || skip < 0 {
		return shell.Usagef("$skip must be a number of records")
	}
	array, noted := arrayWriter{to: out}, false
	for {
		ask.query.Set("$skip", strconv.Itoa(skip))
		list, err := readPage(ctx, client, ask)
		if err != nil {
			return err
		}
		if err := array.add(list.records); err != nil {
			return err
		}
		read := max(len(list.records), list.size)
		if skip += read; list.total < 0 || skip >= list.total || read == 0 {
			break
		}
		if !noted && ask.query.Get("$orderby") == "" {
			p.a.Note("without an order a record may come twice, and another not at all; add -f '$orderby=Name,Value' or another order that is unique")
			noted = true
		}
	}
	if err := array.end(); err != nil {
		return err
	}
	return done()
}

// arrayWriter writes a JSON array, element by element as they come.
type arrayWriter struct {
	to io.Writer
	n  int // elements
}

func (w *arrayWriter) add(elements []json.RawMessage) error {
	for _, e := range elements {
		lead := ",\n"
		if w.n == 0 {
			lead = "["
		}
		if _, err := fmt.Fprintf(w.to, "%s%s", lead, e); err != nil {
			return err
		}
		w.n++
	}
	return nil
}

func (w *arrayWriter) end() error {
	end := "]\n"
	if w.n == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(w.to, end)
	return err
}

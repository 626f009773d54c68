package values

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// Why [FindRecord] found no record: what it was given is wrong. The texts of its errors
// say more.
var (
	ErrNone     = errors.New("no record has the name")
	ErrSeveral  = errors.New("several records have the name")
	ErrNameless = errors.New("records of the table are known by no name")
)

// notOne is an error about a name.
type notOne struct {
	error
	why error
}

func (n notOne) Unwrap() []error { return []error{n.error, n.why} }

// FindRecord finds the record that somebody means: by its number or UUID, which it does
// not look up, or by what a reference to it may say: search key, document number or name.
// COLUMN=VALUE says by which column. A deactivated record is found if no active one has
// the name. Options say which columns hold secrets. Errors about what was given are an
// [Error], one of those above, or [registry.ErrNotFound] for the table; [erp.ErrForbidden]
// is in that of a role that may not read it.
func FindRecord(ctx context.Context, client *erp.Client, dictionary Dictionary, table, known string, opts Options) (Value, error) {
	if id, err := erp.ParseID(known); err == nil {
		return Value{Plain: id.String()}, nil
	}
	column, value, by := strings.Cut(known, "=")
	switch {
	case table == "":
		return Value{}, wrong("%s names a record of no table; name the table, too", text.Quote(known))
	case strings.TrimSpace(known) == "", by && (column == "" || strings.TrimSpace(value) == ""):
		return Value{}, wrong("%s does not name a record: write a column and its value, such as DocumentNo=80000", text.Quote(known))
	}
	target := Target{Name: table, Type: dict.TypeSearch, Foreign: table}
	if by {
		target.By, known = column, value
	}
	if _, err := dictionary.Table(ctx, table); err != nil {
		return Value{}, err
	}
	opts.Inactive, opts.Advice.By = true, "COLUMN=VALUE"
	reader, err := New(client, dictionary, opts)
	if err != nil {
		return Value{}, err
	}
	s, err := reader.spec(ctx, &target)
	if err != nil {
		return Value{}, err
	}
	if len(s.Columns) == 0 && s.by == "" {
		return Value{}, notOne{wrong("records of %s are known by no name", table), ErrNameless}
	}
	return reader.meant(ctx, target, known)
}

// meant is the record that a text names.
func (r *Reader) meant(ctx context.Context, target Target, known string) (Value, error) {
	v, err := r.Read(ctx, target, Cell{Text: known})
	if err != nil {
		return Value{}, err
	}
	var problem error
	if err := r.Lookup(ctx, []*Value{&v}, func(_ *Value, e error) { problem = e }); err != nil {
		return Value{}, err
	}
	switch {
	case errors.Is(problem, ErrSeveral):
		return Value{}, problem
	case problem != nil:
		return Value{}, notOne{problem, ErrNone}
	}
	if _, err := erp.ParseID(v.Plain); err != nil {
		return Value{}, notOne{fmt.Errorf("the role may not look for records of %s by what they are called", target.Foreign), erp.ErrForbidden}
	}
	return v, nil
}

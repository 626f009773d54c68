package values

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// Why [FindRecord] found no record: what it was given is wrong. The texts of its errors
// say more.
var (
	ErrNone     = errors.New("no record has the name")
	ErrSeveral  = errors.New("several records have the name")
	ErrNameless = errors.New("records are known by no name") // the table has none, or the role may not read it
)

// notOne is an error about a name.
type notOne struct {
	error
	why error
}

func (n notOne) Is(target error) bool { return target == n.why }

// FindRecord finds the record that somebody means: by its number or UUID, which it does
// not look up, or by what a reference to it may say: search key, document number or name.
// COLUMN=VALUE says by which column. A deactivated record is found if no active one has
// the name. Errors about what was given are an [Error], or one of those above.
func FindRecord(ctx context.Context, client *erp.Client, dictionary Dictionary, table, known string) (Value, error) {
	if id, err := erp.ParseID(known); err == nil {
		return Value{Plain: id.String()}, nil
	}
	target := Target{Name: table, Type: dict.TypeSearch, Foreign: table}
	if column, value, ok := strings.Cut(known, "="); ok {
		if column == "" || value == "" {
			return Value{}, wrong("%q does not name a record: write a column and its value, such as DocumentNo=80000", known)
		}
		target.By, known = column, value
	}
	reader, err := New(client, dictionary, Options{Inactive: true, Advice: Advice{By: "COLUMN=VALUE"}})
	if err != nil {
		return Value{}, err
	}
	value, err := reader.Read(ctx, target, Cell{Text: known})
	if err == nil {
		var problem error
		if err = reader.Lookup(ctx, []*Value{&value}, func(_ *Value, e error) { problem = e }); err == nil {
			err = problem
		}
		if problem != nil && !errors.Is(problem, ErrSeveral) {
			err = notOne{problem, ErrNone}
		}
	}
	if err != nil {
		return Value{}, err
	}
	if _, err := erp.ParseID(value.Plain); err != nil {
		return Value{}, ErrNameless
	}
	return value, nil
}

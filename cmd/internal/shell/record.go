package shell

import (
	"context"
	"errors"

	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// FindRecord finds the record that an argument means; see [values.FindRecord]. For a role
// that does not see the dictionary, search key and name are all that it looks at.
func FindRecord(ctx context.Context, client *erp.Client, table, known string) (erp.ID, error) {
	value, err := values.FindRecord(ctx, client, values.NewDictionary(restdict.NewSource(client, nil)), table, known, values.Options{})
	if errors.Is(err, erp.ErrForbidden) {
		found, unknown := client.FindRef(ctx, erp.RefLookup{Table: table, Columns: []string{"Value", "Name"}}, known)
		var no *erp.RefError
		if unknown == nil || errors.As(unknown, &no) {
			return found.ID, Input(unknown)
		}
	}
	switch {
	case errors.Is(err, values.ErrNameless):
		return erp.ID{}, Usagef("%v: give the number or the UUID, which `erphub record list %s` shows", err, table)
	case err != nil:
		return erp.ID{}, Input(err)
	}
	return erp.ParseID(value.Plain)
}

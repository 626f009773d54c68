package shell

import (
	"context"
	"errors"

	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// FindRecord finds the record that an argument means; see [values.FindRecord].
func FindRecord(ctx context.Context, client *erp.Client, table, known string) (erp.ID, error) {
	value, err := values.FindRecord(ctx, client, values.NewDictionary(restdict.NewSource(client, nil)), table, known, values.Options{})
	switch {
	case errors.Is(err, values.ErrNameless):
		return erp.ID{}, Usagef("%v: give the number or the UUID, which `erphub record list %s` shows", err, table)
	case err != nil:
		return erp.ID{}, Input(err)
	}
	return erp.ParseID(value.Plain)
}

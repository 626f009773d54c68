package tools

import (
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// located is a record that the caller named.
type located struct {
	table  string // as the dictionary spells it
	id     erp.ID
	record erp.Record
}

// seen reads a record that the caller named.
func (b *Toolbox) seen(ctx context.Context, c *mcp.Call, table, key string) (*located, error) {
	t, err := b.table(ctx, c, table)
	if err != nil {
		return nil, err
	}
	at := &located{table: table}
	if t != nil {
		at.table = t.Name
	}
	known, err := b.meant(ctx, c, at.table, key)
	if err != nil {
		return nil, err
	}
	at.record, err = b.read(ctx, c, at.table, known.Plain)
	if errors.Is(err, erp.ErrNotFound) {
		return nil, noRecord(err, at.table, key)
	}
	if err != nil {
		return nil, err
	}
	if at.id, err = erp.ParseID(known.Plain); err != nil {
		at.id = at.record.ID()
	}
	return at, nil
}

// meant finds the key of a record that the caller named; see [values.FindRecord]. Nothing
// means nothing.
func (b *Toolbox) meant(ctx context.Context, c *mcp.Call, table, known string) (values.Value, error) {
	known = strings.TrimSpace(known)
	if _, err := erp.ParseID(known); err == nil || known == "" {
		return values.Value{Plain: known}, nil
	}
	reg, err := b.registry(ctx, c)
	var client *erp.Client
	asks := ctx
	if err == nil {
		asks, client, err = b.connect(ctx, c, "look records up by name")
	}
	if errors.Is(err, errors.ErrUnsupported) { // the backend looks by itself
		return values.Value{Plain: known}, nil
	}
	if err != nil {
		return values.Value{}, err
	}
	value, err := values.FindRecord(asks, client, callerDictionary{reg, ctx}, table, known, values.Options{Secret: aiquery.RedactsByName})
	switch {
	case errors.Is(err, values.ErrNone):
		err = because(err, mcp.CodeNotFound, findRecords)
	case errors.Is(err, values.ErrSeveral):
		err = because(err, mcp.CodeConflict, "nothing was done; "+findRecords)
	case errors.Is(err, erp.ErrForbidden):
		err = because(err, mcp.CodePermissionDenied, "explainAccess says why")
	case errors.Is(err, registry.ErrNotFound):
		err = fromDict(err)
	}
	return value, valueProblem("id", err)
}

// findRecords is what to do about a record that was not found.
const findRecords = "searchRecords and executeQuery find records by what is in them"

// noRecord is the error for a key that no record has.
func noRecord(err error, table, key string) error {
	return caused(err, mcp.CodeNotFound, findRecords, "there is no record %s in %s, or your role may not see it", clip(key, 60), table)
}

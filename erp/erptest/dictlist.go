package erptest

import (
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// dictionaryQuery reads active records of the dictionary, for the lists of
// windows, forms and the like.
type dictionaryQuery struct {
	table   string
	columns []string // shown of a record; nil for all
	filter  string   // $filter of the request
	where   string   // further condition
	args    []any
	orderBy string            // SQL
	access  engine.ObjectKind // what the role must have been granted, "" for nothing
}

// dictionaryRecord is a record of such a list: as it is stored, and as the API
// shows it in the session's language.
type dictionaryRecord struct {
	row    store.Row
	object *wire.Object
}

// dictionary reads the records a query finds and the role may see.
func (rd *reader) dictionary(ctx context.Context, q dictionaryQuery) ([]dictionaryRecord, error) {
	t, err := rd.tx.Table(ctx, q.table)
	if err != nil {
		return nil, err
	}
	cond, args, err := rd.filterSQL(t, q.filter)
	if err != nil {
		return nil, err
	}
	if cond, args, err = rd.condition(ctx, t, cond, args); err != nil {
		return nil, err
	}
	if q.where != "" {
		cond, args = cond+" AND ("+q.where+")", append(args, q.args...)
	}
	rows, err := rd.tx.Select(ctx, t, store.Selection{Where: cond, Args: args, OrderBy: q.orderBy})
	if err != nil {
		return nil, err
	}
	if q.access != "" {
		granted := rows[:0]
		for _, row := range rows {
			read, _, err := rd.c.session.ObjectAccess(ctx, rd.tx, q.access, row.Int(t.Name+"_ID"))
			if err != nil {
				return nil, err
			}
			if read {
				granted = append(granted, row)
			}
		}
		rows = granted
	}
	return rd.dictionaryObjects(ctx, t, rows, q.columns)
}

// dictionaryObjects renders rows with some of their columns, in the order of the
// dictionary.
func (rd *reader) dictionaryObjects(ctx context.Context, t *store.Table, rows []store.Row, names []string) ([]dictionaryRecord, error) {
	var columns []*store.Column
	if names != nil {
		columns = []*store.Column{}
		for _, col := range t.Columns {
			if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, col.Name) }) {
				columns = append(columns, col)
			}
		}
	}
	properties, err := rd.properties(ctx, t, columns)
	if err != nil {
		return nil, err
	}
	objects, err := rd.rowObjects(ctx, t, properties, rows)
	if err != nil {
		return nil, err
	}
	out := make([]dictionaryRecord, len(rows))
	for i, o := range objects {
		rd.finish(o, t)
		out[i] = dictionaryRecord{rows[i], o}
	}
	return out, nil
}

// objectsOf are the objects of the records, never nil.
func objectsOf(records []dictionaryRecord) []*wire.Object {
	out := make([]*wire.Object, len(records))
	for i, r := range records {
		out[i] = r.object
	}
	return out
}

// read runs fn in a reading transaction with a reader of its own.
func (c *call) read(fn func(ctx context.Context, rd *reader) error) error {
	ctx := c.ctx()
	return c.view(ctx, func(tx *store.Tx) error {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, rd)
	})
}

// listError gives the failures of a list the title and prefix it has for all
// of them; classified ones keep their status.
func listError(what string, err error) error {
	prefix := "Get " + what + " with exception: "
	err = readError(err)
	var api *apiError
	if asAPI(err, &api) {
		return fail(api.status, "GET Error", prefix+api.detail)
	}
	return titled("GET Error", prefix, err)
}

// singleError is listError for what is read by its id: classified failures
// keep their title too.
func singleError(what string, err error) error {
	var api *apiError
	if err = readErrorOf(err); asAPI(err, &api) {
		return err
	}
	return titled("GET Error", "Get "+what+" with exception: ", err)
}

// notNumber is the failure of an id that is not a number.
func notNumber(id string) error {
	return engine.PublicError("For input string: \"" + engine.JSONOf(id) + "\"")
}

// singleErrorOf is [singleError] as a function of the error.
func singleErrorOf(what string) func(error) error {
	return func(err error) error { return singleError(what, err) }
}

// ownOrSystem reports whether a record belongs to the session's tenant or to
// System.
func (c *call) ownOrSystem(row store.Row) bool {
	client := row.Int("AD_Client_ID")
	return client == 0 || client == c.session.ClientID
}

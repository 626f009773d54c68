package erptest

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// getModel answers GET /models/{table}/{id}.
func getModel(c *call) error { return c.readOne(c.readOptions(), "") }

// getProperty answers GET /models/{table}/{id}/{property}: the same object
// with one column.
func getProperty(c *call) error {
	opts := c.readOptions()
	opts.selects, opts.expand = "", ""
	return c.readOne(opts, c.param("property"))
}

// readOne answers with one record, or with one column of it.
func (c *call) readOne(opts readOptions, column string) error {
	ctx := c.ctx()
	var body *wire.Object
	err := c.view(ctx, func(tx *store.Tx) error {
		t, err := c.findTable(ctx, tx, c.param("table"), false)
		if err != nil {
			return err
		}
		body, err = c.one(ctx, tx, t, opts, column)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, body)
	return nil
}

func (c *call) one(ctx context.Context, tx *store.Tx, t *store.Table, opts readOptions, column string) (*wire.Object, error) {
	row, err := c.findRow(ctx, tx, t, c.param("id"))
	if err != nil {
		return nil, err
	}
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	w, err := rd.resolve(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	if column != "" {
		col, ok := t.Column(column)
		if !ok {
			return nil, fail(http.StatusNotFound, "Invalid property name", "No match found for column name: "+column)
		}
		if w.properties, err = rd.properties(ctx, t, []*store.Column{col}); err != nil {
			return nil, err
		}
	}
	statements := wire.NewObject()
	if opts.showSQL {
		key, arg := t.KeyColumn(), any(nil)
		if key == nil || row[key.Name] == nil {
			key = t.UUColumn()
		}
		where := ""
		if key != nil {
			arg = row[key.Name]
			where = store.Expr(t, key) + "=?"
		}
		sel := store.Selection{Where: where, Args: []any{arg}}
		statements.Set("sql-command", erpSQL(store.SelectSQL(t, sources(t, w.properties), sel)))
		for _, x := range w.expansions {
			x.addStatement(statements)
		}
		if opts.noData {
			return statements, nil
		}
	}
	objects, rows, err := rd.objects(ctx, t, w.properties, []store.Row{row})
	if err != nil {
		return nil, err
	}
	o := objects[0]
	rd.finish(o, t)
	if err := rd.expandInto(ctx, t, rows[0], o, w.expansions, 0); err != nil {
		return nil, err
	}
	if opts.showLabel {
		if err := rd.addLabels(ctx, t, rows[0], o, opts.labelColumns); err != nil {
			return nil, err
		}
	}
	for _, name := range statements.Names() {
		v, _ := statements.Get(name)
		o.Set(name, v)
	}
	return o, nil
}

// findTable is the table a path or an expansion names, provided that the role
// may read (or write) it.
func (c *call) findTable(ctx context.Context, tx *store.Tx, name string, write bool) (*store.Table, error) {
	t, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return nil, fail(http.StatusNotFound, "Invalid table name", "No match found for table name: "+name)
	}
	if err != nil {
		return nil, err
	}
	allowed := c.canRead
	if write {
		allowed = c.canWrite
	}
	ok, err := allowed(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fail(http.StatusForbidden, "Access denied", "Access denied for table: "+t.Name)
	}
	return t, nil
}

var uuidText = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// isRecordID tells whether a path segment can name a record: an integer or a
// UUID.
func isRecordID(id string) bool {
	_, err := strconv.ParseInt(id, 10, 32)
	return err == nil || uuidText.MatchString(id)
}

// findRow is the record of t with this id or UUID, with all columns, provided
// that it belongs to the session's tenant or to System and the role's row
// rules let it through.
func (c *call) findRow(ctx context.Context, tx *store.Tx, t *store.Table, id string) (store.Row, error) {
	notFound := fail(http.StatusNotFound, "Record not found", "No record found matching id: "+id)
	var where string
	var arg any
	if n, err := strconv.ParseInt(id, 10, 32); err == nil {
		key := t.KeyColumn()
		if key == nil {
			return nil, failf(http.StatusInternalServerError, "Wrong detail", "Table %s has no single key column, use the UUID of the record", t.Name)
		}
		where, arg = store.Expr(t, key)+"=?", n
	} else if uuidText.MatchString(id) {
		uu := t.UUColumn()
		if uu == nil {
			return nil, notFound
		}
		where, arg = store.Expr(t, uu)+"=?", id
	} else {
		return nil, failf(http.StatusBadRequest, "Request Error", "Wrong ID %s is not an UU value nor a valid integer ID", id)
	}
	rows, err := tx.Select(ctx, t, store.Selection{Where: where, Args: []any{arg}, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, notFound
	}
	if client := rows[0].Int("AD_Client_ID"); client != 0 && client != c.session.ClientID {
		return nil, notFound
	}
	access, args, err := c.rowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if access != "" {
		n, err := tx.Count(ctx, t, where+" AND ("+access+")", append([]any{arg}, args...)...)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, fail(http.StatusForbidden, "Access denied", "Access denied for record with id: "+id)
		}
	}
	if key := t.KeyColumn(); key != nil {
		c.srv.records.note(t.Name, rows[0].Int(key.Name), c.srv.now())
	}
	return rows[0], nil
}

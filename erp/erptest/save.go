package erptest

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// record is one row on its way into the database.
type record struct {
	table *store.Table
	old   store.Row // as it is stored; nil for a new record
	row   store.Row // as it will be stored; a NULL has no entry
	body  *wire.Object
}

func (r *record) isNew() bool { return r.old == nil }

// set changes a value; nil is NULL.
func (r *record) set(column string, v any) {
	if col, ok := r.table.Column(column); ok {
		column = col.Name
	} else {
		return
	}
	if v == nil {
		delete(r.row, column)
		return
	}
	r.row[column] = v
}

// has tells whether the column holds a value.
func (r *record) has(column string) bool {
	_, ok := r.row[column]
	return ok
}

// changed tells whether the column differs from what is stored.
func (r *record) changed(column string) bool {
	was, had := r.old[column]
	is, has := r.row[column]
	return had != has || !sameValue(was, is)
}

// named tells whether the request spoke of the column.
func (r *record) named(column string) bool {
	if r.body == nil {
		return false
	}
	_, ok := member(r.body, column)
	return ok
}

func sameValue(a, b any) bool {
	x, ok1 := a.([]byte)
	y, ok2 := b.([]byte)
	if ok1 || ok2 {
		return ok1 && ok2 && string(x) == string(y)
	}
	return a == b
}

// id is the record's single id, 0 when its table is keyed otherwise.
func (r *record) id() int64 {
	if key := r.table.KeyColumn(); key != nil {
		return r.row.Int(key.Name)
	}
	return 0
}

// uuid is the record's UUID, "" without one.
func (r *record) uuid() string {
	if uu := r.table.UUColumn(); uu != nil {
		return r.row.String(uu.Name)
	}
	return ""
}

// where is the condition that finds the stored record, by its columns before
// the change.
func (r *record) where() (string, []any, error) {
	row := r.old
	if row == nil {
		row = r.row
	}
	if key := r.table.KeyColumn(); key != nil {
		return store.Quote(key.Name) + "=?", []any{row.Int(key.Name)}, nil
	}
	if uu := r.table.UUColumn(); uu != nil && row.String(uu.Name) != "" {
		return store.Quote(uu.Name) + "=?", []any{row.String(uu.Name)}, nil
	}
	var parts []string
	var args []any
	for _, col := range r.table.Columns {
		if col.Parent || col.Key {
			parts, args = append(parts, store.Quote(col.Name)+"=?"), append(args, row[col.Name])
		}
	}
	if len(parts) == 0 {
		return "", nil, fmt.Errorf("table %s has neither key nor UUID", r.table.Name)
	}
	return strings.Join(parts, " AND "), args, nil
}

// save writes the record with everything the ERP does around it: references
// and mandatory columns are checked, the rules of its table run, stamps, ids
// and numbers are filled in, and the change is logged.
func (s *session) save(ctx context.Context, tx *store.Tx, r *record) error {
	if err := s.checkReferences(ctx, tx, r); err != nil {
		return err
	}
	rules := rulesOf(r.table)
	if rules.before != nil {
		if err := rules.before(ctx, s, tx, r); err != nil {
			return err
		}
	}
	if err := s.checkMandatory(r); err != nil {
		return err
	}
	if !r.isNew() && !r.dirty() {
		return nil // nothing to write: Updated stays as it is
	}
	if err := s.complete(ctx, tx, r); err != nil {
		return err
	}
	if err := checkValues(r); err != nil {
		return err
	}
	if err := checkUniqueKeys(ctx, tx, r); err != nil {
		return err
	}
	if err := write(ctx, tx, r); err != nil {
		return publicWriteError(r, err)
	}
	if err := s.keepTranslations(ctx, tx, r); err != nil {
		return err
	}
	if err := s.logChange(ctx, tx, r); err != nil {
		return err
	}
	if rules.after != nil {
		return rules.after(ctx, s, tx, r)
	}
	return nil
}

// beforeSave applies the rules that complete a record before it is saved.
// What they have against it does not count yet.
func (s *session) beforeSave(ctx context.Context, tx *store.Tx, r *record) error {
	rules := rulesOf(r.table)
	if rules.before == nil {
		return nil
	}
	row := maps.Clone(r.row)
	if err := tx.Savepoint(ctx, func() error { return rules.before(ctx, s, tx, r) }); err != nil {
		r.row = row
		return ctx.Err()
	}
	return nil
}

// dirty tells whether any stored column changes.
func (r *record) dirty() bool {
	for _, col := range r.table.Columns {
		if !col.IsVirtual() && r.changed(col.Name) {
			return true
		}
	}
	return false
}

// write stores the row.
func write(ctx context.Context, tx *store.Tx, r *record) error {
	if r.isNew() {
		row := store.Row{}
		for _, col := range r.table.Columns {
			if v, ok := r.row[col.Name]; ok && !col.IsVirtual() {
				row[col.Name] = v
			}
		}
		return tx.Insert(ctx, r.table, row)
	}
	change := store.Row{}
	for _, col := range r.table.Columns {
		if !col.IsVirtual() && r.changed(col.Name) {
			change[col.Name] = r.row[col.Name] // nil is NULL
		}
	}
	where, args, err := r.where()
	if err != nil {
		return err
	}
	_, err = tx.Set(ctx, r.table, change, where, args...)
	return err
}

// reread reads the stored record again, virtual columns included.
func (r *record) reread(ctx context.Context, tx *store.Tx) (store.Row, error) {
	current := &record{table: r.table, row: r.row}
	where, args, err := current.where()
	if err != nil {
		return nil, err
	}
	return tx.One(ctx, r.table, where, args...)
}

// insertRow saves a new record made by the server itself, such as the access
// rows of a new window. Columns that are absent get their defaults.
func (s *session) insertRow(ctx context.Context, tx *store.Tx, table string, row store.Row) (*record, error) {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	r := &record{table: t, row: store.Row{}}
	for name, v := range row {
		r.set(name, v)
	}
	if err := s.fillDefaults(ctx, tx, r, nil); err != nil {
		return nil, err
	}
	return r, s.save(ctx, tx, r)
}

// changeRow saves changes of one record made by the server itself; nil is
// NULL.
func (s *session) changeRow(ctx context.Context, tx *store.Tx, t *store.Table, old, change store.Row) (*record, error) {
	r := &record{table: t, old: old, row: store.Row{}}
	for name, v := range old {
		r.row[name] = v
	}
	for name, v := range change {
		r.set(name, v)
	}
	return r, s.save(ctx, tx, r)
}

package engine

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Record is one row on its way into the database.
type Record struct {
	Table *store.Table
	Old   store.Row // as it is stored; nil for a new record
	Row   store.Row // as it will be stored; a NULL has no entry
	Body  *wire.Object

	refused map[string]refusal // by column: what is wrong with its value of the request
}

// IsNew reports whether the record is not stored yet.
func (r *Record) IsNew() bool { return r.Old == nil }

// Set changes a value; nil is NULL.
func (r *Record) Set(column string, v any) {
	if col, ok := r.Table.Column(column); ok {
		column = col.Name
	} else {
		return
	}
	if v == nil {
		delete(r.Row, column)
		return
	}
	r.Row[column] = v
}

// take gives the record what a row has in some columns.
func (r *Record) take(from store.Row, columns ...string) {
	for _, name := range columns {
		r.Set(name, from[name])
	}
}

// SetAll changes the values of some columns.
func (r *Record) SetAll(values store.Row) {
	for name, v := range values {
		r.Set(name, v)
	}
}

// Has reports whether the column holds a value.
func (r *Record) Has(column string) bool {
	_, ok := r.Row[column]
	return ok
}

// changed reports whether the column differs from what is stored.
func (r *Record) changed(column string) bool {
	was, had := r.Old[column]
	is, has := r.Row[column]
	return had != has || !SameValue(was, is)
}

// named reports whether the request spoke of the column.
func (r *Record) named(column string) bool {
	if r.Body == nil {
		return false
	}
	_, ok := Member(r.Body, column)
	return ok
}

// SameValue reports whether two stored values are equal.
func SameValue(a, b any) bool {
	x, ok1 := a.([]byte)
	y, ok2 := b.([]byte)
	if ok1 || ok2 {
		return ok1 && ok2 && string(x) == string(y)
	}
	return a == b
}

// ID is the record's single id, 0 when its table is keyed otherwise.
func (r *Record) ID() int64 {
	if key := r.Table.KeyColumn(); key != nil {
		return r.Row.Int(key.Name)
	}
	return 0
}

// UUID is the record's UUID, "" without one.
func (r *Record) UUID() string {
	if uu := r.Table.UUColumn(); uu != nil {
		return r.Row.String(uu.Name)
	}
	return ""
}

// Where is the condition that finds the stored record, by its columns before
// the change.
func (r *Record) Where() (string, []any, error) {
	row := r.Old
	if row == nil {
		row = r.Row
	}
	if key := r.Table.KeyColumn(); key != nil {
		return sqlquote.Name(key.Name) + "=?", []any{row.Int(key.Name)}, nil
	}
	if uu := r.Table.UUColumn(); uu != nil && row.String(uu.Name) != "" {
		return sqlquote.Name(uu.Name) + "=?", []any{row.String(uu.Name)}, nil
	}
	var parts []string
	var args []any
	for _, col := range r.Table.Columns {
		if col.Parent || col.Key {
			parts, args = append(parts, sqlquote.Name(col.Name)+"=?"), append(args, row[col.Name])
		}
	}
	if len(parts) == 0 {
		return "", nil, fmt.Errorf("table %s has neither key nor UUID", r.Table.Name)
	}
	return strings.Join(parts, " AND "), args, nil
}

// Save writes the record with everything the ERP does around it: references
// and mandatory columns are checked, the rules of its table run, stamps, ids
// and numbers are filled in, and the change is logged.
func (s *Session) Save(ctx context.Context, tx *store.Tx, r *Record) error {
	if err := s.checkReferences(ctx, tx, r); err != nil {
		return err
	}
	_, err := s.save(ctx, tx, r, s.checkMandatory)
	return err
}

// SaveImported writes a record of a package archive as any other, except that
// mandatory columns which the archive leaves out are the database's business, and
// that references are the caller's: see [Session.MissingReference]. It tells
// whether anything was written.
func (s *Session) SaveImported(ctx context.Context, tx *store.Tx, r *Record) (changed bool, err error) {
	return s.save(ctx, tx, r, checkUUIDs)
}

func (s *Session) save(ctx context.Context, tx *store.Tx, r *Record, check func(*Record) error) (changed bool, err error) {
	if !r.IsNew() && r.Body != nil && !r.dirty() {
		return false, nil // nothing to write: values that were not assigned do not count
	}
	if err := s.checkRefused(ctx, tx, r); err != nil {
		return false, err
	}
	rules := rulesOf(r.Table)
	if rules.before != nil {
		if err := rules.before(ctx, s, tx, r); err != nil {
			return false, err
		}
	}
	if err := check(r); err != nil {
		return false, err
	}
	if !r.IsNew() && !r.dirty() {
		return false, nil // nothing to write: Updated stays as it is
	}
	if err := s.complete(ctx, tx, r); err != nil {
		return false, err
	}
	if err := checkValues(r); err != nil {
		return false, err
	}
	if err := checkUniqueKeys(ctx, tx, r); err != nil {
		return false, err
	}
	if err := write(ctx, tx, r); err != nil {
		return false, publicWriteError(r, err)
	}
	if err := s.keepTranslations(ctx, tx, r); err != nil {
		return false, err
	}
	if err := s.logChange(ctx, tx, r); err != nil {
		return false, err
	}
	if rules.after != nil {
		return true, rules.after(ctx, s, tx, r)
	}
	return true, nil
}

// dirty reports whether any stored column changes.
func (r *Record) dirty() bool {
	for _, col := range r.Table.Columns {
		if !col.IsVirtual() && r.changed(col.Name) {
			return true
		}
	}
	return false
}

// write stores the row.
func write(ctx context.Context, tx *store.Tx, r *Record) error {
	if r.IsNew() {
		row := store.Row{}
		for _, col := range r.Table.Columns {
			if v, ok := r.Row[col.Name]; ok && v != "" && !col.IsVirtual() { // the ERP keeps no empty texts
				row[col.Name] = v
			}
		}
		return tx.Insert(ctx, r.Table, row)
	}
	change := store.Row{}
	for _, col := range r.Table.Columns {
		if !col.IsVirtual() && r.changed(col.Name) {
			change[col.Name] = r.Row[col.Name] // nil is NULL
			if change[col.Name] == "" {
				change[col.Name] = nil
			}
		}
	}
	where, args, err := r.Where()
	if err != nil {
		return err
	}
	_, err = tx.Set(ctx, r.Table, change, where, args...)
	return err
}

// Reread reads the stored record again, virtual columns included.
func (r *Record) Reread(ctx context.Context, tx *store.Tx) (store.Row, error) {
	current := &Record{Table: r.Table, Row: r.Row}
	where, args, err := current.Where()
	if err != nil {
		return nil, err
	}
	return tx.One(ctx, r.Table, where, args...)
}

// InsertRow saves a new record made by the server itself, such as the access
// rows of a new window. Columns that are absent get their defaults.
func (s *Session) InsertRow(ctx context.Context, tx *store.Tx, table string, row store.Row) (*Record, error) {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	r := &Record{Table: t, Row: store.Row{}}
	r.SetAll(row)
	if err := s.FillDefaults(ctx, tx, r); err != nil {
		return nil, err
	}
	return r, s.Save(ctx, tx, r)
}

// ChangeRow saves changes of one record made by the server itself; nil is
// NULL.
func (s *Session) ChangeRow(ctx context.Context, tx *store.Tx, table string, old, change store.Row) error {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return err
	}
	r := &Record{Table: t, Old: old, Row: maps.Clone(old)}
	r.SetAll(change)
	return s.Save(ctx, tx, r)
}

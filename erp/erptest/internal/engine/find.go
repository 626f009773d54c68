package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// FormatID writes an id in digits.
func FormatID(id int64) string { return strconv.FormatInt(id, 10) }

// FindTable is the table of that name, provided that the role may read (or
// write) it.
func (s *Session) FindTable(ctx context.Context, tx *store.Tx, name string, write bool) (*store.Table, error) {
	t, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return nil, Refuse(NotFound, "Invalid table name", "No match found for table name: "+name)
	}
	if err != nil {
		return nil, err
	}
	if write && !s.Role.CanWrite(t) || !write && !s.Role.CanRead(t) {
		return nil, Refuse(Denied, "Access denied", "Access denied for table: "+name)
	}
	if t.IsView {
		if there, err := tx.ViewExists(ctx, t.Name); err != nil || !there {
			return nil, errors.Join(err, Refuse(NotFound, "Invalid table name", "The dictionary has the view "+t.Name+", the database has not"))
		}
	}
	return t, nil
}

var uuidText = lazyregexp.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// IsUUID reports whether text is a UUID.
func IsUUID(text string) bool { return uuidText().MatchString(text) }

// IsRecordID reports whether text can name a record: an integer or a UUID.
func IsRecordID(id string) bool {
	_, err := strconv.ParseInt(id, 10, 32)
	return err == nil || IsUUID(id)
}

// FindRow is the record of t with this id or UUID, with all columns, provided
// that it belongs to the session's tenant or to System and the role's row
// rules let it through. A tenant's record is missing to other tenants, and
// denied to System.
func (s *Session) FindRow(ctx context.Context, tx *store.Tx, t *store.Table, id string) (store.Row, error) {
	notFound := Refuse(NotFound, "Record not found", "No record found matching id: "+id)
	col, arg, err := recordColumn(t, id)
	if err != nil {
		return nil, err
	}
	if col == nil {
		return nil, notFound
	}
	where := store.Expr(t, col) + "=?"
	rows, err := tx.Select(ctx, t, store.Selection{Where: where, Args: []any{arg}, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, notFound
	}
	denied := Refuse(Denied, "Access denied", "Access denied for record with id: "+id)
	if client := rows[0].Int("AD_Client_ID"); client != 0 && client != s.ClientID {
		if s.ClientID == 0 {
			return nil, denied // System finds the records of all tenants
		}
		return nil, notFound
	}
	access, args, err := s.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if access != "" {
		n, err := tx.Count(ctx, t, where+" AND ("+access+")", append([]any{arg}, args...)...)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, denied
		}
	}
	if key := t.KeyColumn(); key != nil {
		s.ERP.Records.note(t.Name, rows[0].Int(key.Name), s.ERP.Now())
	}
	return rows[0], nil
}

// recordColumn is the column of t that an id or UUID is looked for in, nil for none, and
// its value.
func recordColumn(t *store.Table, id string) (*store.Column, any, error) {
	n, err := strconv.ParseInt(id, 10, 32)
	switch keys := t.KeyColumns(); {
	case err != nil && IsUUID(id):
		return t.UUColumn(), id, nil
	case err != nil:
		return nil, nil, wrongID(id)
	case len(keys) != 1:
		return nil, nil, NoSingleKey(t.Name)
	case keys[0].Kind() != store.KindInteger:
		return nil, nil, PublicError("Records of " + t.Name + " are not found by numbers")
	default:
		return keys[0], n, nil
	}
}

// wrongID refuses what is neither a number nor a UUID.
func wrongID(id string) error {
	return refusef(Invalid, "Request Error", "Wrong ID %s is not an UU value nor a valid integer ID", id)
}

// NoSingleKey is the refusal of a number for a record of a table that has none, or
// more than one, to find records by.
func NoSingleKey(table string) error {
	return refusef(Failed, "Wrong detail", "Cannot expand to the detail table because it has none or more than one primary key: %s", table)
}

// OneRow is the record of a table with that key, nil when there is none.
func OneRow(ctx context.Context, tx *store.Tx, table string, id int64) (store.Row, error) {
	return FirstRow(ctx, tx, table, "", sqlquote.Name(table+"_ID")+"=?", id)
}

// RowsWhere are the records of a table a condition finds, none when the
// dictionary does not know the table.
func RowsWhere(ctx context.Context, tx *store.Tx, table, orderBy, where string, args ...any) ([]store.Row, error) {
	t, err := tx.Table(ctx, table)
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return tx.Select(ctx, t, store.Selection{Where: where, Args: args, OrderBy: orderBy})
}

// FirstRow is the first of the records that [RowsWhere] finds, nil if there is none.
func FirstRow(ctx context.Context, tx *store.Tx, table, orderBy, where string, args ...any) (store.Row, error) {
	rows, err := RowsWhere(ctx, tx, table, orderBy, where, args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// ExistingTable is a table that both dictionary and database have, else nil.
func ExistingTable(ctx context.Context, tx *store.Tx, find func() (*store.Table, error)) (*store.Table, error) {
	t, err := find()
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ok, err := tx.TableExists(ctx, t.Name)
	if err != nil || !ok {
		return nil, err
	}
	return t, nil
}

// NamedTable is the table of that name, nil unless both dictionary and database have it.
func NamedTable(ctx context.Context, tx *store.Tx, name string) (*store.Table, error) {
	return ExistingTable(ctx, tx, func() (*store.Table, error) { return tx.Table(ctx, name) })
}

// LookUpIDs runs a select of ids.
func LookUpIDs(ctx context.Context, tx *store.Tx, query string, args ...any) ([]int64, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("looking up what a log-in names: %w", err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("looking up what a log-in names: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

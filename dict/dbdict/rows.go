package dbdict

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/erphub/erphub/dict/registry"
)

// rows hands over the rows of one table that meet its conditions, or that have
// changed since the time it is given, and tells the state that they make.
func (s *Source) rows(ctx context.Context, db *session, table int, t registry.SourceTable, has columns, sink registry.Sink) (state, error) {
	where, args, exact := s.where(t, has)
	if at, ok := s.changedAt(has); ok && t.Since != 0 {
		from := t.Since - late
		if t.Settled {
			from = t.Since + 1
		}
		where = fmt.Sprintf(" WHERE %s >= %d", at, from*1000)
	}
	var st state
	sel := s.selection(t, has)
	query := "SELECT " + strings.Join(sel.list, ", ") + " FROM " + s.name(t.Name) + where
	err := db.query(ctx, query, args, sel, func() error {
		if !exact && !t.Meets(sel.row) {
			return nil
		}
		st.add(sel.micros)
		return sink.Row(table, sel.row)
	})
	return st, err
}

// query runs a statement and calls each for every row of it, which is in
// sel.row then.
func (db *session) query(ctx context.Context, query string, args []any, sel *selection, each func() error) error {
	native := false
	err := db.conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return nil
		}
		native = true
		return queryNative(ctx, c.Conn(), query, args, sel, each)
	})
	if native || err != nil {
		return err
	}
	return querySQL(ctx, db.tx, query, args, sel, each)
}

// querySQL is query by any driver.
func querySQL(ctx context.Context, tx *sql.Tx, query string, args []any, sel *selection, each func() error) (err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	got, into := make([]any, len(sel.list)), make([]any, len(sel.list))
	blanks := make([]bool, len(sel.list)) // CHAR(n), filled with blanks
	for i := range got {
		into[i] = &got[i]
		blanks[i] = types[i].DatabaseTypeName() == "BPCHAR"
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, v := range got {
			if text, ok := v.(string); ok && blanks[i] {
				v = strings.TrimRight(text, " ")
			}
			if err := sel.set(i, v); err != nil {
				return err
			}
		}
		if err := each(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// queryNative is query by PostgreSQL's own driver: values are taken from the
// bytes that the server sends, without one made of each in between.
func queryNative(ctx context.Context, c *pgx.Conn, query string, args []any, sel *selection, each func() error) error {
	rows, err := c.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.TextFormatCode}}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	blanks := make([]bool, len(sel.list)) // CHAR(n), filled with blanks
	for i, f := range rows.FieldDescriptions() {
		blanks[i] = f.DataTypeOID == pgtype.BPCharOID
	}
	for rows.Next() {
		for i, raw := range rows.RawValues() {
			if blanks[i] {
				raw = trimBlanks(raw)
			}
			if err := sel.setBytes(i, raw); err != nil {
				return err
			}
		}
		if err := each(); err != nil {
			return err
		}
	}
	return rows.Err()
}

func trimBlanks(raw []byte) []byte {
	for len(raw) > 0 && raw[len(raw)-1] == ' ' {
		raw = raw[:len(raw)-1]
	}
	return raw
}

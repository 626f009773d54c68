package dbdict

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/erphub/erphub/dict/registry"
)

// rows calls take for the rows of one table that meet its conditions, or that have
// changed since the time it is given, each in sel.row then, and tells the state that
// they make.
func (s *Source) rows(ctx context.Context, db *session, t registry.SourceTable, has columns, sel *selection, take func() error) (state, error) {
	where, args, exact := s.where(t, has)
	if at, ok := s.changedAt(has); ok && t.Since != 0 {
		from := t.Since - late
		if t.Settled {
			from = t.Since + 1
		}
		where = fmt.Sprintf(" WHERE %s >= %d", at, from*1000)
	}
	var st state
	query := "SELECT " + strings.Join(sel.list, ", ") + " FROM " + s.name(t.Name) + where
	err := db.query(ctx, query, args, sel, func() error {
		if !exact && !t.Meets(sel.row) {
			return nil
		}
		st.add(sel.micros)
		return take()
	})
	return st, err
}

// query runs a statement and calls each for every row of it, which is in
// sel.row then.
func (db *session) query(ctx context.Context, query string, args []any, sel *selection, each func() error) error {
	return db.conn.Raw(func(conn any) error {
		switch c := conn.(type) {
		case *stdlib.Conn:
			return queryNative(ctx, c.Conn(), query, args, sel, each)
		case driver.QueryerContext:
			return queryDriver(ctx, c, query, args, sel, each)
		}
		return fmt.Errorf("the driver (%T) has no QueryContext", conn)
	})
}

// queryDriver is query by any driver. Values are taken from it as they are: made
// into others by database/sql in between they cost a tenth more.
func queryDriver(ctx context.Context, c driver.QueryerContext, query string, args []any, sel *selection, each func() error) (err error) {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := c.QueryContext(ctx, query, named)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	types, _ := rows.(driver.RowsColumnTypeDatabaseTypeName)
	got := make([]driver.Value, len(sel.list))
	blanks := make([]bool, len(sel.list)) // CHAR(n), filled with blanks
	for i := range got {
		blanks[i] = types != nil && types.ColumnTypeDatabaseTypeName(i) == "BPCHAR"
	}
	for {
		switch err := rows.Next(got); {
		case errors.Is(err, io.EOF):
			return ctx.Err()
		case err != nil:
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

package ddl

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Querier is the database that [ReadTable] reads: a *sql.DB, a *sql.Conn or a *sql.Tx.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// ReadTable reads what a PostgreSQL database has of a table, from the database's
// own catalog. It does not fail if the table is not there, see [Actual.Missing].
func ReadTable(ctx context.Context, db Querier, schema, table string) (*Actual, error) {
	a := &Actual{Table: table}
	fail := func(err error) (*Actual, error) {
		return nil, fmt.Errorf("read table %s of the database: %w", table, err)
	}
	var oid int64
	var kind string
	err := db.QueryRowContext(ctx, `SELECT c.oid::bigint, c.relkind::text FROM pg_catalog.pg_class c
		JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`, schema, strings.ToLower(table)).Scan(&oid, &kind)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		a.Missing = true
		return a, nil
	case err != nil:
		return fail(err)
	}
	a.View = kind == "v" || kind == "m"
	err = each(ctx, db, `SELECT a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
			COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, oid, func(rows *sql.Rows) error {
		var c ActualColumn
		err := rows.Scan(&c.Name, &c.Type, &c.NotNull, &c.Default)
		c.Type = shortType(c.Type)
		a.Columns = append(a.Columns, c)
		return err
	})
	if err != nil {
		return fail(err)
	}
	err = each(ctx, db, `SELECT k.conname::text, a.attname::text, t.relname::text, f.attname::text,
			CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' ELSE '' END
		FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.confrelid
		JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
		JOIN pg_catalog.pg_attribute f ON f.attrelid = k.confrelid AND f.attnum = k.confkey[1]
		WHERE k.conrelid = $1 AND k.contype = 'f' AND array_length(k.conkey, 1) = 1 ORDER BY k.conname`, oid, func(rows *sql.Rows) error {
		var k ActualKey
		err := rows.Scan(&k.Name, &k.Column, &k.Target, &k.TargetColumn, &k.Delete)
		a.Keys = append(a.Keys, k)
		return err
	})
	if err != nil {
		return fail(err)
	}
	err = each(ctx, db, `SELECT c.relname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = $1 ORDER BY c.relname`, oid, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		a.Indexes = append(a.Indexes, name)
		return err
	})
	if err != nil {
		return fail(err)
	}
	return a, nil
}

func each(ctx context.Context, db Querier, query string, oid int64, do func(*sql.Rows) error) (err error) {
	rows, err := db.QueryContext(ctx, query, oid)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

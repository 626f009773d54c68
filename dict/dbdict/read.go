package dbdict

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Times are kept to the second, and the ERP's clock may be off by one.
const unsettled, skew = 3 * time.Second, time.Second

// updated is the column that tells when a row was changed.
const updated = "Updated"

// name is a table as it is written in a statement.
func (s *Source) name(table string) string {
	if s.dialect == PostgreSQL {
		table = strings.ToLower(table)
	}
	if s.schema == "" {
		return sqlquote.Name(table)
	}
	return sqlquote.Name(s.schema) + "." + sqlquote.Name(table)
}

// columns tells how the database writes the columns of a table, by their names
// in lower case; nil when there is no such table.
type columns map[string]string

// present finds out which columns the tables have.
func (s *Source) present(ctx context.Context, db *session, tables []registry.SourceTable) ([]columns, error) {
	all, err := s.catalog(ctx, db, tables)
	if err != nil {
		return nil, fmt.Errorf("look for the tables of the dictionary: %w", clean(err))
	}
	out := make([]columns, len(tables))
	for i, t := range tables {
		own := all[strings.ToLower(t.Name)]
		switch {
		case own == nil && t.Optional:
			continue
		case own == nil:
			return nil, fmt.Errorf("the database has no table %s, or the user may not see it; is the schema right (%q), and is this the ERP's database?",
				t.Name, s.schema)
		}
		for _, c := range t.Columns {
			if _, ok := own[strings.ToLower(c.Name)]; !ok && !c.Optional {
				return nil, fmt.Errorf("the table %s of the database has no column %s; is this the ERP's database?", t.Name, c.Name)
			}
		}
		out[i] = own
	}
	return out, nil
}

// catalog lists the columns of tables from the database's own catalog.
func (s *Source) catalog(ctx context.Context, db *session, tables []registry.SourceTable) (_ map[string]columns, err error) {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = sqlquote.Text(strings.ToLower(t.Name))
	}
	wanted := strings.Join(names, ",")
	// Tables the user may not read are not listed: has_table_privilege is what
	// the views of information_schema do not say for selecting alone.
	query := `SELECT c.relname, a.attname FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname IN (` + wanted + `) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
		AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')`
	args := []any{s.schema}
	if s.dialect == SQLite {
		// The list of tables lacks those of an embedded ERP that have no row.
		info := "pragma_table_info(w.column1)"
		if s.schema != "" {
			info = "pragma_table_info(w.column1, " + sqlquote.Text(s.schema) + ")"
		}
		query = "SELECT w.column1, p.name FROM (VALUES (" + strings.Join(names, "),(") + ")) w JOIN " + info + " p"
		args = nil
	}
	rows, err := db.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := map[string]columns{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		table = strings.ToLower(table)
		if all[table] == nil {
			all[table] = columns{}
		}
		all[table][strings.ToLower(column)] = column
	}
	return all, rows.Err()
}

// port is where PostgreSQL listens unless the address says otherwise.
func port(n uint16) string { return strconv.Itoa(int(n)) }

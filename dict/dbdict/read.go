package dbdict

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// recent reports whether a change of that age, in seconds, may be followed by
// one that hides behind the same stamp, because times are kept to the second.
// The ERP's clock may be off by a second, and it may write times of another zone
// than the database's session has, all of which are quarters of an hour apart.
func recent(age float64) bool {
	const zone, skew, unsettled = 15 * 60, 1, 3
	since := math.Mod(age+skew, zone)
	if since < 0 {
		since += zone
	}
	return since < unsettled+skew
}

// noAge stands for a table without changes; recent says no to it.
const noAge = "100.0"

// updated is the column that tells when a row was changed.
const updated = "Updated"

// name is a table as it is written in a statement.
func (s *Source) name(table string) string {
	if s.dialect == PostgreSQL {
		table = strings.ToLower(table)
	}
	if s.schema == "" {
		return quote(table)
	}
	return quote(s.schema) + "." + quote(table)
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// columns tells how the database writes the columns of a table, by their names
// in lower case; nil when there is no such table.
type columns map[string]string

// present finds out which columns the tables have.
func (s *Source) present(ctx context.Context, tx *sql.Tx, tables []registry.SourceTable) ([]columns, error) {
	all, err := s.catalog(ctx, tx)
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

// catalog lists tables and columns from the database's own catalog.
func (s *Source) catalog(ctx context.Context, tx *sql.Tx) (_ map[string]columns, err error) {
	// Tables the user may not read are not listed: has_table_privilege is what
	// the views of information_schema do not say for selecting alone.
	query := `SELECT c.relname, a.attname FROM pg_catalog.pg_attribute a
		JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname LIKE 'ad\_%' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
		AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')`
	args := []any{s.schema}
	if s.dialect == SQLite {
		query = `SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p
			WHERE m.type IN ('table', 'view') AND m.name LIKE 'AD\_%' ESCAPE '\'`
		args = nil
		if s.schema != "" {
			query = strings.Replace(query, "sqlite_schema", quote(s.schema)+".sqlite_schema", 1)
		}
	}
	rows, err := tx.QueryContext(ctx, query, args...)
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

// stamps reads number of rows, newest change and sum of all changes of each
// table, in one statement. The sum shows changes that carry an older time.
func (s *Source) stamps(ctx context.Context, tx *sql.Tx, tables []registry.SourceTable, present []columns) (_ []registry.Stamp, err error) {
	stamps := make([]registry.Stamp, len(tables))
	var parts []string
	for i, t := range tables {
		if present[i] == nil {
			stamps[i].Missing = true
			continue
		}
		if len(t.Where) > 0 {
			continue // the rows are counted when they are read
		}
		parts = append(parts, s.stampOf(i, t, present[i]))
	}
	if len(parts) == 0 {
		return stamps, nil
	}
	rows, err := tx.QueryContext(ctx, strings.Join(parts, " UNION ALL "))
	if err != nil {
		return nil, fmt.Errorf("look for changes in the dictionary: %w", clean(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var at, count int
		var newest, sum string
		var age float64
		if err := rows.Scan(&at, &count, &newest, &sum, &age); err != nil {
			return nil, fmt.Errorf("look for changes in the dictionary: %w", clean(err))
		}
		stamps[at] = registry.Stamp{Rows: count, Mark: newest + " " + sum, Unsettled: recent(age)}
	}
	return stamps, rows.Err()
}

// stampOf is the statement for one table. The age of the newest change is told
// by the database's own clock.
func (s *Source) stampOf(at int, t registry.SourceTable, has columns) string {
	own, ok := has[strings.ToLower(updated)]
	if !ok {
		// A table without it, such as a view of an old release: rows only.
		return fmt.Sprintf("SELECT %d, COUNT(*), '', '', %s FROM %s", at, noAge, s.name(t.Name))
	}
	u := quote(own)
	if s.dialect == SQLite {
		return fmt.Sprintf(`SELECT %d, COUNT(*), COALESCE(CAST(MAX(%s) AS TEXT), ''), COALESCE(CAST(SUM(unixepoch(%s)) AS TEXT), ''),
			COALESCE((julianday('now') - julianday(MAX(%s))) * 86400.0, %s) FROM %s`, at, u, u, u, noAge, s.name(t.Name))
	}
	return fmt.Sprintf(`SELECT %d, COUNT(*), COALESCE(CAST(MAX(%s) AS TEXT), ''), COALESCE(CAST(SUM(CAST(DATE_PART('epoch', %s) * 1000000 AS BIGINT)) AS TEXT), ''),
		COALESCE(CAST(EXTRACT(EPOCH FROM (LOCALTIMESTAMP - MAX(%s))) AS DOUBLE PRECISION), %s) FROM %s`, at, u, u, u, noAge, s.name(t.Name))
}

// rows hands over the rows of one table that meet its conditions, and counts them.
func (s *Source) rows(ctx context.Context, tx *sql.Tx, table int, t registry.SourceTable, has columns, sink registry.Sink) (count int, err error) {
	query, read := s.selection(t, has)
	where, args, exact := s.where(t, has)
	rows, err := tx.QueryContext(ctx, query+where+s.order(t, has), args...)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(read.into...); err != nil {
			return count, err
		}
		values, err := read.values()
		if err != nil {
			return count, err
		}
		if !exact && !t.Meets(values) {
			continue
		}
		if err := sink.Row(table, values); err != nil {
			return count, err
		}
		count++
	}
	return count, rows.Err()
}

// reader takes rows from the driver. All flags of a row come as one text of Y
// and N, which is much less work than a value each.
type reader struct {
	into []any // for Scan: pointers to got
	// got are the values as the driver has them. Scanning into numbers would write
	// each as text and parse that.
	got []any
	// at is the place in the row of each value of got but that of the flags.
	at  []int
	row []registry.SourceValue
	// flag is the place in the row of each character of the flags, which are the
	// last value of got if there are any.
	flag []int
}

// values is the row that was scanned, valid until the next one is.
func (r *reader) values() ([]registry.SourceValue, error) {
	for i, at := range r.at {
		switch v := r.got[i].(type) {
		case int64:
			r.row[at].Int = v
		case string:
			r.row[at].Text = v
		case []byte:
			r.row[at].Text = string(v)
		default:
			return nil, fmt.Errorf("the database gave a %T where a number or a text was asked for", v)
		}
	}
	if len(r.flag) == 0 {
		return r.row, nil
	}
	flags, ok := r.got[len(r.at)].(string)
	if !ok || len(flags) != len(r.flag) {
		return nil, fmt.Errorf("the database gave a %T where %d flags were asked for", r.got[len(r.at)], len(r.flag))
	}
	for i, at := range r.flag {
		r.row[at].Int = 0
		if flags[i] == 'Y' {
			r.row[at].Int = 1
		}
	}
	return r.row, nil
}

// selection is the statement for the rows of a table.
func (s *Source) selection(t registry.SourceTable, has columns) (string, *reader) {
	r := &reader{row: make([]registry.SourceValue, len(t.Columns))}
	var list, flags []string
	for i, c := range t.Columns {
		own, ok := has[strings.ToLower(c.Name)]
		if !ok {
			continue
		}
		column := quote(own)
		switch c.Type {
		case registry.SourceText:
			list = append(list, "COALESCE(CAST("+column+" AS TEXT), '')")
			r.at = append(r.at, i)
		case registry.SourceInt:
			list = append(list, "COALESCE(CAST("+column+" AS BIGINT), 0)")
			r.at = append(r.at, i)
		case registry.SourceFlag:
			flags = append(flags, "CASE WHEN "+column+" = 'Y' THEN 'Y' ELSE 'N' END")
			r.flag = append(r.flag, i)
		}
	}
	if len(flags) > 0 {
		list = append(list, strings.Join(flags, " || "))
	}
	r.got, r.into = make([]any, len(list)), make([]any, len(list))
	for i := range r.got {
		r.into[i] = &r.got[i]
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + s.name(t.Name), r
}

// order puts rows as the catalog wants most of them, which saves sorting: of SQLite,
// which keeps rows in this order. PostgreSQL would sort numbers of any length, which
// takes longer than sorting here what is mostly in order.
func (s *Source) order(t registry.SourceTable, has columns) string {
	if s.dialect == PostgreSQL {
		return ""
	}
	own, ok := has[strings.ToLower(t.Key)]
	if !ok {
		return ""
	}
	return " ORDER BY " + quote(own)
}

// port is where PostgreSQL listens unless the address says otherwise.
func port(n uint16) string { return strconv.Itoa(int(n)) }

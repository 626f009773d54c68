package dictcompare

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// ReadSQLite is Read with the tables as an SQLite database has them: columns with
// type, NOT NULL, default and key, checks, and indexes. The order of the columns
// does not count.
func ReadSQLite(ctx context.Context, db DB, tables ...string) (*Snapshot, error) {
	s, err := Read(ctx, db, tables...)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		for _, q := range []struct{ what, query string }{
			{"column", `SELECT lower(name)||' '||type||' notnull='||"notnull"||' default='||COALESCE(dflt_value,'')||' key='||pk FROM pragma_table_info(?)`},
			{"index", `SELECT lower(l.name)||' unique='||l."unique"||' ('||(SELECT group_concat(lower(COALESCE(i.name,'?')),',') FROM pragma_index_info(l.name) i)||')'
				FROM pragma_index_list(?) l WHERE l.origin='c'`},
		} {
			lines, err := texts(ctx, db, q.query, t)
			if err != nil {
				return nil, fmt.Errorf("reading the %ss of %s: %w", q.what, t, err)
			}
			for _, l := range lines {
				s.Physical = append(s.Physical, q.what+" "+strings.ToLower(t)+" "+l)
			}
		}
		made, err := texts(ctx, db, `SELECT sql FROM sqlite_schema WHERE type='table' AND name=? COLLATE NOCASE`, t)
		if err != nil {
			return nil, fmt.Errorf("reading how %s was made: %w", t, err)
		}
		for _, statement := range made {
			checks := strings.Count(strings.ToUpper(statement), "CHECK (")
			s.Physical = append(s.Physical, fmt.Sprintf("checks %s %d", strings.ToLower(t), checks))
		}
	}
	slices.Sort(s.Physical)
	return s, nil
}

func texts(ctx context.Context, db DB, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Catalog implements run.Runner.
func (d *database) Catalog(ctx context.Context) (*run.Catalog, error) {
	c := &run.Catalog{Relations: map[string]*run.Relation{}, Functions: map[string]bool{}}
	columns := map[string][]sqlite.Column{}
	empty, _ := json.Marshal(d.srv.EmptyTables()) // a list of texts cannot fail
	return c, d.Snapshot(ctx, func(read run.Reader) error {
		// The ERP says which tables the list lacks. Its dictionary does not count: what it
		// names may be one of SQLite's own, such as the pages of the file.
		rows, err := read(ctx, `SELECT m.name, m.type, m.sql, p.name, p.type, p.pk FROM (
			SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'
			UNION ALL SELECT value, 'table', '' FROM json_each(`+sqlquote.Text(string(empty))+`)
			WHERE value NOT IN (SELECT name FROM sqlite_master)) m, pragma_table_info(m.name) p
			ORDER BY m.name, p.cid`)
		if err != nil {
			return fmt.Errorf("read the database's tables: %w", err)
		}
		for _, row := range rows {
			name := strings.ToLower(row[0].String)
			r := c.Relations[name]
			if r == nil {
				r = &run.Relation{Name: name, Kind: run.BaseTable}
				if row[1].String == "view" {
					r.Kind, r.Definition = run.PlainView, viewQuery(row[2].String)
				}
				c.Relations[name] = r
			}
			column := run.Column{Name: strings.ToLower(row[3].String), Type: columnType(row[4].String), Whole: strings.EqualFold(row[4].String, "INTEGER")}
			r.Columns = append(r.Columns, column)
			columns[name] = append(columns[name], sqlite.Column{Name: column.Name, Type: column.Type, Integer: column.Whole})
			if row[5].String != "0" {
				r.Key = append(r.Key, strings.ToLower(row[3].String))
			}
		}
		if err := addViews(ctx, read, c.Relations); err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.columns, d.rendered = columns, map[*guard.Plan]*sqlite.Statement{}
		return nil
	})
}

// addViews adds the ERP's own views, which stand in a table in PostgreSQL's dialect.
func addViews(ctx context.Context, read run.Reader, relations map[string]*run.Relation) error {
	there, err := read(ctx, "SELECT name FROM sqlite_master WHERE name = 'REST_ViewQuery'")
	if err != nil {
		return fmt.Errorf("look for the database's views: %w", err)
	}
	if len(there) == 0 {
		return nil
	}
	rows, err := read(ctx, "SELECT TableName, PostgreSQL, Columns FROM REST_ViewQuery")
	if err != nil {
		return fmt.Errorf("read the database's views: %w", err)
	}
	for _, row := range rows {
		name := strings.ToLower(row[0].String)
		if relations[name] != nil {
			continue
		}
		r := &run.Relation{Name: name, Kind: run.PlainView, Definition: row[1].String}
		for line := range strings.Lines(row[2].String) {
			column, declared, _ := strings.Cut(strings.TrimSpace(line), " ")
			r.Columns = append(r.Columns, run.Column{Name: strings.ToLower(column), Type: columnType(declared), Whole: strings.EqualFold(declared, "INTEGER")})
		}
		relations[name] = r
	}
	return nil
}

// viewQuery is the SELECT of a CREATE VIEW.
func viewQuery(create string) string {
	i := strings.Index(strings.ToUpper(create), " AS ")
	if i < 0 {
		return create // it is not a SELECT, and so is refused
	}
	return strings.TrimSuffix(strings.TrimSpace(create[i+4:]), ";")
}

// columnType is PostgreSQL's name for the type a column is declared with.
func columnType(declared string) string {
	declared, _, _ = strings.Cut(strings.ToUpper(declared), "(")
	switch declared = strings.TrimSpace(declared); {
	case declared == "INTEGER":
		return "numeric"
	case strings.HasPrefix(declared, "DECIMAL"):
		return "numeric"
	case strings.HasPrefix(declared, "TIMESTAMP"):
		return "timestamp"
	case declared == "CHAR":
		return "bpchar"
	case declared == "VARCHAR":
		return "varchar"
	case declared == "BLOB":
		return "bytea"
	}
	return "text"
}

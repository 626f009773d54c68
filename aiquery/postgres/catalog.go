package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Catalog implements run.Runner.
func (d *database) Catalog(ctx context.Context) (*run.Catalog, error) {
	c := &run.Catalog{Relations: map[string]*run.Relation{}, Functions: map[string]bool{}}
	namespace := "(SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = " + sqlquote.Text(d.opts.Schema) + ")"
	return c, d.Snapshot(ctx, func(read run.Reader) error {
		rows, err := read(ctx, `SELECT r.relname, r.relkind, a.attname, t.typname,
				CASE WHEN r.relkind = 'v' AND a.attnum = 1 THEN pg_catalog.pg_get_viewdef(r.oid) END,
				t.typname = 'numeric' AND a.atttypmod >= 4 AND (a.atttypmod - 4) & 2047 = 0
			FROM pg_catalog.pg_class r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
			JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
			WHERE r.relnamespace = `+namespace+` AND r.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT r.relispartition
			ORDER BY r.relname, a.attnum`)
		if err != nil {
			return fmt.Errorf("read the database's tables: %w", err)
		}
		for _, row := range rows {
			name := row[0].String
			r := c.Relations[name]
			if r == nil {
				r = &run.Relation{Name: name}
				switch row[1].String {
				case "r", "p":
					r.Kind = run.BaseTable
				case "v":
					r.Kind = run.PlainView
				default:
					r.Kind = run.OpaqueView
				}
				c.Relations[name] = r
			}
			r.Columns = append(r.Columns, run.Column{Name: row[2].String, Type: row[3].String, Whole: row[5].String == "t"})
			if row[4].Valid {
				r.Definition = strings.TrimSuffix(strings.TrimSpace(row[4].String), ";")
			}
		}
		// The primary key, else the unique index of fewest columns.
		rows, err = read(ctx, `SELECT DISTINCT ON (r.relname) r.relname, (SELECT pg_catalog.string_agg(a.attname, ' ' ORDER BY k.n)
				FROM pg_catalog.unnest(i.indkey) WITH ORDINALITY k(attnum, n) JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = k.attnum
				WHERE k.n <= i.indnkeyatts)
			FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class r ON r.oid = i.indrelid
			WHERE r.relnamespace = `+namespace+` AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
				AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a WHERE a.attrelid = r.oid AND a.attnum = ANY (i.indkey) AND NOT a.attnotnull)
			ORDER BY r.relname, NOT i.indisprimary, i.indnkeyatts, i.indexrelid`)
		if err != nil {
			return fmt.Errorf("read the database's keys: %w", err)
		}
		for _, row := range rows {
			if r := c.Relations[row[0].String]; r != nil && row[1].Valid {
				r.Key = strings.Fields(row[1].String)
			}
		}
		// A name counts as harmless only when no function of the name runs with
		// its owner's privileges or takes a row of a table.
		rows, err = read(ctx, `SELECT f.proname FROM pg_catalog.pg_proc f WHERE f.pronamespace = `+namespace+`
			GROUP BY f.proname HAVING NOT pg_catalog.bool_or(f.prosecdef OR f.provolatile = 'v' AND f.proname <> 'getdate' OR f.proretset
				OR EXISTS (SELECT 1 FROM pg_catalog.pg_type t WHERE t.oid = ANY (f.proargtypes) AND t.typtype NOT IN ('b')))`)
		if err != nil {
			return fmt.Errorf("read the database's functions: %w", err)
		}
		for _, row := range rows {
			c.Functions[row[0].String] = true
		}
		return nil
	})
}

// Check implements run.Runner.
func (d *database) Check(ctx context.Context) (checked run.Checked, err error) {
	err = d.Snapshot(ctx, func(read run.Reader) error {
		rows, err := read(ctx, `SELECT u.rolsuper, u.rolbypassrls, u.rolcreaterole, u.rolcreatedb, u.rolreplication,
				pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
				pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP'),
				EXISTS (SELECT 1 FROM pg_catalog.pg_namespace n WHERE n.nspname = `+sqlquote.Text(d.opts.Schema)+`),
				EXISTS (SELECT 1 FROM pg_catalog.pg_namespace n WHERE n.nspname = `+sqlquote.Text(d.opts.Schema)+`
					AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')),
				EXISTS (SELECT 1 FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
					WHERE n.nspname = `+sqlquote.Text(d.opts.Schema)+` AND r.relkind IN ('r', 'p')
					AND pg_catalog.has_table_privilege(r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')),
				pg_catalog.pg_has_role('pg_read_server_files', 'USAGE') OR pg_catalog.pg_has_role('pg_execute_server_program', 'USAGE')
					OR pg_catalog.pg_has_role('pg_write_server_files', 'USAGE'),
				pg_catalog.current_setting('server_encoding'), pg_catalog.current_setting('temp_file_limit'),
				pg_catalog.current_setting('hash_mem_multiplier', true)
			FROM pg_catalog.pg_roles u WHERE u.rolname = SESSION_USER`)
		if err != nil {
			return err
		}
		if len(rows) != 1 {
			return fmt.Errorf("look at the login: it has %d rows", len(rows))
		}
		row := rows[0]
		if row[7].String != "t" {
			return run.Fail(api.CodeUnavailable, nil, "the database has no schema %s", d.opts.Schema).Advise("name the schema of the ERP's tables")
		}
		if row[11].String != "UTF8" {
			return run.Fail(api.CodeUnavailable, nil, "the database's encoding is not UTF8").Advise("use a database with the encoding UTF8")
		}
		for i, what := range map[int]string{
			0: "is a superuser", 1: "bypasses row-level security", 2: "may create roles", 3: "may create databases", 4: "may replicate",
			5: "may create schemas", 6: "may create temporary tables", 8: "may create objects in the ERP's schema",
			9: "may change rows of the ERP", 10: "may reach files or programs of the server",
		} {
			if row[i].String == "t" {
				checked.Warnings = append(checked.Warnings, "the database login "+what)
			}
		}
		if row[12].String == "-1" {
			checked.Warnings = append(checked.Warnings, "the database has no temp_file_limit, so one statement can fill its disk; "+
				"have a superuser run ALTER ROLE … SET temp_file_limit = '1GB' for the login")
		}
		slices.Sort(checked.Warnings)
		checked.Limits = map[string]string{
			"work_mem": d.opts.WorkMem, "temp_file_limit": row[12].String, "hash_mem_multiplier": row[13].String,
		}
		return nil
	})
	return checked, err
}

package pgmirror

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erphub/erphub/internal/sqlquote"
)

// mark is the comment of all that was made here, by which it is known again.
const mark = "copy of an erphub sandbox, made anew when it starts"

// The schemas in which a copy is made anew, and of one that it has replaced.
func (d *database) staging() string { return d.opts.Schema + "_new" }
func (d *database) former() string  { return d.opts.Schema + "_old" }

// left reports whether the schema in which the copy is made or will be is there
// from an earlier process. One that is others' is an error.
func (d *database) left(ctx context.Context, schema string) (bool, error) {
	var comment *string
	err := d.conn.QueryRow(ctx, `SELECT obj_description(n.oid, 'pg_namespace') FROM pg_namespace n WHERE n.nspname = $1`,
		pgx.QueryExecModeExec, schema).Scan(&comment)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for the schema %s: %w", schema, err)
	case comment == nil || *comment != mark:
		return false, fmt.Errorf("the schema %s of %s: %w, and stays as it is: name another database, such as an empty one", schema, d.origin, ErrForeign)
	}
	return true, nil
}

// clear makes the schema for a new copy, empty, and removes what earlier processes
// have left beside theirs. A copy that could not take its place is not begun.
func (d *database) clear(ctx context.Context) error {
	if _, err := d.left(ctx, d.opts.Schema); err != nil {
		return err
	}
	for _, schema := range []string{d.staging(), d.former()} {
		if err := d.drop(ctx, schema); err != nil {
			return err
		}
	}
	script := fmt.Sprintf("CREATE SCHEMA %[1]s;\nCOMMENT ON SCHEMA %[1]s IS %[2]s;\n", d.schema, sqlquote.Text(mark))
	if d.opts.Reader != "" {
		script += fmt.Sprintf("GRANT USAGE ON SCHEMA %[1]s TO %[2]s;\nALTER DEFAULT PRIVILEGES IN SCHEMA %[1]s GRANT SELECT ON TABLES TO %[2]s;\n",
			d.schema, pgx.Identifier{d.opts.Reader}.Sanitize())
	}
	return d.refused("make the schema "+d.opts.Schema, d.exec(ctx, script))
}

// replace puts the new copy in the place of the one that an earlier process left,
// which gets another name: dropping a thousand tables takes longer than readers wait
// for one. The locks are for transactions that have begun to read the earlier copy.
func (d *database) replace(ctx context.Context) error {
	there, err := d.left(ctx, d.opts.Schema)
	if err != nil {
		return err
	}
	script := "ALTER SCHEMA " + d.schema + " RENAME TO " + d.opts.Schema
	if there {
		var foreign bool
		if err := d.conn.QueryRow(ctx, `WITH relations AS (SELECT oid FROM pg_class WHERE relnamespace = $1::regnamespace AND obj_description(oid, 'pg_class') = $2),
			ours(class, id) AS (SELECT 'pg_namespace'::regclass, $1::regnamespace::oid
				UNION ALL SELECT 'pg_class'::regclass, oid FROM relations
				UNION ALL SELECT 'pg_type'::regclass, t.oid FROM pg_type t JOIN relations r ON t.typrelid = r.oid
				UNION ALL SELECT 'pg_rewrite'::regclass, w.oid FROM pg_rewrite w JOIN relations r ON w.ev_class = r.oid
				UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = $1::regnamespace AND obj_description(oid, 'pg_proc') = $2)
			SELECT EXISTS (SELECT FROM pg_depend d JOIN ours o ON (o.class, o.id) = (d.refclassid, d.refobjid)
				WHERE d.deptype = 'n' AND (d.classid, d.objid) NOT IN (SELECT class, id FROM ours))`,
			pgx.QueryExecModeExec, d.opts.Schema, mark).Scan(&foreign); err != nil {
			return fmt.Errorf("look into the schema %s: %w", d.opts.Schema, err)
		}
		if foreign {
			return fmt.Errorf("the schema %s of %s was made by an earlier sandbox, but %w: there are objects of others in it, or ones that depend on it; "+
				"move them elsewhere, or name another database", d.opts.Schema, d.origin, ErrForeign)
		}
		script = fmt.Sprintf(`DO $do$ DECLARE t regclass; BEGIN
			FOR t IN SELECT oid FROM pg_class WHERE relnamespace = %[1]s::regnamespace AND relkind = 'r'
			LOOP EXECUTE 'LOCK TABLE ' || t || ' IN ACCESS EXCLUSIVE MODE'; END LOOP;
		END $do$; ALTER SCHEMA %[2]s RENAME TO %[3]s; `, sqlquote.Text(d.opts.Schema), d.opts.Schema, d.former()) + script
	}
	return d.refused("make the schema "+d.opts.Schema, d.exec(ctx, script))
}

// drop removes what carries the mark, and then the schema, which must be empty.
func (d *database) drop(ctx context.Context, schema string) error {
	there, err := d.left(ctx, schema)
	if err != nil || !there {
		return err
	}
	rows, err := d.conn.Query(ctx, `SELECT kind || ' ' || what FROM (
			SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass::text, CASE c.relkind WHEN 'v' THEN 0 ELSE 1 END, c.oid
				FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'v') AND obj_description(c.oid, 'pg_class') = $2
			UNION ALL SELECT 'FUNCTION', p.oid::regprocedure::text, 2, p.oid
				FROM pg_proc p WHERE p.pronamespace = $1::regnamespace AND obj_description(p.oid, 'pg_proc') = $2
		) o(kind, what, place, made) ORDER BY place, made DESC`, pgx.QueryExecModeExec, schema, mark)
	if err != nil {
		return fmt.Errorf("look into the schema %s: %w", schema, err)
	}
	objects, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look into the schema %s: %w", schema, err)
	}
	var script strings.Builder
	for _, o := range objects {
		script.WriteString("DROP " + o + ";\n")
	}
	return d.refused("remove what an earlier sandbox left in the schema "+schema, d.exec(ctx, script.String()+"DROP SCHEMA "+schema))
}

// refused says which privileges the login needs when it lacks them, and which
// setting the server when it has too little room for locks.
func (d *database) refused(what string, err error) error {
	var server *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &server) && server.Code == "42501":
		return fmt.Errorf("%s in %s: the login may not (%s): it needs the privilege to create schemas (GRANT CREATE ON DATABASE … TO …) "+
			"and must own what an earlier sandbox made", what, d.origin, server.Message)
	case errors.As(err, &server) && server.Code == "53200":
		return fmt.Errorf("%s in %s: %w: the copy has about a thousand tables; set max_locks_per_transaction of the server to 256 or more", what, d.origin, err)
	}
	return fmt.Errorf("%s in %s: %w", what, d.origin, err)
}

// functions makes those of the ERP's functions that statements may call and that
// read no tables.
func (d *database) functions() string {
	var script strings.Builder
	for _, f := range []struct{ name, args, result, volatility, body string }{
		{"getdate", "", "timestamptz", "STABLE", "SELECT now()"},
		{"nvl", "numeric, numeric", "numeric", "IMMUTABLE", "SELECT coalesce($1, $2)"},
		{"nvl", "varchar, varchar", "varchar", "IMMUTABLE", "SELECT coalesce($1, $2)"},
		{"nvl", "timestamptz, timestamptz", "timestamptz", "IMMUTABLE", "SELECT coalesce($1, $2)"},
		{"charat", "varchar, integer", "varchar", "IMMUTABLE", "SELECT substr($1, $2, 1)"},
		{"adddays", "timestamptz, numeric", "timestamptz", "STABLE", "SELECT $1 + $2 * interval '1 day'"},
		{"daysbetween", "timestamptz, timestamptz", "integer", "STABLE", "SELECT $1::date - $2::date"},
	} {
		fmt.Fprintf(&script, "CREATE FUNCTION %[1]s.%[2]s(%[3]s) RETURNS %[4]s LANGUAGE sql %[5]s AS %[6]s;\nCOMMENT ON FUNCTION %[1]s.%[2]s(%[3]s) IS %[7]s;\n",
			d.schema, f.name, f.args, f.result, f.volatility, sqlquote.Text(f.body), sqlquote.Text(mark))
	}
	return script.String()
}

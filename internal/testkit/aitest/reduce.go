package aitest

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func reduceColumn(table string, f *facts, column, kind string) string {
	switch {
	case isDropped(f.name, column) || column == "zz_shadow":
		return fmt.Sprintf("ALTER TABLE %q DROP COLUMN %q;\n", table, column)
	case isMasked(column) && (strings.HasPrefix(kind, "char") || kind == "text"):
		return fmt.Sprintf("ALTER TABLE %[1]q ALTER COLUMN %[2]q TYPE text; UPDATE %[1]q SET %[2]q = '***';\n", table, column)
	case isMasked(column):
		return fmt.Sprintf("ALTER TABLE %[1]q ALTER COLUMN %[2]q DROP NOT NULL; UPDATE %[1]q SET %[2]q = NULL;\n", table, column)
	}
	return ""
}

// reduce turns a full database into what Reader may see of it.
func reduce(t testing.TB, address string) {
	t.Helper()
	conn := connect(t, address)
	defer conn.Close(context.WithoutCancel(t.Context()))
	exec(t, conn, "SET search_path = adempiere; SET synchronous_commit = off; BEGIN")
	levels := map[string]string{}
	for _, row := range query(t, conn, `SELECT lower(tablename), accesslevel, tablename FROM ad_table`) {
		levels[row[0]] = row[1] + row[2]
	}
	tables := map[string]*facts{}
	var order []string
	kinds := map[string]string{}
	for _, row := range query(t, conn, `SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c
		JOIN pg_attribute a ON a.attrelid=c.oid AND a.attnum>0 AND NOT a.attisdropped
		WHERE c.relnamespace='adempiere'::regnamespace AND c.relkind='r' ORDER BY 1, a.attnum`) {
		f := tables[row[0]]
		if f == nil {
			f = &facts{name: row[0]}
			if l := levels[row[0]]; l != "" {
				f.level, f.name = l[:1], l[1:]
			}
			tables[row[0]], order = f, append(order, row[0])
		}
		f.columns = append(f.columns, row[1])
		kinds[row[0]+"."+row[1]] = row[2]
	}
	var script strings.Builder
	for _, v := range views() {
		fmt.Fprintf(&script, "DROP VIEW IF EXISTS %s CASCADE;\n", v.name)
	}
	script.WriteString("DROP FUNCTION peek(ad_user);\n")
	for _, name := range order {
		f := tables[name]
		if f.level == "" || f.dropped() {
			fmt.Fprintf(&script, "DROP TABLE %q CASCADE;\n", name)
			continue
		}
		fmt.Fprintf(&script, "DELETE FROM %q WHERE NOT (%s);\n", name, f.visible())
		for _, c := range f.columns {
			script.WriteString(reduceColumn(name, f, c, kinds[name+"."+c]))
		}
	}
	exec(t, conn, script.String())
	for _, v := range views() {
		if v.reduced != "-" {
			exec(t, conn, "CREATE VIEW "+v.name+" AS "+cmp.Or(v.reduced, v.query))
		}
	}
	exec(t, conn, "GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO aiq_login; COMMIT; ANALYZE")
}

func query(t testing.TB, conn *pgx.Conn, text string) [][]string {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), text).ReadAll()
	require.NoError(t, err, text)
	var out [][]string
	for _, row := range results[0].Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, string(cell))
		}
		out = append(out, cells)
	}
	return out
}

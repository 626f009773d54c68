package guard

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/erphub/erphub/internal/testkit/testpg"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOnPostgreSQL runs every report as secured beside hidden
// rows and columns full of marks, and compares it with the same statement on a
// database that holds only what the role may see.
func TestOnPostgreSQL(t *testing.T) {
	t.Parallel()
	full, reduced := testpg.Open(t), testpg.Open(t)
	schema := `CREATE SCHEMA adempiere;
CREATE FUNCTION adempiere.nvl(text, text) RETURNS text LANGUAGE sql AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION adempiere.trunc(timestamp, text) RETURNS date LANGUAGE sql AS 'SELECT date_trunc(''month'', $1)::date';
CREATE TABLE adempiere.c_bpartner (c_bpartner_id numeric, ad_client_id numeric, ad_org_id numeric, name varchar, taxid varchar, apikey %[1]s, days_reuse_password int %[2]s);
CREATE TABLE adempiere.c_order (c_order_id numeric, ad_client_id numeric, ad_org_id numeric, documentno varchar, c_bpartner_id numeric, dateordered timestamp, grandtotal numeric);
INSERT INTO adempiere.c_bpartner VALUES (1,1000,11,'Able','t1','%[3]s',%[4]s),(2,1000,0,'Baker',NULL,'%[3]s',%[4]s);
INSERT INTO adempiere.c_order VALUES (1,1000,11,'A1',1,'2024-02-03',10.5),(2,1000,12,'A2',2,'2024-03-03',300),(3,1000,11,'A3',117,'2024-03-04',7);
CREATE VIEW adempiere.rv_order AS SELECT o.c_order_id, bp.name AS partner, bp.apikey AS secretword, NULL::numeric AS credit
 FROM adempiere.c_order o LEFT JOIN adempiere.c_bpartner bp ON o.c_bpartner_id = bp.c_bpartner_id;
`
	fill := func(apikey, reuse, key, n string) string {
		return strings.NewReplacer("%[1]s", apikey, "%[2]s", reuse, "%[3]s", key, "%[4]s", n).Replace(schema)
	}
	for _, s := range []string{fill("text", "", "CANARY", "77"), `
ALTER TABLE adempiere.c_bpartner ADD so_creditlimit numeric DEFAULT 4711;
INSERT INTO adempiere.c_bpartner VALUES (117,1000,11,'CANARY','CANARY','CANARY',77),(4,2000,11,'CANARY','x','CANARY',77),(5,1000,99,'CANARY','x','CANARY',77);
INSERT INTO adempiere.c_order VALUES (8,2000,11,'CANARY',1,'2024-02-03',9e9),(9,1000,99,'CANARY',1,'2024-02-03',9e9)`,
		"CREATE VIEW adempiere.c_ruled AS SELECT * FROM adempiere.c_bpartner"} {
		_, err := full.ExecContext(t.Context(), s)
		require.NoError(t, err)
	}
	for _, s := range []string{fill("text", "", "***", "NULL"),
		"CREATE VIEW adempiere.c_ruled AS SELECT * FROM adempiere.c_bpartner b WHERE name LIKE 'A%' AND EXISTS (SELECT 1 FROM adempiere.c_order o WHERE o.c_bpartner_id = b.c_bpartner_id)"} {
		_, err := reduced.ExecContext(t.Context(), s)
		require.NoError(t, err)
	}
	g := New(nil)
	for name, report := range reports {
		t.Run(name, func(t *testing.T) {
			plan, err := g.Secure(t.Context(), testPolicy(), report, 0, 1000)
			var r *Refusal
			require.False(t, errors.As(err, &r), "%v", err)
			require.NoError(t, err)
			if name == "no alias" {
				report += " x"
			}
			want := rows(t, reduced, "SET search_path = adempiere, pg_catalog", "SELECT row_to_json(q)::text FROM ("+report+") AS q")
			assert.NotContains(t, want, "CANARY")
			got := planRows(t, full, "SELECT row_to_json(q)::text FROM ("+plan.SQL+") AS q", plan.Values)
			assert.ElementsMatch(t, want, got, plan.SQL)
		})
	}
}

// rows returns the rows of a statement as text, whatever their order.
func rows(t *testing.T, db *sql.DB, setting, statement string) []string {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), setting)
	require.NoError(t, err)
	result, err := conn.QueryContext(t.Context(), statement)
	require.NoError(t, err, statement)
	defer result.Close()
	var all []string
	for result.Next() {
		var s string
		require.NoError(t, result.Scan(&s))
		all = append(all, s)
	}
	require.NoError(t, result.Err())
	return all
}

// planRows runs a secured statement with its values.
func planRows(t *testing.T, db *sql.DB, statement string, values []Value) []string {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	var all []string
	require.NoError(t, conn.Raw(func(driver any) error {
		pg := driver.(*stdlib.Conn).Conn().PgConn()
		if _, err := pg.Exec(t.Context(), "SET search_path = pg_catalog; SET plan_cache_mode = force_generic_plan").ReadAll(); err != nil {
			return err
		}
		texts, types := make([][]byte, len(values)), make([]uint32, len(values))
		for i, v := range values {
			texts[i] = []byte(v.Text)
			if v.Type != "" {
				oid, ok := pgtype.NewMap().TypeForName(v.Type)
				if !ok {
					return fmt.Errorf("type %s", v.Type)
				}
				types[i] = oid.OID
			}
		}
		result := pg.ExecParams(t.Context(), statement, texts, types, nil, nil).Read()
		for _, row := range result.Rows {
			all = append(all, string(row[0]))
		}
		return result.Err
	}), statement)
	return all
}

package aiquery_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// raw asks the database itself, whoever may see what: the first column of each
// row.
func (w *world) raw(t testing.TB, query string) []string {
	t.Helper()
	var out []string
	if w.srv == nil {
		conn, err := pgx.Connect(t.Context(), w.url)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		results, err := conn.PgConn().Exec(t.Context(), "SET search_path = adempiere; "+query).ReadAll()
		require.NoError(t, err, query)
		for _, row := range results[len(results)-1].Rows {
			out = append(out, string(row[0]))
		}
		return out
	}
	rows, err := w.read.QueryContext(t.Context(), query)
	require.NoError(t, err, query)
	defer rows.Close()
	for rows.Next() {
		var id sql.NullString
		require.NoError(t, rows.Scan(&id))
		out = append(out, id.String)
	}
	require.NoError(t, rows.Err())
	return out
}

// governed are the values of a column that a role sees in governed SQL.
func (w *world) governed(t testing.TB, who aiquery.Caller, role int, column, table string) []string {
	t.Helper()
	r, err := w.Query(t.Context(), who, aiquery.Request{
		SQL: fmt.Sprintf("SELECT %s FROM %s ORDER BY 1", column, table), RoleID: role, MaxRows: aiquery.MaxRows,
	})
	require.NoError(t, err, w.log)
	require.False(t, r.Truncated)
	var out []string
	for _, row := range r.Rows {
		out = append(out, fmt.Sprint(row[0]))
	}
	return out
}

// What rules about tables, organizations and single records leave of a table,
// each rule alone and with others, as the ERP's own role SQL has it.
func TestRecordAccess(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	const role = aitest.Whole
	const everything = "ad_client_id IN (0, 11)"
	record := func(table string, id int, exclude, readOnly, dependent string) string {
		return fmt.Sprintf(`INSERT INTO ad_record_access (ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby,
			ad_role_id, ad_table_id, record_id, isexclude, isreadonly, isdependententities)
			SELECT 11, 0, 'Y', created, 100, updated, 100, %d, ad_table_id, %d, '%s', '%s', '%s' FROM ad_table WHERE tablename='%s'`,
			role, id, exclude, readOnly, dependent, table)
	}
	lock := func(table string, id, by int) string {
		return fmt.Sprintf(`INSERT INTO ad_private_access (ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, ad_user_id, ad_table_id, record_id)
			SELECT 11, 0, 'Y', created, 100, updated, 100, %d, ad_table_id, %d FROM ad_table WHERE tablename='%s'`, by, id, table)
	}
	const ofTenant = "c_bpartner_id IN (SELECT b.c_bpartner_id FROM c_bpartner b WHERE b.ad_client_id IN (0, 11))"
	const noPersonal = "UPDATE ad_role SET ispersonalaccess='N' WHERE ad_role_id=2000002"
	cases := []struct {
		name    string
		rules   []string
		table   string // its key is asked for
		visible string // the condition on the bare table
		refused bool
	}{
		{"no rule", nil, "C_BPartner", everything, false},
		{"exclude", []string{record("C_BPartner", 119, "Y", "N", "N")}, "C_BPartner", everything + " AND c_bpartner_id <> 119", false},
		{"exclude, read-only", []string{record("C_BPartner", 119, "Y", "Y", "N")}, "C_BPartner", everything + " AND c_bpartner_id <> 119", false},
		{"exclude two, one of them read-only", []string{record("C_BPartner", 119, "Y", "Y", "N"), record("C_BPartner", 118, "Y", "N", "N")},
			"C_BPartner", everything + " AND c_bpartner_id NOT IN (118, 119)", false},
		{"exclude leaves what refers to it", []string{record("C_BPartner", 119, "Y", "N", "N")}, "C_Order", everything, false},
		{"exclude with dependents", []string{record("C_BPartner", 118, "Y", "N", "Y")},
			"C_Order", everything + " AND (c_bpartner_id IS NULL OR c_bpartner_id <> 118)", false},
		{"exclude with dependents, read-only", []string{record("C_BPartner", 118, "Y", "Y", "Y")},
			"C_Order", everything + " AND (c_bpartner_id IS NULL OR c_bpartner_id <> 118)", false},
		{"exclude a user with dependents", []string{record("AD_User", 105, "Y", "Y", "Y")}, "C_Order",
			everything + " AND (salesrep_id IS NULL OR salesrep_id <> 105) AND (ad_user_id IS NULL OR ad_user_id <> 105)", false},
		{"include", []string{record("C_BPartner", 118, "N", "N", "N"), record("C_BPartner", 119, "N", "N", "N")},
			"C_BPartner", everything + " AND c_bpartner_id IN (118, 119)", false},
		{"include, read-only", []string{record("C_BPartner", 118, "N", "Y", "N")}, "C_BPartner", everything + " AND c_bpartner_id = 118", false},
		{"include leaves what refers to it", []string{record("C_BPartner", 118, "N", "N", "N")}, "C_Order", everything, false},
		{"include with dependents", []string{record("C_BPartner", 118, "N", "N", "Y")}, "C_Order", everything + " AND c_bpartner_id = 118", false},
		{"include with dependents does not show what refers to none", []string{record("M_Product", 123, "N", "N", "Y")},
			"C_OrderLine", everything + " AND m_product_id = 123", false},
		{"include a user with dependents", []string{record("AD_User", 105, "N", "N", "Y")}, "C_Order",
			everything + " AND salesrep_id = 105 AND (ad_user_id IS NULL OR ad_user_id = 105)", false},
		{"include a user shows the user", []string{record("AD_User", 105, "N", "N", "Y")}, "AD_User", everything + " AND ad_user_id = 105", false},
		{"include and exclude", []string{record("C_BPartner", 118, "N", "N", "N"), record("C_BPartner", 119, "Y", "Y", "Y")},
			"C_BPartner", everything + " AND c_bpartner_id = 118", false},
		{"rules that are deactivated", []string{record("C_BPartner", 119, "Y", "N", "N"), "UPDATE ad_record_access SET isactive='N' WHERE ad_role_id=2000002"},
			"C_BPartner", everything, false},
		{"dependents of a table that is deactivated", []string{record("C_Campaign", 50000, "Y", "N", "Y"),
			"UPDATE c_order SET c_campaign_id=50000 WHERE c_bpartner_id=118", "UPDATE ad_table SET isactive='N' WHERE tablename='C_Campaign'"},
			"C_Order", everything + " AND c_bpartner_id <> 118", false},
		{"a view shows what its tables show", []string{record("C_BPartner", 118, "Y", "Y", "Y")}, "RV_BPartner_Total.C_BPartner_ID", ofTenant + " AND c_bpartner_id <> 118", false},
		{"a view over a table with an include", []string{record("C_BPartner", 118, "N", "Y", "N")}, "RV_BPartner_Total.C_BPartner_ID", "c_bpartner_id = 118", false},
		{"a translation shows what the record shows", []string{record("M_Product", 123, "Y", "Y", "N")}, "M_Product_Trl.M_Product_ID",
			everything + " AND m_product_id <> 123", false},
		{"locked by another", []string{noPersonal}, "C_BPartner", everything + " AND c_bpartner_id NOT IN (120, 121)", false},
		{"locked by another, and excluded", []string{noPersonal, record("C_BPartner", 119, "Y", "Y", "N")}, "C_BPartner",
			everything + " AND c_bpartner_id NOT IN (119, 120, 121)", false},
		{"locked by another, and included", []string{noPersonal, record("C_BPartner", 119, "N", "N", "N"), record("C_BPartner", 120, "N", "N", "N")}, "C_BPartner",
			everything + " AND c_bpartner_id = 119", false},
		{"locked by the user's own", []string{noPersonal, lock("C_BPartner", 118, aitest.User)}, "C_BPartner", everything + " AND c_bpartner_id NOT IN (120, 121)", false},
		{"locked, and personal access", []string{lock("C_BPartner", 118, aitest.Locker)}, "C_BPartner", everything, false},
		{"organizations", []string{
			"UPDATE ad_role SET isaccessallorgs='N' WHERE ad_role_id=2000002",
			`INSERT INTO ad_role_orgaccess (ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, ad_role_id, isreadonly)
				SELECT 11, 50000, 'Y', created, 100, updated, 100, ad_role_id, 'Y' FROM ad_role WHERE ad_role_id=2000002`,
			record("C_BPartner", 118, "Y", "Y", "Y"),
		}, "C_Order", everything + " AND ad_org_id IN (0, 50000) AND c_bpartner_id <> 118", false},
		{"table, excluded", []string{tableRule("C_Order", "Y", "N")}, "C_Order", "", true},
		{"table, excluded from changes", []string{tableRule("C_Order", "Y", "Y"), record("C_BPartner", 118, "Y", "Y", "Y")}, "C_Order", everything + " AND c_bpartner_id <> 118", false},
		{"table, another included", []string{tableRule("C_Invoice", "N", "N")}, "C_Order", "", true},
	}
	both(t, func(t *testing.T, w *world) {
		w.exec(t, "UPDATE ad_role SET maxqueryrecords=0 WHERE ad_role_id=2000002")
		for i, c := range cases {
			if testing.Short() && i%8 != 0 {
				continue // the same code runs for each rule
			}
			t.Run(c.name, func(t *testing.T) {
				defer func() {
					w.exec(t, `DELETE FROM ad_record_access WHERE ad_role_id=2000002; DELETE FROM ad_table_access WHERE ad_role_id=2000002;
						DELETE FROM ad_role_orgaccess WHERE ad_role_id=2000002; DELETE FROM ad_private_access WHERE record_id=118;
						UPDATE ad_role SET isaccessallorgs='Y', ispersonalaccess='Y' WHERE ad_role_id=2000002`)
					w.Invalidate() // a refusal may be a minute old
				}()
				if len(c.rules) > 0 {
					w.exec(t, strings.Join(c.rules, "; "))
				}
				table, key, _ := strings.Cut(c.table, ".")
				if key == "" {
					key = table + "_ID"
				}
				if c.refused {
					_, err := w.Query(t.Context(), user, aiquery.Request{SQL: "SELECT 1 FROM " + table, RoleID: role})
					require.ErrorIs(t, err, &api.Error{Code: api.CodeDenied})
					return
				}
				want := w.raw(t, fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY 1", key, table, c.visible))
				require.NotEmpty(t, want, "the case shows nothing")
				require.Less(t, len(want), len(w.raw(t, "SELECT 1 FROM "+table)), "the case hides nothing")
				assert.Equal(t, want, w.governed(t, user, role, key, table))
			})
		}
	})
}

func tableRule(table, exclude, readOnly string) string {
	return fmt.Sprintf(`INSERT INTO ad_table_access (ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby,
		ad_role_id, ad_table_id, accesstyperule, isexclude, isreadonly)
		SELECT 11, 0, 'Y', created, 100, updated, 100, 2000002, ad_table_id, 'A', '%s', '%s' FROM ad_table WHERE tablename='%s'`, exclude, readOnly, table)
}

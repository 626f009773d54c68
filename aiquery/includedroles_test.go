package aiquery_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// A role that includes others, which include others and are stood in for, shows in
// governed SQL what the REST API of the embedded ERP shows.
func TestIncludedRoles(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	r := rand.New(rand.NewPCG(seed, 10))
	w := onEmbedded(t, nil)
	yes := func(oneOf int) string { return yesNo(r.IntN(oneOf) == 0) }
	const standard, values = "ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby", "11, 0, '%s', '2026-01-01 00:00:00', 100, '2026-01-01 00:00:00', 100"
	row := func(table, columns, format string, args ...any) {
		w.exec(t, fmt.Sprintf("INSERT INTO %s (%s, %s) VALUES (%s, %s)", table, standard, columns, fmt.Sprintf(values, yesNo(r.IntN(6) > 0)), fmt.Sprintf(format, args...)))
	}
	dependent := false
	rules := func(role int) {
		for _, org := range slices.Concat(aitest.VisibleOrgs()[1:], aitest.HiddenOrgs()) {
			if r.IntN(3) == 0 {
				row("ad_role_orgaccess", "ad_role_id, isreadonly", "%d, 'N'", role)
				w.exec(t, fmt.Sprintf("UPDATE ad_role_orgaccess SET ad_org_id=%d WHERE ad_org_id=0 AND ad_role_id=%d", org, role))
			}
		}
		for _, table := range []string{"C_BPartner", "AD_User", "M_Product"} {
			id := w.raw(t, fmt.Sprintf("SELECT ad_table_id FROM ad_table WHERE tablename='%s'", table))[0]
			only := r.IntN(4) == 0
			for _, record := range randomRoleTables[table] {
				if r.IntN(3) == 0 {
					row("ad_record_access", "ad_role_id, ad_table_id, record_id, isexclude, isreadonly, isdependententities", "%d, %s, %d, '%s', '%s', '%s'", role, id, record, yesNo(!only), yes(2), yesNo(dependent && r.IntN(2) == 0))
				}
			}
			if r.IntN(4) == 0 {
				row("ad_table_access", "ad_role_id, ad_table_id, accesstyperule, isexclude, isreadonly", "%d, %s, '%s', '%s', '%s'", role, id, string("AAR"[r.IntN(3)]), yes(2), yes(2))
			}
		}
	}
	restricted := map[string]string{} // columns that rules are about, by their numbers
	for _, name := range []string{"Value", "Name", "TotalOpenBalance", "IsCustomer", "C_BP_Group_ID", "C_BPartner_ID"} {
		id := w.raw(t, fmt.Sprintf("SELECT c.ad_column_id FROM ad_column c JOIN ad_table t ON t.ad_table_id=c.ad_table_id WHERE t.tablename='C_BPartner' AND c.columnname='%s'", name))[0]
		restricted[id] = name
	}
	columnRules := func(role int) {
		exclude := yes(2)
		for _, id := range slices.Sorted(maps.Keys(restricted)) {
			if restricted[id] == "C_BPartner_ID" {
				if exclude == "N" { // a list, which the statements below need the key in
					w.exec(t, fmt.Sprintf("INSERT INTO ad_column_access (%s, ad_role_id, ad_table_id, ad_column_id, isexclude, isreadonly) VALUES (%s, %d, 291, %s, 'N', 'Y')", standard, fmt.Sprintf(values, "Y"), role, id))
				}
			} else if r.IntN(4) == 0 {
				row("ad_column_access", "ad_role_id, ad_table_id, ad_column_id, isexclude, isreadonly", "%d, 291, %s, '%s', '%s'", role, id, exclude, yes(2))
			}
		}
	}
	var columns, copied []string
	for _, column := range columnNames(t, w, "AD_Role") {
		columns = append(columns, column)
		switch strings.ToLower(column) {
		case "ad_role_id":
			column = "%[1]d"
		case "ad_role_uu":
			column = "NULL"
		case "name":
			column = "'Random %[1]d'"
		case "isactive":
			column = "'%[2]s'"
		case "isuseuserorgaccess":
			column = "'%[3]s'"
		}
		copied = append(copied, column)
	}
	w.exec(t, fmt.Sprintf("INSERT INTO ad_user_orgaccess (%s, ad_user_id, isreadonly) VALUES (11, 11, 'Y', '2026-01-01 00:00:00', 100, '2026-01-01 00:00:00', 100, %d, 'N')", standard, aitest.User))
	shown, columnsCompared := 0, map[bool]int{}
	for round := range 25 {
		roles := []int{aitest.Whole}
		dependent = r.IntN(2) == 0
		w.exec(t, fmt.Sprintf("UPDATE ad_role SET isaccessallorgs='%s', ispersonalaccess='%s', isuseuserorgaccess='%s', maxqueryrecords=0 WHERE ad_role_id=%d", yes(2), yes(2), yes(5), aitest.Whole))
		for i := range 1 + r.IntN(4) {
			id := 2_100_000 + 10*round + i
			w.exec(t, fmt.Sprintf("INSERT INTO ad_role (%s) SELECT %s FROM ad_role WHERE ad_role_id=%d", strings.Join(columns, ", "), fmt.Sprintf(strings.Join(copied, ", "), id, yesNo(r.IntN(6) > 0), yes(5)), aitest.Whole))
			rules(id)
			columnRules(id)
			if r.IntN(4) == 0 {
				row("ad_user_roles", "ad_user_id, ad_role_id", "%d, %d", aitest.Locker, id)
			} else {
				row("ad_role_included", "ad_role_id, included_role_id, seqno", "%d, %d, %d", roles[r.IntN(len(roles))], id, 10*r.IntN(2))
			}
			roles = append(roles, id)
		}
		row("ad_user_substitute", "ad_user_substitute_id, name, ad_user_id, substitute_id", "%d, 'away', %d, %d", 2_100_000+round, aitest.Locker, aitest.User)
		rules(aitest.Whole)
		columnRules(aitest.Whole)
		w.exec(t, fmt.Sprintf("INSERT INTO ad_role_orgaccess (%s, ad_role_id, isreadonly) VALUES (11, 11, 'Y', '2026-01-01 00:00:00', 100, '2026-01-01 00:00:00', 100, %d, 'N') ON CONFLICT DO NOTHING;"+
			"UPDATE ad_role_orgaccess SET isactive='Y' WHERE ad_org_id=11 AND ad_role_id=%[2]d", standard, aitest.Whole))
		w.Invalidate()
		token, err := w.srv.APIToken(t.Context(), "AiUser", 11, aitest.Whole, 11, time.Hour)
		require.NoError(t, err)
		for _, table := range []string{"C_BPartner", "AD_User", "M_Product", "C_Order", "C_OrderLine", "C_Invoice"} {
			rest := restRows(t, w, token, table)
			active := w.raw(t, fmt.Sprintf("SELECT %[1]s_ID FROM %[1]s WHERE isactive='Y'", table)) // which the ERP shows alone
			got := slices.DeleteFunc(w.allGoverned(t, user, aitest.Whole, table+"_ID", table), func(id string) bool { return !slices.Contains(active, id) })
			if len(rest) > 0 {
				shown++
			}
			slices.Sort(rest)
			slices.Sort(got)
			if dependent { // governed SQL looks at references that the ERP does not look at
				assert.Empty(t, without(got, rest), "seed %d, round %d, %s", seed, round, table)
			} else {
				assert.Equal(t, rest, got, "seed %d, round %d, %s", seed, round, table)
			}
		}
		if partners := restRows(t, w, token, "C_BPartner"); len(partners) > 0 {
			shows := restRecord(t, w, token, "C_BPartner", partners[0])
			for _, name := range restricted {
				if name == "C_BPartner_ID" {
					continue
				}
				_, err := w.Query(t.Context(), user, aiquery.Request{SQL: fmt.Sprintf("SELECT %s FROM C_BPartner WHERE C_BPartner_ID = %s", name, partners[0]), RoleID: aitest.Whole})
				_, shown := shows[name]
				assert.Equal(t, shown, err == nil, "seed %d, round %d, column %s: %v", seed, round, name, err)
				columnsCompared[shown]++
			}
		}
		for _, table := range []string{"ad_column_access", "ad_role_orgaccess", "ad_record_access", "ad_table_access", "ad_role_included"} {
			w.exec(t, fmt.Sprintf("DELETE FROM %s WHERE ad_role_id=%d OR ad_role_id>=2100000", table, aitest.Whole))
		}
		w.exec(t, "DELETE FROM ad_user_roles WHERE ad_role_id>=2100000; DELETE FROM ad_user_substitute WHERE ad_user_substitute_id>=2100000")
	}
	assert.Greater(t, shown, 50)
	assert.Greater(t, columnsCompared[true], 5)
	assert.Greater(t, columnsCompared[false], 5)
}

// restRecord is a record as the REST API of the embedded ERP shows it.
func restRecord(t testing.TB, w *world, token, table, id string) (record map[string]json.RawMessage) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.srv.URL()+"/api/v1/models/"+table+"/"+id, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.NoError(t, json.NewDecoder(response.Body).Decode(&record))
	return record
}

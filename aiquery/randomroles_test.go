package aiquery_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/aitest"
)

// A role made at random is shown in governed SQL, and over the REST API of the
// embedded ERP, what the ERP's rules leave of a table. The rules are written
// down here once more, from what the ERP's own role code adds to a statement that
// names all columns.

// randomRecordRule is a row of AD_Record_Access.
type randomRecordRule struct {
	table                        string
	id                           int
	exclude, readOnly, dependent bool
}

// randomRole is what is added to the role Whole.
type randomRole struct {
	orgs     []int64 // nil: all
	personal bool
	records  []randomRecordRule
	locks    map[string][]int // of another user
}

var randomRoleTables = map[string][]int{
	"C_BPartner": {112, 113, 114, 117, 118, 119, 120, 121}, "AD_User": {100, 101, 102, 103, 105}, "M_Product": {122, 123, 124, 125, 126, 128},
}

func newRandomRole(r *rand.Rand) randomRole {
	role := randomRole{personal: r.IntN(2) == 0, locks: map[string][]int{}}
	if r.IntN(2) == 0 {
		role.orgs = []int64{}
		for _, org := range slices.Concat(aitest.VisibleOrgs()[1:], aitest.HiddenOrgs()) {
			if r.IntN(2) == 0 {
				role.orgs = append(role.orgs, org)
			}
		}
	}
	for _, table := range []string{"C_BPartner", "AD_User", "M_Product"} {
		ids := randomRoleTables[table]
		if r.IntN(2) == 0 {
			for _, id := range ids {
				if r.IntN(3) == 0 {
					role.records = append(role.records, randomRecordRule{table, id, r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(2) == 0})
				}
			}
		}
		if r.IntN(3) == 0 {
			role.locks[table] = []int{ids[r.IntN(5)]} // the tests' data have locks on later ones
		}
	}
	return role
}

func yesNo(b bool) string { return map[bool]string{true: "Y", false: "N"}[b] }

// script adds the rules, without the table's own that tests share.
func (role randomRole) script() string {
	var b strings.Builder
	const standard = "ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby"
	const values = "11, 0, 'Y', created, 2000100, updated, 100"
	fmt.Fprintf(&b, "UPDATE ad_role SET isaccessallorgs='%s', ispersonalaccess='%s' WHERE ad_role_id=2000002;", yesNo(role.orgs == nil), yesNo(role.personal))
	for _, org := range role.orgs {
		fmt.Fprintf(&b, "INSERT INTO ad_role_orgaccess (%s, ad_role_id, isreadonly) SELECT 11, %d, 'Y', created, 100, updated, 100, ad_role_id, 'N' FROM ad_role WHERE ad_role_id=2000002;", standard, org)
	}
	for _, r := range role.records {
		fmt.Fprintf(&b, "INSERT INTO ad_record_access (%s, ad_role_id, ad_table_id, record_id, isexclude, isreadonly, isdependententities) SELECT %s, 2000002, ad_table_id, %d, '%s', '%s', '%s' FROM ad_table WHERE tablename='%s';",
			standard, values, r.id, yesNo(r.exclude), yesNo(r.readOnly), yesNo(r.dependent), r.table)
	}
	for table, ids := range role.locks {
		for _, id := range ids {
			fmt.Fprintf(&b, "INSERT INTO ad_private_access (%s, ad_user_id, ad_table_id, record_id) SELECT %s, %d, ad_table_id, %d FROM ad_table WHERE tablename='%s';", standard, values, aitest.Locker, id, table)
		}
	}
	return b.String()
}

const undoRandomRole = `DELETE FROM ad_record_access WHERE ad_role_id=2000002; DELETE FROM ad_role_orgaccess WHERE ad_role_id=2000002;
	DELETE FROM ad_private_access WHERE createdby=2000100; UPDATE ad_role SET isaccessallorgs='Y', ispersonalaccess='Y' WHERE ad_role_id=2000002`

// visible is the condition on the rows of a table that the role sees when a
// statement names the columns.
func (role randomRole) visible(table string, columns []string, locked map[string][]int) string {
	key := table + "_ID"
	terms := []string{"ad_client_id IN (0, 11)"}
	list := func(ids []int) string { return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids)), ","), "[]") }
	if role.orgs != nil {
		orgs := []int{0}
		for _, o := range role.orgs {
			orgs = append(orgs, int(o))
		}
		terms = append(terms, "ad_org_id IN ("+list(orgs)+")")
		if len(role.orgs) == 0 {
			terms = append(terms, "ad_client_id = 0")
		}
	}
	some := func(is func(randomRecordRule) bool) (ids []int) {
		for _, r := range role.records {
			if is(r) {
				ids = append(ids, r.id)
			}
		}
		return ids
	}
	if in := some(func(r randomRecordRule) bool { return r.table == table && !r.exclude }); len(in) > 0 {
		terms = append(terms, key+" IN ("+list(in)+")")
	}
	if out := some(func(r randomRecordRule) bool { return r.table == table && r.exclude }); len(out) > 0 {
		terms = append(terms, key+" NOT IN ("+list(out)+")")
	}
	if ids := append(slices.Clone(locked[table]), role.locks[table]...); !role.personal && len(ids) > 0 {
		terms = append(terms, key+" NOT IN ("+list(ids)+")")
	}
	var in, out []int // which the ERP does not forget at the next table; in the order of AD_Table_ID
	for _, master := range []string{"AD_User", "M_Product", "C_BPartner"} {
		column := master + "_ID"
		if master == "AD_User" && table != master {
			column = "SalesRep_ID"
		}
		moreIn := some(func(r randomRecordRule) bool { return r.table == master && r.dependent && !r.exclude })
		moreOut := some(func(r randomRecordRule) bool { return r.table == master && r.dependent && r.exclude })
		if len(moreIn)+len(moreOut) == 0 || !slices.ContainsFunc(columns, func(c string) bool { return strings.EqualFold(c, column) }) {
			continue
		}
		in, out = append(in, moreIn...), append(out, moreOut...)
		if len(in) > 0 {
			terms = append(terms, column+" IN ("+list(in)+")")
		} else {
			terms = append(terms, "("+column+" IS NULL OR "+column+" NOT IN ("+list(out)+"))")
		}
	}
	return strings.Join(terms, " AND ")
}

// restRows are the ids that the REST API of the embedded ERP shows.
func restRows(t testing.TB, w *world, token, table string) []string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.srv.URL()+"/api/v1/models/"+table+"?$top=1000", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	if response.StatusCode == http.StatusForbidden {
		return nil // the role may not read the table
	}
	require.Equal(t, http.StatusOK, response.StatusCode)
	var page struct {
		Records []struct {
			ID json.Number `json:"id"`
		}
		Total int `json:"row-count"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&page))
	require.Len(t, page.Records, page.Total)
	var ids []string
	for _, r := range page.Records {
		ids = append(ids, r.ID.String())
	}
	return ids
}

// columnNames are the columns of a table in either database.
func columnNames(t testing.TB, w *world, table string) []string {
	t.Helper()
	if w.srv != nil {
		return embeddedColumns(t, w, table)
	}
	rows, err := plainRows(t.Context(), connection(t, w.url, ""), "SELECT attname FROM pg_attribute WHERE attrelid='adempiere."+table+"'::regclass AND attnum>0 AND NOT attisdropped")
	require.NoError(t, err)
	var names []string
	for _, row := range rows {
		names = append(names, row[0])
	}
	return names
}

func TestRandomRoles(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	r := rand.New(rand.NewPCG(seed, 9))
	roles := 25
	if testing.Short() {
		roles = 6
	}
	made := make([]randomRole, roles)
	for i := range made {
		made[i] = newRandomRole(r)
	}
	tables := []string{"C_BPartner", "AD_User", "M_Product", "C_Order", "C_OrderLine", "C_Invoice"}
	both(t, func(t *testing.T, w *world) {
		w.exec(t, "UPDATE ad_role SET maxqueryrecords=0 WHERE ad_role_id=2000002")
		columns := map[string][]string{}
		locked := map[string][]int{"C_BPartner": {aitest.LockedPartner, aitest.LockedPartner + 1}}
		for _, table := range tables {
			columns[table] = columnNames(t, w, table)
		}
		wider, stricter, equal := 0, 0, 0
		for i, role := range made {
			w.exec(t, role.script())
			w.Invalidate()
			var token string
			if w.srv != nil {
				var err error
				org := int64(11)
				if role.orgs != nil {
					org = append(role.orgs, 0)[0]
				}
				if token, err = w.srv.APIToken(t.Context(), "AiUser", 11, aitest.Whole, org, time.Hour); err != nil {
					require.Empty(t, slices.DeleteFunc(slices.Clone(role.orgs), func(org int64) bool { return org == 50007 })) // nobody can log in without one, or with a summary
				}
			}
			for _, table := range tables {
				key := table + "_ID"
				want := w.raw(t, fmt.Sprintf("SELECT %s FROM %s WHERE %s", key, table, role.visible(table, columns[table], locked)))
				got := w.governed(t, user, aitest.Whole, key, table)
				if more := without(got, want); len(more) > 0 {
					wider++
					t.Errorf("role %d sees of %s too much: %v\n%+v", i, table, more, role)
				}
				if less := without(want, got); len(less) > 0 {
					stricter++ // a reference that the ERP does not look at counts here
				} else {
					equal++
				}
				if token != "" { // which leaves inactive records out
					rest := restRows(t, w, token, table)
					want := w.raw(t, fmt.Sprintf("SELECT %s FROM %s WHERE isactive='Y' AND %s", key, table, role.visible(table, columns[table], locked)))
					slices.Sort(rest)
					slices.Sort(want)
					assert.Equal(t, want, rest, "role %d, %s over REST: %+v", i, table, role)
				}
			}
			w.exec(t, undoRandomRole)
		}
		t.Logf("%d equal, %d stricter, %d wider", equal, stricter, wider)
		assert.Greater(t, equal, 4*stricter)
	})
}

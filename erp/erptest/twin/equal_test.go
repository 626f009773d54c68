package twin_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/testkit/recorded"
)

// everything are the options for a twin with all business records, in all languages.
func everything(t *testing.T, srv *erptest.Server) twin.Options {
	o := orders()
	o.Tables, o.Languages = []string{"*"}, texts(t, srv, "SELECT AD_Language FROM AD_Language WHERE AD_Language<>'en_US'")
	return o
}

// request is a list that is requested with a login, "" for none.
type request struct{ as, path string }

// recordedLists are the lists that the recorded scenarios request, and the logins
// by their JSON.
func recordedLists(t *testing.T) []request {
	t.Helper()
	files := recorded.GoldenFiles()
	require.NotEmpty(t, files)
	reference := recorded.ReferenceFiles()
	if len(reference) == 0 {
		t.Log("SKIPPED: the recorded requests of the real server are not here; set ERPHUB_REFERENCE to the folder that has them")
	}
	seen := map[request]bool{}
	for _, file := range slices.Concat(files, reference) {
		scenarios, err := recorded.Load(file)
		require.NoError(t, err)
		for _, s := range scenarios {
			as := string(s.As)
			if as == "null" {
				as = ""
			}
			for _, step := range s.Steps {
				if step.Method != http.MethodGet || !strings.HasPrefix(step.Path, "/models/") || strings.Contains(step.Path+step.Query, "{{") {
					continue
				}
				if strings.HasPrefix(strings.ToLower(step.Path), "/models/ad_user/") {
					continue // the twin has its own logins, and they change the user
				}
				r := request{as, step.Path}
				if step.Query != "" {
					r.path += "?" + step.Query
				}
				if step.NoAuth {
					r.as = ""
				}
				seen[r] = true
			}
		}
	}
	out := slices.Collect(maps.Keys(seen))
	slices.SortFunc(out, func(a, b request) int { return strings.Compare(a.as+a.path, b.as+b.path) })
	return out
}

// ownLists request each table with rows, and documents in the ways that people look
// for them.
func ownLists(t *testing.T, srv *erptest.Server, report *twin.Report, logins []string) []request {
	t.Helper()
	var out []request
	keys := map[string]string{}
	for _, line := range texts(t, srv, `SELECT m.name || ' ' || group_concat(p.name) FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE m.type='table' AND p.pk>0 GROUP BY m.name`) {
		table, columns, _ := strings.Cut(line, " ")
		keys[table] = columns
	}
	for _, r := range report.Tables {
		if r.Skipped != "" || r.Problem != "" || r.Rows == 0 || r.Table == "C_CommissionLine" {
			continue
		}
		path := "/models/" + r.Table + "?$top=20"
		switch r.Table {
		case "AD_SysConfig": // without the secret
			path += "&$filter=" + url.QueryEscape("Name neq 'REST_TOKEN_SECRET'")
		case "AD_System": // whose password is not copied
			path += "&$select=Name,Version,ReleaseNo,SystemStatus"
		case "AD_User": // the twin has its own logins
			path += "&$select=Name,Value,EMail,C_BPartner_ID,IsLocked"
		}
		if keys[r.Table] != "" {
			path += "&$orderby=" + keys[r.Table] + "+desc"
		}
		for _, as := range logins {
			out = append(out, request{as, path})
		}
	}
	for _, path := range []string{
		"C_Order?$orderby=GrandTotal+desc,C_Order_ID&$top=500", "C_Order?$filter=IsSOTrx+eq+true+and+GrandTotal+gt+100&$orderby=DocumentNo&$skip=30&$top=100",
		"C_Order?$expand=C_OrderLine($orderby=Line;$select=Line,M_Product_ID,LineNetAmt),C_BPartner_ID&$top=10&$orderby=C_Order_ID+desc",
		"C_Order?$filter=DateOrdered+ge+2020-01-01&$select=DocumentNo,DateOrdered,DocStatus&$top=300", "C_Order?$top=300",
		"C_BPartner?$filter=contains(Name,'-2')&$orderby=Value", "C_BPartner?$filter=IsCustomer+eq+true&$orderby=Updated+desc,C_BPartner_ID&$top=40",
		"C_Invoice?$filter=C_BPartner_ID/Name+eq+'Joe+Block'", "C_Invoice?$filter=IsPaid+eq+false&$orderby=GrandTotal&$top=100", "M_Product?$orderby=Name&$top=100",
		"C_Payment?$orderby=PayAmt+desc,C_Payment_ID&$top=100", "M_InOut?$filter=DocStatus+eq+'CO'&$orderby=MovementDate,M_InOut_ID&$top=200", "M_InventoryLine?$top=100",
		"AD_User?$filter=C_BPartner_ID+neq+null&$orderby=Name&$select=Name,Phone,C_BPartner_ID", "M_ProductPrice?$top=100", "M_Transaction?$orderby=M_Transaction_ID+desc&$top=100",
		"RV_OpenItem?$orderby=DocumentNo,C_Invoice_ID&$top=200", "C_Invoice_Header_v?$orderby=C_Invoice_ID&$top=50",
		"RV_C_Invoice_ProductMonth?$orderby=M_Product_ID,DateInvoiced&$top=100",
	} {
		for _, as := range logins {
			out = append(out, request{as, "/models/" + path})
		}
	}
	return out
}

// logins are those of an administrator and of a user with fewer permissions in the
// tenant that is cloned, of the System and of another tenant.
var (
	ofTenant = []string{
		`{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`,
		`{"userName":"GardenUser","password":"GardenUser","parameters":{"clientId":11,"roleId":103,"organizationId":11}}`,
	}
	ofSystem = `{"userName":"SuperUser","password":"System","parameters":{"clientId":0,"roleId":0,"organizationId":0}}`
	ofOther  = `{"userName":"FernAdmin","password":"FernAdmin","parameters":{"clientId":1000000,"roleId":1000000,"organizationId":1000000}}`
)

// Twins respond to lists as their source does, to the byte: over REST in the tenant
// that was cloned, from the database in all; masked ones apart from what is masked.
// ERPHUB_PROOF has it with 100,000 records, the fields of windows (a third of the
// dictionary), and every table for every login.
func TestEqual(t *testing.T) {
	if testing.Short() {
		t.Skip("clones all tables from three sources")
	}
	t.Parallel()
	n, logins := 3000, ofTenant[:1]
	whole := func(src twin.Source) twin.Source { return withoutFields{src} }
	if os.Getenv("ERPHUB_PROOF") != "" {
		n, logins = 100_000, slices.Concat(ofTenant, []string{ofSystem})
		whole = func(src twin.Source) twin.Source { return src }
	}
	srv, records := filled(t, n)
	// What the role may not read is reported.
	require.NoError(t, srv.RestrictPath(t.Context(), `v1/models/C_CommissionLine(/.*)?`, 103, "GET"))
	opts := everything(t, srv)
	source := &sessions{srv: srv, tokens: map[string]string{}}
	requests := slices.DeleteFunc(recordedLists(t), func(r request) bool {
		return n < 100_000 && strings.Contains(strings.ToLower(r.path), "ad_field")
	})
	for _, r := range requests { // before it is cloned: logging in changes users
		source.token(t, r.as)
	}
	for _, as := range append(logins, ofOther) {
		source.token(t, as)
	}
	same := func(_ request, want, got string) bool { return want == got }
	cloned := func(t *testing.T, src twin.Source, opts twin.Options) (*sessions, *twin.Report) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "twin")
		report, err := twin.Clone(t.Context(), src, dir, opts)
		require.NoError(t, err)
		t.Logf("%d business records: %d rows in %v, %.1f MB", records, report.Rows, report.Took, float64(report.Bytes)/1e6)
		for _, r := range report.Tables {
			if r.Table != "C_CommissionLine" {
				assert.Empty(t, r.Unreadable+r.Problem, r.Table)
			}
			assert.Empty(t, r.Unfit, r.Table)
			assert.Empty(t, r.Filled, r.Table)
		}
		assert.Equal(t, report.Rows, verified(t, dir).Rows)
		assertNoSecrets(t, srv, twin.InFolder(dir))
		return &sessions{srv: erptest.New(t, erptest.FromTwin(dir)), password: opts.Password, tokens: map[string]string{}}, report
	}
	t.Run("REST", func(t *testing.T) {
		copied, report := cloned(t, whole(twin.NewREST(client(t, srv, "GardenAdmin", 11, 102), &twin.RESTOptions{PageSize: 2000})), opts)
		assert.Contains(t, table(t, report, "C_CommissionLine").Unreadable, "not readable with this login")
		assert.Equal(t, "the API leaves out values of this display type", table(t, report, "C_OrderLine").NotCopied["S_ResourceAssignment_ID"])
		assert.Empty(t, copied.token(t, ofOther), "the tenant that the role does not see")
		own := slices.DeleteFunc(slices.Concat(requests, ownLists(t, srv, report, logins)), func(r request) bool { return strings.Contains(r.as, "FernAdmin") })
		compare(t, source, copied, own, same).report(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		db, cluster := postgres(t, srv)
		src, err := twin.NewDatabase(db, twin.PostgreSQL, &twin.DatabaseOptions{Origin: "a database"})
		require.NoError(t, err)
		copied, report := cloned(t, whole(src), opts)
		assert.Equal(t, 1, src.Transactions())
		compare(t, source, copied, slices.Concat(requests, ownLists(t, srv, report, append(logins, ofOther))), same).report(t)
		require.NoError(t, src.Close())
		t.Run("a login that may not read all", func(t *testing.T) { limitedReader(t, cluster) })
	})
	t.Run("masked", func(t *testing.T) {
		opts := opts
		opts.Masking = mask.Options{Key: mask.FixedKey("equal")}
		copied, report := cloned(t, whole(database(t, srv)), opts)
		copied.names = map[string]string{}
		const users = `SELECT Name FROM AD_User WHERE AD_User_ID IN (100, 101, 102, 1000000) ORDER BY AD_User_ID`
		for i, name := range texts(t, copied.srv, users) {
			copied.names[texts(t, srv, users)[i]] = name
		}
		m := maskedColumns(t, srv, report)
		own := slices.DeleteFunc(ownLists(t, srv, report, append(logins, ofOther)), func(r request) bool { // what is masked has other names in views
			return strings.Contains(r.path, "/RV_") || strings.Contains(r.path, "_Header_v?")
		})
		compare(t, source, copied, slices.Concat(requests, own), m.same).report(t)
		t.Logf("of %d, only the status was compared: they look for masked values, or sort by them", m.searched)
	})
}

// assertNoSecrets looks for secrets of a server in a file.
func assertNoSecrets(t *testing.T, srv *erptest.Server, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	secrets := append(texts(t, srv, `SELECT Password FROM AD_User WHERE Password IS NOT NULL UNION SELECT Salt FROM AD_User WHERE Salt IS NOT NULL`),
		srv.TokenSecret(), "known to the test")
	assert.Greater(t, len(secrets), 5)
	for _, secret := range secrets {
		assert.False(t, bytes.Contains(data, []byte(secret)), "a secret is in the twin")
	}
}

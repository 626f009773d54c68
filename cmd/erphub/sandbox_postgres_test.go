package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// gardenToken logs in to a sandbox.
func gardenToken(t *testing.T, p *program, user string, role string) func(*http.Request) {
	t.Helper()
	status, body := p.call(http.MethodPost, "/api/v1/auth/tokens",
		`{"userName":"`+user+`","password":"`+user+`","parameters":{"clientId":11,"roleId":`+role+`,"organizationId":11}}`,
		func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
	require.Equal(t, 200, status, body)
	var login struct{ Token string }
	require.NoError(t, json.Unmarshal([]byte(body), &login))
	bear := bearing(login.Token)
	return func(r *http.Request) {
		bear(r)
		r.Header.Set("Content-Type", "application/json")
	}
}

// rowsOf are the rows of a response, or its error's code.
func rowsOf(t *testing.T, status int, body string) string {
	t.Helper()
	var response struct {
		Rows  json.RawMessage
		Code  string
		Error struct{ Code string }
	}
	require.NoError(t, json.Unmarshal([]byte(body), &response), body)
	if status != 200 {
		return http.StatusText(status) + " " + response.Code + response.Error.Code
	}
	return string(response.Rows)
}

// With --postgres auto the AI API understands all of PostgreSQL's dialect, from
// what the REST API has written the moment before, and leaves nothing behind.
func TestSandboxPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("the packages beneath are watched themselves")
	}
	t.Parallel()
	testpg.URL(t) // skips without PostgreSQL
	p := serve(t, nil, "sandbox", "--postgres", "auto")
	plain := serve(t, nil, "sandbox")
	says := func(p *program, what string) {
		require.Eventually(t, func() bool { return strings.Contains(p.errOut.String(), what) }, 10*time.Second, 5*time.Millisecond, what)
	}
	says(p, "SQL of its AI API is run by PostgreSQL")
	says(plain, "SQL of its AI API is run by the embedded database")
	admin, plainAdmin := gardenToken(t, p, "GardenAdmin", "102"), gardenToken(t, plain, "GardenAdmin", "102")
	query := func(p *program, as func(*http.Request), sql string, role int) string {
		status, body := p.call(http.MethodPost, "/api/ai/query", statement(sql, role), as)
		return rowsOf(t, status, body)
	}

	require.Eventually(t, func() bool { // until the ERP is copied, statements are turned away
		return query(p, admin, "SELECT 1", 102) == "[[1]]"
	}, time.Minute, 10*time.Millisecond)
	for sql, want := range map[string]string{
		`SELECT (regexp_match(name, '^(J\w+)'))[1] FROM c_bpartner WHERE c_bpartner_id = 118`:                                                                  `[["Joe"]]`,
		`SELECT jsonb_build_object('n', name) FROM c_bpartner WHERE c_bpartner_id = 118`:                                                                       `[[{"n":"Joe Block"}]]`,
		`SELECT dateordered AT TIME ZONE 'Europe/Berlin' = dateordered FROM c_order WHERE c_order_id = (SELECT min(c_order_id) FROM c_order)`:                  `[[false]]`,
		`SELECT sum(c_bpartner_id) OVER (ORDER BY created RANGE BETWEEN interval '1 day' PRECEDING AND CURRENT ROW) FROM c_bpartner WHERE c_bpartner_id = 118`: `[[118]]`,
	} {
		assert.Equal(t, want, query(p, admin, sql, 102), sql)
		assert.Contains(t, query(plain, plainAdmin, sql, 102), "unsupported", "the embedded database: %s", sql)
	}

	// What is written is there for the next statement: rows, tables, columns, rights.
	call := func(method, path, body string, as func(*http.Request)) {
		t.Helper()
		status, text := p.call(method, path, body, as)
		require.Less(t, status, 300, text)
	}
	for _, name := range []string{"Ann", "Böb", `C "1"`} {
		text, err := json.Marshal(map[string]string{"Name": name})
		require.NoError(t, err)
		call(http.MethodPut, "/api/v1/models/C_BPartner/118", string(text), admin)
		quoted, err := json.Marshal([][]string{{name}})
		require.NoError(t, err)
		assert.JSONEq(t, string(quoted), query(p, admin, "SELECT name FROM c_bpartner WHERE c_bpartner_id = 118", 102))
	}

	var said strings.Builder
	code := execute(t.Context(), []string{"erphub", "add", "table", "XX_Fresh", "--with-name"},
		[]string{"HOME=" + t.TempDir(), "ERP_URL=" + p.url, "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"}, shell.Streams{In: strings.NewReader(""), Out: &said, Err: &said})
	require.Equal(t, shell.ExitDone, code, said.String())
	assert.Equal(t, `[]`, query(p, admin, "SELECT name FROM xx_fresh", 102))
	call(http.MethodPost, "/api/v1/models/XX_Fresh", `{"Name":"First"}`, admin)
	assert.Equal(t, `[["First"]]`, query(p, admin, "SELECT name FROM xx_fresh", 102))
	call(http.MethodPut, "/api/v1/models/C_BPartner/118", `{"IsActive":false}`, admin)
	assert.Equal(t, `[["N"]]`, query(p, admin, "SELECT isactive FROM c_bpartner WHERE c_bpartner_id = 118", 102))

	// The audit's records are the sandbox's own.
	status, body := p.call(http.MethodGet, "/api/v1/models/AIG_QueryLog?$filter="+url.QueryEscape("contains(AIG_QuerySQL,'regexp_match')"), "", admin)
	require.Equal(t, 200, status, body)
	assert.Contains(t, body, `"row-count":1`)
	assert.Contains(t, body, `adempiere`, "as it ran")

	assert.Equal(t, shell.ExitDone, p.stop(), p.errOut.String())
	assert.Equal(t, shell.ExitDone, plain.stop())
}

// moment is a time with seconds: of the demo data, midnight alone.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)

// withoutLogins is rows without when somebody logged in, which two servers do not do in
// the same second.
func withoutLogins(rows string) string {
	return moment.ReplaceAllStringFunc(rows, func(at string) string {
		if strings.HasSuffix(at, "T00:00:00") {
			return at
		}
		return "just now"
	})
}

// The role's filters are the same on both databases.
func TestSandboxPostgresFilters(t *testing.T) {
	if testing.Short() {
		t.Skip("the packages beneath are watched themselves")
	}
	t.Parallel()
	address := testpg.URL(t)
	p, plain := serve(t, nil, "sandbox", "--postgres", address), serve(t, nil, "sandbox")
	require.Eventually(t, func() bool { // until the ERP is copied, statements are turned away
		status, body := p.call(http.MethodPost, "/api/ai/query", statement("SELECT 1", 102), gardenToken(t, p, "GardenAdmin", "102"))
		return rowsOf(t, status, body) == "[[1]]"
	}, 2*time.Minute, 10*time.Millisecond)
	for _, as := range []struct {
		user string
		role int
	}{{"GardenAdmin", 102}, {"GardenAdmin", 103}, {"GardenUser", 103}, {"GardenUser", 102}, {"GardenAdmin", 0}} {
		login := map[int]string{102: "102", 103: "103", 0: "102"}[as.role]
		if as.user == "GardenUser" {
			login = "103"
		}
		one, other := gardenToken(t, p, as.user, login), gardenToken(t, plain, as.user, login)
		for _, sql := range []string{
			"SELECT c_bpartner_id, name FROM c_bpartner ORDER BY 1",
			"SELECT documentno, grandtotal, dateordered, docstatus, isactive FROM c_order ORDER BY 1",
			"SELECT o.documentno, l.line, l.qtyordered FROM c_order o JOIN c_orderline l USING (c_order_id) ORDER BY 1, 2",
			"SELECT ad_org_id, count(*), sum(grandtotal) FROM c_invoice GROUP BY 1 ORDER BY 1",
			"SELECT * FROM rv_openitem ORDER BY documentno", // views: SQLite's text and PostgreSQL's are one
			"SELECT * FROM rv_bpartner ORDER BY c_bpartner_id, ad_user_id",
			"SELECT * FROM rv_c_invoice_productmonth ORDER BY m_product_id, dateinvoiced",
			"SELECT * FROM rv_orderdetail ORDER BY documentno, line",
			"SELECT * FROM m_storage ORDER BY m_storage_uu",
			"SELECT * FROM rv_unposted ORDER BY rv_unposted_uu",
			"SELECT count(*) FROM rv_warehouseprice",
			"SELECT name, password FROM ad_user ORDER BY 1",
			"SELECT count(*) FROM ad_role",
			"SELECT tablename FROM ad_table ORDER BY 1",
			"SELECT aig_querysql FROM aig_querylog",
			"SELECT token FROM rest_authtoken",
			"SELECT relname FROM pg_class",
			"DELETE FROM c_order",
			"SELECT nothing FROM c_order",
		} {
			status, body := p.call(http.MethodPost, "/api/ai/query", statement(sql, as.role), one)
			plainStatus, plainBody := plain.call(http.MethodPost, "/api/ai/query", statement(sql, as.role), other)
			assert.Equal(t, withoutLogins(rowsOf(t, plainStatus, plainBody)), withoutLogins(rowsOf(t, status, body)), "%s as %s, role %d; the sandbox says:\n%s", sql, as.user, as.role, p.errOut.String())
		}
	}
	assert.Equal(t, shell.ExitDone, p.stop())
	assert.Equal(t, shell.ExitDone, plain.stop())
}

// A database that is not the sandbox's to use is refused, and its password told to
// nobody.
func TestSandboxPostgresRefusals(t *testing.T) {
	t.Parallel()
	const secret = "canary-s3cret"
	address := testpg.URL(t)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "CREATE SCHEMA adempiere")
	require.NoError(t, err)
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword("test", secret)
	file := filepath.Join(t.TempDir(), "address")
	require.NoError(t, os.WriteFile(file, []byte(u.String()+"\n"), 0o600))
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a schema of somebody else":    {[]string{"--postgres-file", file}, shell.ExitFailed, "was not made by a sandbox of erphub, and stays as it is"},
		"nobody there":                 {[]string{"--postgres", "postgres://test:" + secret + "@127.0.0.1:1/x"}, shell.ExitFailed, "127.0.0.1:1"},
		"no address":                   {[]string{"--postgres", "yes"}, shell.ExitFailed, "write postgres://"},
		"both":                         {[]string{"--postgres", "auto", "--postgres-file", file}, shell.ExitUsage, "choose one"},
		"a reader alone":               {[]string{"--postgres-reader", "postgres://" + secret}, shell.ExitUsage, "name that, too"},
		"a reader of a private server": {[]string{"--postgres", "auto", "--postgres-reader-file", file}, shell.ExitUsage, "leave --postgres-reader out"},
		"a reader that cannot be read": {[]string{"--postgres-file", file, "--postgres-reader", "postgres://u:" + secret + "%zz@x"}, shell.ExitFailed, "cannot be understood"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errOut strings.Builder
			code := execute(t.Context(), append([]string{"erphub", "sandbox", "--listen", "127.0.0.1:0"}, tt.args...), []string{"HOME=" + t.TempDir()},
				shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errOut})
			assert.Equal(t, tt.code, code, errOut.String())
			assert.Contains(t, errOut.String(), tt.says)
			assert.NotContains(t, out.String()+errOut.String(), secret)
		})
	}
}

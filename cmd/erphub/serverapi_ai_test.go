package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// tokenSecret signs the tokens of these tests.
const tokenSecret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// signed is a token of a user, as the ERP makes them.
func signed(t testing.TB, user, role int) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "sub": "AiUser", "exp": time.Now().Add(time.Hour).Unix(),
		"AD_Client_ID": aitest.Tenant, "AD_User_ID": user, "AD_Role_ID": role, "AD_Org_ID": 0}).SignedString([]byte(tokenSecret))
	require.NoError(t, err)
	return text
}

func bearing(token string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
	}
}

// withPassword is an address with a password, which the test server does not
// statement for.
func withPassword(t testing.TB, address, password string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

func statement(sql string, role int) string {
	text, _ := json.Marshal(map[string]any{"sql": sql, "roleId": role})
	return string(text)
}

// The AI API runs on a database alone: not without the audit's table, which it
// makes when told so, and it says when queries cannot be run any more.
func TestServerAPIQueries(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL")
	}
	t.Parallel()
	const password = "Kanarienvogel"
	owner := aitest.Postgres(t)
	dir := t.TempDir()
	secret, database := filepath.Join(dir, "secret"), filepath.Join(dir, "database")
	require.NoError(t, os.WriteFile(secret, []byte(tokenSecret+"\n"), 0o600))
	require.NoError(t, os.WriteFile(database, []byte(withPassword(t, owner, password)+"\n"), 0o600))

	var out, errOut bytes.Buffer
	args := []string{"server", "api", "--database-file", database, "--jwt-secret-file", secret}
	code := execute(t.Context(), append([]string{"erphub"}, args...), []string{"HOME=" + dir}, shell.Streams{Out: &out, Err: &errOut})
	assert.Equal(t, shell.ExitFailed, code)
	assert.Contains(t, errOut.String(), "--install")
	assert.NotContains(t, errOut.String(), password)

	p := serve(t, nil, append(args, "--install", "--json", "--metrics-listen", "127.0.0.1:0")...)
	assert.JSONEq(t, `{"url":"`+p.url+`","ai":"`+p.url+`/api/ai"}`, p.out.String())
	status, _ := p.call(http.MethodGet, "/readyz", "", nil)
	assert.Equal(t, 200, status)
	status, _ = p.call(http.MethodGet, "/deployments", "", nil)
	assert.Equal(t, 404, status, "there is no board without an ERP")
	user := bearing(signed(t, aitest.User, aitest.Reader))
	status, body := p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Whole), user)
	assert.Equal(t, 200, status, body)
	assert.Contains(t, body, `"tables":["C_Order"]`)
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.System), user)
	assert.Equal(t, 403, status, body)
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Whole), nil)
	assert.Equal(t, 401, status, body)
	status, body = p.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"archive"}`, user)
	assert.Equal(t, 200, status, body)
	assert.True(t, strings.HasPrefix(body, "PK"), "a zip")
	status, body = p.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"filesystem"}`, user)
	assert.Equal(t, 501, status, "no folder is set: %s", body)
	status, _ = p.call(http.MethodGet, "/api/artifacts/nothing/download", "", nil)
	assert.Equal(t, 404, status)
	_, metrics := p.call(http.MethodGet, "/metrics", "", nil)
	assert.Contains(t, metrics, `ai_requests_total{operation="query",code="ok"} 1`)
	assert.Regexp(t, `(?m)^dictionary_checked_timestamp_seconds [1-9]`, metrics)
	assert.NotContains(t, metrics, "ai_request_duration_seconds", "how long statements take tells how much there is")
	where := regexp.MustCompile(`metrics with times and sizes are at (\S+)`).FindStringSubmatch(p.errOut.String())
	require.NotNil(t, where, p.errOut.String())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, where[1], nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	assert.Contains(t, string(all), `ai_request_duration_seconds_count{operation="query"}`)

	// With logins that can do no more than they must there is nothing to warn of.
	// The addresses come from the configuration and the environment.
	assert.Contains(t, p.errOut.String(), "warning:", "the owner can do too much")
	conn, err := pgx.Connect(t.Context(), owner)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	exec := func(statement string) {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	exec("GRANT SELECT, INSERT, UPDATE ON adempiere.aig_querylog TO " + aitest.AuditLogin)
	exec("GRANT USAGE ON SEQUENCE adempiere.aig_querylog_sq TO " + aitest.AuditLogin)
	config := "ERPHUB_CONFIG=" + filepath.Join(dir, "config.yaml")
	out.Reset()
	code = execute(t.Context(), []string{"erphub", "config", "set", "database.url", "-"}, []string{config}, shell.Streams{In: strings.NewReader(aitest.As(t, owner, aitest.ReadLogin)), Out: &out, Err: &out})
	require.Equal(t, shell.ExitDone, code, out.String())
	low := serve(t, []string{config, "ERP_AUDIT_DATABASE_URL=" + aitest.As(t, owner, aitest.AuditLogin), "ERP_TOKEN_SECRET=" + tokenSecret}, "server", "api")
	assert.NotContains(t, low.errOut.String(), "warning:")
	status, body = low.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_bpartner", aitest.Whole), user)
	assert.Equal(t, 200, status, body)
	assert.Equal(t, shell.ExitDone, low.stop())

	// A right that is taken away counts at once.
	var records int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM adempiere.aig_querylog`).Scan(&records))
	assert.Equal(t, 3, records, "one record each, and none of a caller nobody vouches for")
	exec(`UPDATE adempiere.ad_user_roles SET isactive='N' WHERE ad_user_id=2000100 AND ad_role_id=2000002`)
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Whole), user)
	assert.Equal(t, 403, status, body)

	exec(`ALTER TABLE adempiere.aig_querylog RENAME TO aig_gone`)
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Reader), user)
	assert.Equal(t, 503, status, body)
	require.Eventually(t, func() bool {
		status, r := p.ready("/readyz/ai")
		return status == 503 && slices.Contains(r.Missing, "queries cannot be audited, so they are refused")
	}, 20*time.Second, 50*time.Millisecond, "a health result is used again for two seconds")
	assert.Equal(t, shell.ExitDone, p.stop())
	said := p.errOut.String()
	for _, secret := range []string{password, tokenSecret, signed(t, aitest.User, aitest.Reader)[:40]} {
		assert.NotContains(t, said, secret)
	}
	assert.Contains(t, said, "This process alone keeps")
}

// With an ERP the board is served beside, and the ERP checks tokens.
func TestServerAPIWithERP(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "IDEMPIERE_REST_EXPOSE_JWK", "Y")) // signatures could be checked without the ERP
	address := aitest.Postgres(t)
	p := serve(t, append(gardenAdmin(srv.URL()), "ERP_DATABASE_URL="+address), "server", "api", "--install")
	said := p.errOut.String()
	assert.Contains(t, said, "tokens are checked by the ERP")
	assert.Contains(t, said, "/deployments")
	assert.Contains(t, said, "The ERP's caches were reset, so that the ERP's rule about who may read AIG_QueryLog is in force")
	for _, path := range []string{"/deployments", "/api/ai/health", "/readyz"} {
		status, body := p.call(http.MethodGet, path, "", nil)
		assert.Equal(t, 200, status, body)
	}
	env := append(gardenAdmin(srv.URL()), "HOME="+t.TempDir(), "AI_API_URL="+p.url)
	var out, errOut bytes.Buffer
	code := execute(t.Context(), []string{"erphub", "query", "--role", "102", "-o", "csv", "SELECT count(*) AS n FROM ad_client WHERE ad_client_id = 11"}, env, shell.Streams{Out: &out, Err: &errOut})
	assert.Equal(t, shell.ExitDone, code, errOut.String())
	assert.Equal(t, "n\n1\n", out.String())

	status, body := p.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"archive"}`, bearing(signed(t, 101, 102)))
	assert.Equal(t, 401, status, body)

	// A token that the ERP signed and revoked is one it does not accept any more.
	revoked, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, time.Hour)
	require.NoError(t, err)
	require.NoError(t, srv.BlockAPIToken(t.Context(), revoked))
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT 1", 102), bearing(revoked))
	assert.Equal(t, 401, status, body)

	// A token that somebody else signed is one the ERP does not accept.
	status, body = p.call(http.MethodPost, "/api/ai/query", statement("SELECT 1", 102), bearing(signed(t, 101, 102)))
	assert.Equal(t, 401, status, body)
	assert.False(t, strings.Contains(body, "ad_"), body)
	assert.Equal(t, shell.ExitDone, p.stop())
}

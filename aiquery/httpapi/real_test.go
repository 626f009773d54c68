package httpapi_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

// of is a token of a user of the tests.
func of(t testing.TB, user int) string {
	return sign(t, jwt.SigningMethodHS512, []byte(secret), jwt.MapClaims{"sub": "AiUser", "AD_User_ID": user, "AD_Role_ID": aiengine.Role})
}

func statement(sql string, role int, params ...any) map[string]any {
	body := map[string]any{"sql": sql, "roleId": role}
	if params != nil {
		body["params"] = params
	}
	return body
}

// Everything a caller can request is served by the real engine in the form of the
// document, without anything that the role may not see; each query has its
// record, under the id of the request.
func TestRealEngine(t *testing.T) {
	t.Parallel()
	var log syncbuffer.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	engine, srv := aiengine.Embedded(t, &aiquery.Options{PerUser: 8, Logger: logger})
	a := newAPI(t, engine, &httpapi.Options{Logger: logger, ProviderID: 7})
	user := of(t, aiengine.User)
	var mu sync.Mutex
	ids := map[string]bool{} // of requests that are audited
	post := func(t *testing.T, path, token string, body any) response {
		got := a.in(t).call("POST", path, token, body)
		if (path == "/query" || path == "/explain") && got.status != 401 {
			mu.Lock()
			defer mu.Unlock()
			ids[got.header.Get("X-Request-Id")] = true
		}
		return got
	}

	t.Run("group", func(t *testing.T) {
		t.Run("responses", func(t *testing.T) {
			t.Parallel()
			got := post(t, "/query", user, statement("SELECT documentno, grandtotal, dateordered, NULL AS nothing FROM c_order WHERE ad_client_id = $1 ORDER BY c_order_id", aiengine.Role, 11))
			require.Equal(t, 200, got.status, string(got.body))
			var r api.Result
			got.decode(t, &r)
			require.NotEmpty(t, r.Rows)
			assert.Equal(t, r.RowCount, len(r.Rows))
			assert.Equal(t, []string{"C_Order"}, r.Tables)
			assert.IsType(t, json.Number(""), r.Rows[0][1], "numbers are exact")
			assert.Regexp(t, `^\d{4}-\d\d-\d\dT`, r.Rows[0][2])
			assert.Nil(t, r.Rows[0][3])

			body := statement("SELECT * FROM c_bpartner", aiengine.Role)
			body["maxRows"] = 1
			got = post(t, "/query", user, body)
			got.decode(t, &r)
			assert.True(t, r.Truncated)
			assert.Equal(t, 1, r.RowCount)
			masked := r.Columns[r.Index("duns")]
			assert.True(t, masked.Redacted, "marked secure in the dictionary")
		})
		t.Run("refusals", func(t *testing.T) {
			t.Parallel()
			for _, tt := range []struct {
				name   string
				body   map[string]any
				status int
				code   string
				at     int
			}{
				{"syntax", statement("SELECT FROM WHERE", aiengine.Role), 400, "syntax", 13},
				{"no SELECT", statement("DELETE FROM c_order", aiengine.Role), 400, "not_select", 1},
				{"two statements", statement("SELECT 1; SELECT 2", aiengine.Role), 400, "not_select", 0},
				{"a table there is not", statement("SELECT * FROM no_such_table", aiengine.Role), 403, "permission_denied", 15},
				{"a table of the System", statement("SELECT * FROM ad_table", aiengine.Role), 403, "permission_denied", 15},
				{"a catalog", statement("SELECT * FROM pg_stats", aiengine.Role), 403, "permission_denied", 15},
				{"a function", statement("SELECT pg_read_file('/etc/passwd')", aiengine.Role), 403, "permission_denied", 8},
				{"a role of somebody else", statement("SELECT 1", aiengine.System), 403, "permission_denied", 0},
				{"no role", statement("SELECT 1", aiengine.Unknown), 403, "permission_denied", 0},
				{"division by zero", statement("SELECT 1/(c_order_id - c_order_id) FROM c_order", aiengine.Role), 400, "data", 0},
				{"a parameter that is missing", statement("SELECT $1::numeric", aiengine.Role), 400, "", 0},
				{"too long", statement("SELECT '"+strings.Repeat("x", 70_000)+"'", aiengine.Role), 400, "too_complex", 0},
				{"nothing", statement("  ", aiengine.Role), 400, "invalid", 0},
			} {
				got := post(t, "/query", user, tt.body)
				r := got.refusal(t)
				assert.Equal(t, tt.status, got.status, "%s: %s", tt.name, got.body)
				if tt.code != "" {
					assert.EqualValues(t, tt.code, r.Error.Code, tt.name)
				}
				if tt.at > 0 {
					assert.Equal(t, tt.at, r.Error.Position, "%s: %s", tt.name, got.body)
				}
			}
		})
		t.Run("what is hidden and what is not there", func(t *testing.T) {
			t.Parallel()
			same := func(one, other response) {
				t.Helper()
				assert.Equal(t, other.status, one.status)
				var a, b refusal
				one.decode(t, &a)
				other.decode(t, &b)
				assert.Equal(t, b.Error, a.Error)
			}
			same(post(t, "/query", user, statement("SELECT 1", aiengine.System)), post(t, "/query", user, statement("SELECT 1", aiengine.Unknown)))
			const hidden = aiengine.HiddenTable
			get := func(path string) response { return a.in(t).call("GET", path, user, nil) }
			one, other := get("/metadata/table/"+hidden), get("/metadata/table/No_"+hidden)
			require.Equal(t, 404, one.status)
			assert.Equal(t, strings.ReplaceAll(string(other.body), "No_", ""), strings.Replace(string(one.body), one.header.Get("X-Request-Id"), other.header.Get("X-Request-Id"), 1))
		})
		t.Run("metadata", func(t *testing.T) {
			t.Parallel()
			get := func(path string) response {
				got := a.in(t).call("GET", path, user, nil)
				return got
			}
			got := get("/metadata/table/c_bpartner")
			require.Equal(t, 200, got.status, string(got.body))
			var m api.TableMetadata
			got.decode(t, &m)
			assert.Equal(t, "C_BPartner", m.Name)
			assert.NotEmpty(t, m.Columns)
			assert.NotEmpty(t, m.ReferencedBy)
			assert.Equal(t, 403, get(fmt.Sprintf("/metadata/table/C_BPartner?roleId=%d", aiengine.Unknown)).status)
			got = get("/metadata/window/143")
			require.Equal(t, 200, got.status, string(got.body))
			var w api.WindowMetadata
			got.decode(t, &w)
			assert.Equal(t, "Sales Order", w.Name)
			assert.NotEmpty(t, w.Tabs)
			assert.Equal(t, 404, get("/metadata/window/999999999").status)
			got = get("/roles")
			require.Equal(t, 200, got.status)
			assert.Contains(t, string(got.body), fmt.Sprint(aiengine.Role))
			several := post(t, "/metadata", user, map[string]any{"tables": []string{"C_Order", "AD_Table", "nothing"}, "windows": []int{143, 1}})
			assert.Equal(t, 200, several.status, string(several.body))
			assert.Equal(t, 200, get("/health").status)
		})
		t.Run("explain", func(t *testing.T) {
			t.Parallel()
			got := post(t, "/explain", user, statement("SELECT count(*) FROM c_order o JOIN c_bpartner p USING (c_bpartner_id)", aiengine.Role))
			require.Equal(t, 200, got.status, string(got.body))
			var e api.Explanation
			got.decode(t, &e)
			assert.Equal(t, []string{"C_BPartner", "C_Order"}, e.Tables)
			assert.Equal(t, 403, post(t, "/explain", user, statement("SELECT * FROM ad_table", aiengine.Role)).status)
		})
		t.Run("tokens of others", func(t *testing.T) {
			t.Parallel()
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			require.NoError(t, err)
			public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
			require.NoError(t, err)
			asSecret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
			for name, token := range map[string]string{
				"signed with a key of one's own": sign(t, jwt.SigningMethodRS512, key, nil),
				"a public key as the secret":     sign(t, jwt.SigningMethodHS512, asSecret, nil),
				"nothing signed":                 sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
				"a shorter signature":            sign(t, jwt.SigningMethodHS256, []byte(secret), nil),
				"too old":                        sign(t, jwt.SigningMethodHS512, []byte(secret), jwt.MapClaims{"exp": time.Now().Add(-time.Second).Unix()}),
				"of another ERP":                 sign(t, jwt.SigningMethodHS512, []byte(secret), jwt.MapClaims{"iss": "another"}),
			} {
				assert.Equal(t, 401, post(t, "/query", token, statement("SELECT 1", aiengine.Role)).status, name)
			}
			// Whom the ERP vouches for, but without the role.
			for name, id := range map[string]int{"another user": aiengine.Stranger, "one there is not": 2_147_483_000} {
				assert.Equal(t, 403, post(t, "/query", of(t, id), statement("SELECT 1", aiengine.Role)).status, name)
			}
		})
		t.Run("bodies", func(t *testing.T) {
			t.Parallel()
			large := post(t, "/query", user, `{"sql":"`+strings.Repeat("x", 1<<20)+`","roleId":1}`)
			assert.Equal(t, 413, large.status)
			for name, deep := range map[string]string{
				"arrays":  `{"sql":"SELECT $1","roleId":1,"params":[` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `]}`,
				"objects": `{"windows":[{"windowNo":1,"fields":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + `}]}`,
			} {
				path := "/query"
				if name == "objects" {
					path = "/context"
				}
				assert.Equal(t, 400, post(t, path, user, deep).status, name)
			}
		})
		t.Run("many at once", func(t *testing.T) {
			t.Parallel()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					got := post(t, "/query", of(t, aiengine.Stranger), statement("SELECT count(*) FROM c_bpartner", aiengine.UserRole))
					assert.Contains(t, []int{200, 429}, got.status, string(got.body))
				})
			}
			wg.Wait()
		})
	})

	records := aiengine.Records(t, srv)
	assert.Len(t, records, len(ids), "one record each")
	for _, r := range records {
		assert.True(t, ids[r[0]], "%v is of no request", r)
		assert.Contains(t, []string{aiquery.StatusSuccess, aiquery.StatusError, aiquery.StatusDenied}, r[1])
	}
	assert.NotContains(t, log.String(), user[:30])
}

// What a user interface publishes is for its user alone, masked as queries
// would, until its time is over.
func TestContexts(t *testing.T) {
	t.Parallel()
	engine, _ := aiengine.Embedded(t, nil)
	t.Run("rate limit", func(t *testing.T) { limited(t, engine) })
	time0 := testclock.New(time.Now())
	a := newAPI(t, engine, &httpapi.Options{Clock: time0.Now, Contexts: httpapi.NewMemoryStoreAt(time0.Now)})
	user := of(t, aiengine.User)
	published := map[string]any{
		"ttlSeconds": 60,
		"windows": []any{map[string]any{
			"windowNo": 3, "window": map[string]any{"id": 123, "name": "Business Partner"}, "tab": map[string]any{"id": 220},
			"record":  map[string]any{"table": "C_BPartner", "id": 117},
			"fields":  map[string]any{"Name": "C&W", "DUNS": "CANARY-1", "TotalOpenBalance": json.Number("12345678901234567890.10"), "apiKey": "CANARY-2"},
			"filters": []any{map[string]any{"column": "DUNS", "operator": "=", "value": "CANARY-3"}, map[string]any{"column": "Name", "value": "C%"}},
		}},
		"charts": []any{map[string]any{"chartId": 50001, "series": []any{map[string]any{"name": "UserPIN", "data": []any{"CANARY-4"}}, map[string]any{"name": "2026", "data": []any{1, 2}}}}},
	}
	got := a.call("POST", "/context", user, published)
	require.Equal(t, 200, got.status, string(got.body))
	mine := a.call("GET", "/context/window/3", user, nil)
	require.Equal(t, 200, mine.status, string(mine.body))
	chart := a.call("GET", "/context/chart/50001", user, nil)
	require.Equal(t, 200, chart.status, string(chart.body))
	for _, got := range []response{mine, chart} {
		assert.NotContains(t, string(got.body), "CANARY")
	}
	assert.Contains(t, string(mine.body), `12345678901234567890.10`, "numbers stay exact")
	assert.Contains(t, string(mine.body), `C%`)
	assert.Contains(t, string(chart.body), `[1,2]`)

	for name, token := range map[string]string{
		"another user":                        of(t, aiengine.Stranger),
		"the user's number in another tenant": userToken(t, 1000000, aiengine.User),
	} {
		for _, path := range []string{"/context/window/3", "/context/chart/50001"} {
			assert.Equal(t, 404, a.call("GET", path, token, nil).status, name)
		}
		withdraw := a.call("POST", "/context", token, map[string]any{"ttlSeconds": 0, "windows": []any{map[string]any{"windowNo": 3}}})
		assert.Equal(t, 200, withdraw.status)
	}
	assert.Equal(t, 200, a.call("GET", "/context/window/3", user, nil).status, "nobody else can withdraw it")
	time0.Advance(61 * time.Second)
	gone := a.call("GET", "/context/window/3", user, nil)
	assert.Equal(t, 404, gone.status)
	assert.Contains(t, gone.refusal(t).Error.Message, "no live user interface")
}

// A user who sends too many requests waits, and nobody else does.
func limited(t *testing.T, engine *aiquery.Engine) {
	time0 := testclock.New(time.Now())
	a := newAPI(t, engine, &httpapi.Options{PerMinute: 60, Burst: 3, Clock: time0.Now})
	body := statement("SELECT 1", aiengine.Role)
	for range 3 {
		require.Equal(t, 200, a.call("POST", "/query", of(t, aiengine.User), body).status)
	}
	got := a.call("POST", "/query", of(t, aiengine.User), body)
	require.Equal(t, http.StatusTooManyRequests, got.status)
	assert.Equal(t, "1", got.header.Get("Retry-After"))
	assert.Equal(t, 200, a.call("POST", "/query", of(t, aiengine.Stranger), statement("SELECT 1", aiengine.UserRole)).status)
	time0.Advance(time.Second)
	assert.Equal(t, 200, a.call("POST", "/query", of(t, aiengine.User), body).status)
	assert.False(t, bytes.Contains(got.body, []byte("AiUser")))
}

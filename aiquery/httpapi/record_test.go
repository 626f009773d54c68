package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

// A query that is refused before the engine runs it has a record like any other,
// under the id of the request, with what is known of it.
func TestRefusedBodiesAreOnRecord(t *testing.T) {
	t.Parallel()
	const max = 100_000
	engine, srv := aiengine.Embedded(t, nil)
	a := newAPI(t, engine, &httpapi.Options{MaxBody: max})
	user := of(t, aiengine.User)
	text := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	packed := func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }
	long := "SELECT '" + strings.Repeat("x", 62_000) + "'"
	var ids []string
	paths := []string{"/query", "/v1/query", "/explain"}
	for i, tt := range []struct {
		name, body string
		change     func(*http.Request)
		status     int
		sql, says  string
	}{
		{"no role", `{"sql":"SELECT 1"}`, nil, 400, "SELECT 1", "roleId is missing"},
		{"no role, long", `{"sql":"` + long + `"}`, nil, 400, "SELECT 'xxx", "roleId is missing"},
		{"role as text", `{"sql":"SELECT 2","roleId":"102"}`, nil, 400, "SELECT 2", "roleId"},
		{"role below zero", `{"sql":"SELECT 3","roleId":-5}`, nil, 400, "SELECT 3", "roleId"},
		{"rows as text", `{"sql":"SELECT 4","roleId":102,"maxRows":"5"}`, nil, 400, "SELECT 4", "maxRows"},
		{"no statement", `{"roleId":102}`, nil, 400, "", "sql is missing"},
		{"broken", `{"sql":"SELECT 1"`, nil, 400, "", "cut off"},
		{"no JSON", `SELECT 1`, nil, 400, "", "not JSON"},
		{"nothing", ``, nil, 400, "", "empty"},
		{"unknown member", `{"sql":"SELECT 1","roleId":102,"x":1}`, nil, 400, "", "no member"},
		{"not UTF-8", "{\"sql\":\"\xff\"}", nil, 400, "", "UTF-8"},
		{"not declared as JSON", `{"sql":"SELECT 1","roleId":102}`, text, 415, "", "must be JSON"},
		{"compressed", `{"sql":"SELECT 1","roleId":102}`, packed, 415, "", "compressed"},
		{"too large", `{"sql":"` + strings.Repeat("x", max) + `","roleId":102}`, nil, 413, "", "larger than"},
	} {
		before := len(records(t, srv))
		var change []func(*http.Request)
		if tt.change != nil {
			change = append(change, tt.change)
		}
		got := a.call("POST", paths[i%len(paths)], user, tt.body, change...)
		require.Equal(t, tt.status, got.status, "%s: %s", tt.name, got.body)
		all := records(t, srv)
		require.Len(t, all, before+1, "%s: one record", tt.name)
		r := all[before]
		ids = append(ids, r.id)
		assert.Equal(t, got.header.Get("X-Request-Id"), r.id, tt.name)
		assert.Equal(t, aiquery.StatusError, r.status, tt.name)
		assert.Equal(t, aiengine.User, r.user, tt.name)
		assert.Contains(t, r.message, tt.says, tt.name)
		assert.True(t, strings.HasPrefix(r.sql, tt.sql), "%s: %.40s", tt.name, r.sql)
		assert.Equal(t, tt.sql == "", r.sql == "", tt.name)
		assert.Less(t, r.size, 6<<10, "%s is bounded", tt.name)
	}
	assert.Len(t, ids, 14)
	assert.Equal(t, 401, a.call("POST", "/query", "", `{"sql":"SELECT 1"}`).status)
	assert.Len(t, records(t, srv), 14, "nobody's request is no query")
}

// auditRecord is what these tests look at of a record.
type auditRecord struct {
	id, status, sql, message string
	user, size               int
}

// records are those of the audit, oldest first.
func records(t testing.TB, srv *erptest.Server) (all []auditRecord) {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT AIG_RequestID, AIG_QueryStatus, AIG_QuerySQL, COALESCE(AIG_ErrorMessage, ''), AD_User_ID,
		length(AIG_QuerySQL) + length(COALESCE(AIG_SecuredSQL, '')) + length(COALESCE(AIG_ErrorMessage, '')) + length(COALESCE(AIG_Parameters, ''))
		FROM `+aiquery.AuditTableName+" ORDER BY "+aiquery.AuditTableName+"_ID")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var r auditRecord
		require.NoError(t, rows.Scan(&r.id, &r.status, &r.sql, &r.message, &r.user, &r.size))
		all = append(all, r)
	}
	require.NoError(t, rows.Err())
	return all
}

// Statements have a limit of their own, and one in vain leaves no more than two
// records in a minute.
func TestStatementsPerMinute(t *testing.T) {
	t.Parallel()
	engine, srv := aiengine.Embedded(t, nil)
	time0 := testclock.New(time.Now())
	a := newAPI(t, engine, &httpapi.Options{StatementsPerMinute: 60, StatementBurst: 5, Clock: time0.Now})
	user := of(t, aiengine.User)
	body := statement("SELECT 1", aiengine.Role)
	for i := range 5 {
		require.Equal(t, 200, a.call("POST", []string{"/query", "/explain"}[i%2], user, body).status)
	}
	var first string
	for i := range 150 {
		got := a.call("POST", []string{"/query", "/explain", "/v1/query"}[i%3], user, []string{`{"sql":"SELECT 1","roleId":102}`, `{`}[i%2])
		require.Equal(t, 429, got.status)
		assert.Equal(t, "1", got.header.Get("Retry-After"))
		r := got.refusal(t)
		assert.EqualValues(t, "rate_limited", r.Error.Code)
		assert.Contains(t, r.Error.Message, "60 statements in a minute")
		if i == 0 {
			first = r.RequestID
		}
	}
	assert.Equal(t, 200, a.call("GET", "/roles", user, nil).status, "other requests have theirs")
	assert.Equal(t, 200, a.call("POST", "/query", of(t, aiengine.Stranger), statement("SELECT 1", aiengine.UserRole)).status, "other users, too")
	all := records(t, srv)
	require.Len(t, all, 5+1+1)
	assert.Equal(t, first, all[5].id)
	assert.Contains(t, all[5].message, "60 statements in a minute")
	time0.Advance(time.Second)
	assert.Equal(t, 200, a.call("POST", "/query", user, body).status)
	require.NoError(t, engine.Close(t.Context()))
	all = records(t, srv)
	require.Len(t, all, 5+1+1+1+1)
	assert.Contains(t, all[8].message, fmt.Sprint(149, " statements from "))
}

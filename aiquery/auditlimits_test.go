package aiquery_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// auditBytes are the bytes of all values of the audit's records.
func (w *world) auditBytes(t testing.TB) (n int) {
	t.Helper()
	for _, r := range w.audit(t) {
		for _, value := range r {
			n += len(value)
		}
	}
	return n
}

// padded is a statement of so many bytes.
func padded(sql string, size int) string {
	return sql + " /*" + strings.Repeat("x", size-len(sql)-5) + "*/"
}

// N long statements that are refused cost at most N times 6 KiB of the audit,
// whatever they are refused for; of each, the digest of the whole is kept. One
// that was run is kept whole.
func TestRefusedStatementsAreShortInTheAudit(t *testing.T) {
	t.Parallel()
	const long = 62_000
	both(t, func(t *testing.T, w *world) {
		statements := []string{
			padded("SELECT * FROM c_payment", long), padded("SELECT FROM WHERE", long), padded("DELETE FROM c_order", long),
			padded("SELECT nothing_of_the_sort FROM c_order", long), "SELECT '" + strings.Repeat("\x00", long) + "'",
			"SELECT '" + strings.Repeat("x", 70_000) + "'", "SELECT " + strings.Repeat("(", 30_000),
		}
		for _, sql := range statements {
			_, err := w.Query(t.Context(), user, query(sql))
			require.Error(t, err)
			_, err = w.Explain(t.Context(), user, query(sql))
			require.Error(t, err)
		}
		records := w.audit(t)
		require.Len(t, records, 2*len(statements))
		assert.LessOrEqual(t, w.auditBytes(t), 2*len(statements)*6<<10)
		for i, r := range records {
			sum := sha256.Sum256([]byte(statements[i/2]))
			assert.Contains(t, r["aig_querysql"], fmt.Sprintf("%d bytes in all, SHA-256 %s", len(statements[i/2]), hex.EncodeToString(sum[:])), i)
			assert.Equal(t, statements[i/2][:8], r["aig_querysql"][:8])
		}
		for _, size := range []int{1030, 4096, 4097, 5000, long} {
			sql := padded("SELECT count(*) FROM c_order", size)
			_, err := w.Query(t.Context(), user, query(sql))
			require.NoError(t, err)
			records = w.audit(t)
			assert.Equal(t, sql, records[len(records)-1]["aig_querysql"], "a statement that was run is kept whole")
		}
	})
}

// What a user's statements cost of the audit in a day is bounded.
func TestAuditBudget(t *testing.T) {
	t.Parallel()
	const budget, record = 20_000, 6 << 10
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var day atomic.Int64
			start := time.Date(2026, 3, 4, 22, 0, 0, 0, time.UTC)
			w := open(t, func(o *aiquery.Options) {
				o.AuditBytes = budget
				o.Clock = func() time.Time { return start.AddDate(0, 0, int(day.Load())) }
			})
			refused, succeeded := 0, 0
			for i := range 200 {
				sql := padded("SELECT * FROM c_payment", 62_000)
				if i%2 == 1 {
					sql = "SELECT count(*) FROM c_order"
				}
				_, err := w.Query(t.Context(), user, query(sql))
				switch c := api.Code(""); {
				case err == nil:
					succeeded++
				default:
					if c = code(t, err); c != api.CodeRateLimited {
						continue
					}
					if refused++; refused == 1 {
						var why *api.Error
						require.ErrorAs(t, err, &why)
						assert.Contains(t, why.Error(), "20000 bytes")
						assert.Contains(t, why.Hint, "midnight UTC")
						assert.Equal(t, 2*time.Hour, why.RetryAfter)
					}
				}
			}
			assert.Positive(t, succeeded)
			assert.Greater(t, refused, 150)
			// What is refused elsewhere counts as well, and leaves no record of its own.
			why := w.Refused(t.Context(), user, aiquery.Request{SQL: "SELECT 1", RoleID: -1}, &api.Error{Code: api.CodeInvalid, Message: "no role"})
			assert.Equal(t, api.CodeInvalid, why.Code)
			_, err := w.Query(t.Context(), aiquery.Caller{UserID: aitest.Stranger}, aiquery.Request{SQL: "SELECT 1", RoleID: aitest.Whole})
			require.NoError(t, err, "the budget of others is theirs")

			day.Add(1)
			_, err = w.Query(t.Context(), user, query("SELECT 1"))
			require.NoError(t, err, "a day later there is a new one")
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			require.NoError(t, w.Close(ctx))
			assert.LessOrEqual(t, w.auditBytes(t), budget+record+4*2000, "and two records of refusals, and two of results")
			records := w.audit(t)
			last := records[len(records)-1]
			assert.Contains(t, last["aig_errormessage"], fmt.Sprintf("%d statements from 22:00:00", refused), "those that share a record")
			assert.Contains(t, last["aig_errormessage"], "no role", "with the last one's reason")
			assert.Equal(t, aiquery.StatusError, last["aig_querystatus"])
			assert.NotContains(t, last, "ad_role_id")
		})
	}
}

// Without an audit there is nothing to fill.
func TestNoAuditNoBudget(t *testing.T) {
	t.Parallel()
	w := onEmbedded(t, func(o *aiquery.Options) { o.AuditBytes, o.NoAudit = 1, true })
	for range 3 {
		_, err := w.Query(t.Context(), user, query("SELECT 1"))
		require.NoError(t, err)
	}
}

// However often a user is told to come back later, that leaves at most two
// records in a minute.
func TestRateLimitedStatementsShareRecords(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		limited := &api.Error{Code: api.CodeRateLimited, Message: "too many in a minute", RetryAfter: time.Second}
		for i := range 2000 {
			who := aiquery.Caller{UserID: aitest.User, ClientID: aitest.Tenant, RequestID: fmt.Sprint("r", i)}
			if i == 1000 {
				who.UserID = aitest.Stranger
			}
			why := w.Refused(t.Context(), who, aiquery.Request{RoleID: -1}, limited)
			assert.Equal(t, who.RequestID, why.RequestID)
			assert.Equal(t, time.Second, why.RetryAfter)
		}
		records := w.audit(t)
		require.Len(t, records, 2)
		assert.Equal(t, []string{"r0", "r1000"}, []string{records[0]["aig_requestid"], records[1]["aig_requestid"]})
		assert.Equal(t, "too many in a minute", records[0]["aig_errormessage"])
		_, err := w.Query(t.Context(), user, query("SELECT 1"))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		require.NoError(t, w.Close(ctx))
		records = w.audit(t)
		require.Len(t, records, 4)
		assert.Regexp(t, `^1998 statements from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d were refused: too many in a minute$`, records[3]["aig_errormessage"])
		assert.Equal(t, fmt.Sprint(aitest.User), records[3]["createdby"])
		assert.Equal(t, "11", records[3]["ad_client_id"])
	})
}

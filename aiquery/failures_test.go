package aiquery_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

// Statements that fail for a row have a budget; those that cannot fail go on.
func TestFailuresAreLimited(t *testing.T) {
	t.Parallel()
	clock := testclock.New(time.Date(2026, 5, 4, 10, 0, 30, 0, time.UTC))
	w := onEmbedded(t, func(o *aiquery.Options) { o.Failures, o.Clock = 2, clock.Now })
	ask := func(sql string) error {
		_, err := w.Query(t.Context(), user, query(sql))
		return err
	}
	const fails, may = "SELECT 1/(c_order_id-104) FROM c_order", "SELECT 1/c_order_id FROM c_order"
	require.NoError(t, ask(may))
	assert.Equal(t, api.CodeData, code(t, ask(fails)))
	clock.Advance(25 * time.Second)
	assert.Equal(t, api.CodeData, code(t, ask(fails)))
	err := ask(may)
	assert.Equal(t, api.CodeRateLimited, code(t, err))
	var limited *api.Error
	require.ErrorAs(t, err, &limited)
	assert.Equal(t, 35*time.Second, limited.RetryAfter)
	require.NoError(t, ask("SELECT count(*) FROM c_order"), "it cannot fail")
	_, err = w.Query(t.Context(), aiquery.Caller{UserID: 2000101}, aiquery.Request{SQL: may, RoleID: 2000002})
	require.NoError(t, err, "another user")
	clock.Advance(34 * time.Second) // another minute has begun by the clock
	assert.Equal(t, api.CodeRateLimited, code(t, ask(may)))
	clock.Advance(time.Second) // the first failure is a minute old
	require.NoError(t, ask(may))
	assert.Equal(t, api.CodeData, code(t, ask(fails)))
	assert.Equal(t, api.CodeRateLimited, code(t, ask(may)), "the second failure counts still")
}

// Whatever fails for a row is told in the same words: which of several things comes
// first is the plan's choice.
func TestWhateverFailsIsToldAlike(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	var told []string
	for _, fails := range []string{"chr(c_order_id::int + 9999999) = 'x'", "make_date(2024, c_order_id::int, 1) IS NULL", "c_order_id = (SELECT c_order_id FROM c_order)"} {
		_, err := w.Query(t.Context(), user, query("SELECT 1 FROM c_order WHERE "+fails))
		require.Equal(t, api.CodeData, code(t, err), fails)
		told = append(told, regexp.MustCompile(`by .*`).ReplaceAllString(err.Error(), ""))
	}
	for _, text := range told {
		assert.Equal(t, told[0], text)
	}
}

// A row that fails is not taken for values that are too many to be collected, nor the
// other way about.
func TestARowThatFailsIsNotTooMany(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		const many = " FROM c_orderline a, c_order b, c_order c, c_order d, c_order e, c_order f"
		for expression, from := range map[string]string{
			"power((c_order_id-104)::float8, -1)": " FROM c_order",
			"sqrt((-c_order_id)::float8)":         " FROM c_order",
			"ln((-c_order_id)::float8)":           " FROM c_order",
			"power(a.line::float8, 1)":            many,
			"ln((a.line+1)::float8)":              many,
		} {
			sql, want := "SELECT string_agg("+expression+"::text, ',')"+from, api.CodeData
			if from == many {
				want = api.CodeTooComplex
			}
			_, err := w.Query(t.Context(), user, query(sql))
			assert.Equal(t, want, code(t, err), "%s\n%s", sql, w.log)
		}
	})
}

package aiquery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
)

// A statement cannot tell how long parts of it take: every function of the time
// has one value in it, and what measures is refused with what to use instead.
func TestClocks(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for _, call := range []string{
			"clock_timestamp()", "statement_timestamp()", "timeofday()", "pg_catalog.clock_timestamp()", "pg_catalog.statement_timestamp()",
			"pg_catalog.timeofday()", "age(clock_timestamp())", "CLOCK_TIMESTAMP()",
		} {
			_, err := w.Query(t.Context(), user, query("SELECT "+call))
			var refused *api.Error
			require.ErrorAs(t, err, &refused, call)
			assert.Equal(t, api.CodeDenied, refused.Code, call)
			assert.Contains(t, refused.Hint, "now()", call)
		}
		_, err := w.Query(t.Context(), user, query("SELECT x FROM clock_timestamp() AS x"))
		require.Error(t, err)

		r, err := w.Query(t.Context(), user, query(`SELECT count(DISTINCT n), count(DISTINCT t), count(DISTINCT c), count(DISTINCT l), min((n = t)::int) = 1
			FROM (SELECT now() AS n, transaction_timestamp() AS t, current_timestamp AS c, localtimestamp AS l FROM generate_series(1, 20000)) q`))
		require.NoError(t, err, w.log)
		assert.Equal(t, `[[1,1,1,1,true]]`, shown(t, r.Rows))
	})
}

// The ERP's function of the time is not run: it may be one that measures.
func TestTheERPsClockIsNotRead(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	w.exec(t, "CREATE OR REPLACE FUNCTION getdate() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()'")
	for _, call := range []string{"getdate()", "adempiere.getdate()", "GetDate()"} {
		r, err := w.Query(t.Context(), user, query(`SELECT count(DISTINCT n) FROM (SELECT `+call+` AS n FROM generate_series(1, 2000)) q`))
		require.NoError(t, err, w.log)
		assert.Equal(t, `[[1]]`, shown(t, r.Rows), call)
	}
}

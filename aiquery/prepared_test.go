package aiquery_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Statements that are kept prepared on connections read tables as they
// are, also when a column has another type, or is gone and back, since then.
func TestTablesChangeUnderPreparedStatements(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	const text = `SELECT name, help FROM m_product`
	ask := func() {
		t.Helper()
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 4 { // the second time it is prepared
					r, err := w.Query(t.Context(), user, query(text))
					if assert.NoError(t, err, w.log) {
						assert.NotZero(t, r.RowCount)
					}
				}
			})
		}
		group.Wait()
	}
	ask()
	for _, change := range []string{
		`ALTER TABLE m_product ALTER COLUMN help TYPE text`,
		`ALTER TABLE m_product ALTER COLUMN help TYPE varchar(2000)`,
		`ALTER TABLE m_product ADD COLUMN later numeric`,
	} {
		w.exec(t, change)
		ask()
	}
	_, err := w.Query(t.Context(), user, query(`SELECT 1 FROM m_product WHERE help = 'x'`))
	require.NoError(t, err)
}

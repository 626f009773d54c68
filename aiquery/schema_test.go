package aiquery_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
)

// Statements may name tables with the schema that the ERP's own database has, on both
// databases alike, and reach no more by it.
func TestSchemaOfTheERP(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]*world{"postgresql": onPostgres(t, nil), "embedded": onEmbedded(t, nil)} {
		plain, err := w.Query(t.Context(), user, query("SELECT documentno, grandtotal FROM c_order ORDER BY 1"))
		require.NoError(t, err, name)
		require.NotEmpty(t, plain.Rows, name)
		for _, sql := range []string{
			"SELECT documentno, grandtotal FROM adempiere.c_order ORDER BY 1",
			"SELECT adempiere.c_order.documentno, c_order.grandtotal FROM adempiere.c_order ORDER BY 1",
			"SELECT o.documentno, o.grandtotal FROM ADEMPIERE.c_order AS o ORDER BY 1",
		} {
			got, err := w.Query(t.Context(), user, query(sql))
			if assert.NoError(t, err, "%s: %s", name, sql) {
				assert.Equal(t, plain.Rows, got.Rows, "%s: %s", name, sql)
			}
		}
		for _, sql := range []string{
			"SELECT documentno FROM adempiere.c_payment", "SELECT documentno FROM other.c_order", "SELECT 1 FROM adempiere.sqlite_master",
			"SELECT other.c_order.documentno FROM adempiere.c_order", "SELECT name FROM adempiere.zz_shadow",
		} {
			_, err := w.Query(t.Context(), user, query(sql))
			var refused *api.Error
			assert.True(t, errors.As(err, &refused), "%s: %s: %v", name, sql, err)
		}
	}
}

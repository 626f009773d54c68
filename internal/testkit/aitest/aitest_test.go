package aitest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dump is every row of every table and view.
func dump(t *testing.T, address string) map[string]string {
	t.Helper()
	conn := connect(t, address)
	defer conn.Close(context.WithoutCancel(t.Context()))
	out := map[string]string{}
	for _, row := range query(t, conn, `SELECT relname FROM pg_class WHERE relnamespace='adempiere'::regnamespace AND relkind IN ('r','v')`) {
		var b strings.Builder
		for _, r := range query(t, conn, `SELECT x::text FROM adempiere."`+row[0]+`" x ORDER BY 1`) {
			b.WriteString(r[0] + "\n")
		}
		out[row[0]] = b.String()
	}
	return out
}

func TestCanariesMarkWhatIsHidden(t *testing.T) {
	if testing.Short() {
		t.Skip("is about the data of other tests")
	}
	t.Parallel()
	full, reduced := dump(t, Postgres(t)), dump(t, Reduced(t))
	for name, text := range reduced {
		assert.Empty(t, Leaks(text), name)
		assert.Contains(t, full, name)
	}
	for _, name := range []string{"c_order", "c_orderline", "c_bpartner", "m_product", "c_invoice", "ad_user", "rv_order_detail", "rv_bpartner_total", "ad_allusers_v"} {
		assert.NotEmpty(t, Leaks(full[name]), name)
		assert.NotEmpty(t, reduced[name], name)
	}
	for _, name := range []string{"c_payment", "ad_table", "zz_shadow", "xx_free", "xx_loose", "rv_payment_list"} {
		assert.NotContains(t, reduced, name)
		assert.Contains(t, full, name)
	}
	assert.Contains(t, reduced["ad_user"], "***")
}

func TestLogins(t *testing.T) {
	t.Parallel()
	conn := connect(t, As(t, Postgres(t), ReadLogin))
	defer conn.Close(context.WithoutCancel(t.Context()))
	require.NotEmpty(t, query(t, conn, "SELECT 1 FROM adempiere.c_order"))
	for _, statement := range []string{"UPDATE adempiere.c_order SET docstatus='XX'", "CREATE TABLE public.x (y int)", "CREATE TEMP TABLE x (y int)"} {
		_, err := conn.PgConn().Exec(t.Context(), statement).ReadAll()
		require.ErrorContains(t, err, "permission denied", statement)
	}
}

package postgres

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/guard"
)

// What is remembered of statements is bounded in bytes, not by their number: a few
// can be as large as many are.
func TestBoundedInBytes(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"small": 40, "large": 200 << 10, "larger than the whole": maxKnown + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bounded[int, bool]
			most := 0
			for i := range 2 * maxKnown / size * 2 {
				b.put(i, true, size)
				_, ok := b.get(i)
				require.True(t, ok, "what was put last is there")
				most = max(most, len(b.kept))
			}
			assert.LessOrEqual(t, most*size, max(maxKnown, size))
		})
	}
}

// The size of a plan has all that a caller can make large.
func TestSizeOfPlans(t *testing.T) {
	t.Parallel()
	policy := &guard.Policy{Schema: "adempiere", Tables: map[string]*guard.Table{"c_order": {
		Name: "C_Order", Columns: []guard.Column{{Name: "c_order_id", Type: "numeric"}, {Name: "documentno", Type: "varchar"}}, Key: []string{"c_order_id"}}}}
	for name, sql := range map[string]string{
		"a long constant":     "SELECT 1 FROM c_order WHERE documentno = '" + strings.Repeat("x", 30_000) + "'",
		"many constants":      "SELECT c_order_id FROM c_order WHERE c_order_id + 1 IN (1" + strings.Repeat(", 1", 1000) + ")",
		"long names":          "SELECT 1 AS " + strings.Repeat("x", 60) + strings.Repeat(", 1 AS "+strings.Repeat("y", 60), 300),
		"a list of constants": "SELECT 1 FROM c_order WHERE documentno IN ('a'" + strings.Repeat(", 'b'", 5000) + ")",
	} {
		plan, err := guard.New(nil).Secure(t.Context(), policy, sql, 0, 10)
		require.NoError(t, err, name)
		want := len(plan.SQL)
		for _, v := range plan.Values {
			want += len(v.Text) + len(v.Type)
		}
		for _, c := range plan.Columns {
			want += len(c.Name)
		}
		assert.Greater(t, plan.Size(), want, name)
	}
}

package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBlind: the planner gets no column to look up in its statistics, neither
// in what is explained nor behind the fence.
func TestBlind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, column string }{
		"table":      {"SELECT name FROM c_bpartner WHERE name > 'x'", "COALESCE(s.name, s.name) AS name"},
		"with rules": {"SELECT b.name FROM c_bpartner AS b", "COALESCE(s.name, s.name) AS name"},
		"below":      {"SELECT (SELECT max(name) FROM c_bpartner) FROM c_order", "COALESCE(s.name, s.name) AS name"},
		"redacted":   {"SELECT apikey FROM c_bpartner", "'***'::pg_catalog.text AS apikey"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := New(nil).Secure(t.Context(), testPolicy(), test.sql, 0, 10)
			require.NoError(t, err)
			assert.NotContains(t, plan.SQL, "COALESCE")
			text, err := plan.Blind(t.Context())
			require.NoError(t, err)
			assert.Contains(t, text, test.column)
			assert.NotContains(t, text, "OFFSET 0")
			fenced, err := plan.Fenced(t.Context())
			require.NoError(t, err)
			assert.Contains(t, fenced, test.column)
			assert.Contains(t, fenced, "OFFSET 0")
		})
	}
}

// TestFencedHasRoom: what was just small enough is so behind the fence, too,
// which is only needed when data made it fail.
func TestFencedHasRoom(t *testing.T) {
	t.Parallel()
	const sql = "SELECT * FROM c_bpartner a, c_bpartner b, c_order c"
	fits := func(nodes int) (*Plan, bool) {
		plan, err := New(&Options{MaxNodes: nodes}).Secure(t.Context(), testPolicy(), sql, 0, 10)
		return plan, err == nil
	}
	low, high := 1, 10_000
	for high-low > 1 {
		if middle := (low + high) / 2; func() bool { _, ok := fits(middle); return ok }() {
			high = middle
		} else {
			low = middle
		}
	}
	plan, ok := fits(high)
	require.True(t, ok)
	text, err := plan.Fenced(t.Context())
	require.NoError(t, err)
	assert.Greater(t, strings.Count(text, "COALESCE"), 3)
}

package twin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin"
)

// Over REST, a column that a rule of the role hides looks empty, and so do rows. The
// report says where that may be, and does not for a role that reads everything.
func TestHiddenByRules(t *testing.T) {
	t.Parallel()
	clone := func(user string, role int64) *twin.Report {
		opts := orders()
		opts.Tables = append(opts.Tables, "AD_User")
		report, err := twin.Clone(t.Context(), newSmall(twin.NewREST(clientIn(t, live(), user, 11, role, 11), nil)), t.TempDir(), opts)
		require.NoError(t, err)
		return report
	}
	limited := clone("GardenUser", 103)
	assert.Contains(t, table(t, limited, "AD_SysConfig").Unreadable, "not readable with this login")
	assert.Equal(t, "cannot tell: no record shows a value, and rules of these roles hide the column: GardenWorld User", table(t, limited, "C_OrderLine").NotCopied["PriceLimit"])
	assert.NotContains(t, table(t, limited, "C_OrderLine").NotCopied, "PriceList")
	require.NotEmpty(t, limited.Notes)
	assert.Regexp(t, `^\d+ tables that were asked for show no rows to this login`, limited.Notes[0])

	whole := clone("GardenAdmin", 102)
	assert.Empty(t, table(t, whole, "AD_SysConfig").Unreadable)
	assert.NotContains(t, table(t, whole, "C_OrderLine").NotCopied, "PriceLimit")
}

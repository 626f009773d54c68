package twin_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// masking replaces the names of partners.
type masking func(table string, row map[string]any) error

func (m masking) Row(table string, row map[string]any) error { return m(table, row) }

func TestMask(t *testing.T) {
	t.Parallel()
	var described twin.Described
	seen := map[string]int{}
	opts := orders()
	opts.NewMask = func(d twin.Described) (twin.Mask, error) {
		described = d
		return masking(func(table string, row map[string]any) error {
			seen[table]++
			if table == "C_BPartner" {
				row["Name"], row["Description"] = "somebody", nil
			}
			return nil
		}), nil
	}
	dir := t.TempDir()
	report, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, opts)
	require.NoError(t, err)
	assert.True(t, report.Masked)
	assert.True(t, verified(t, dir).Masked)
	assert.Contains(t, described.Own, "GardenWorld")
	assert.NotContains(t, described.Own, "System")
	i := slices.IndexFunc(described.Tables, func(x twin.DescribedTable) bool { return x.Name == "C_Order" })
	require.GreaterOrEqual(t, i, 0)
	i = slices.IndexFunc(described.Tables[i].Columns, func(x twin.DescribedColumn) bool { return x.Name == "C_BPartner_ID" && x.RefTable == "C_BPartner" })
	assert.GreaterOrEqual(t, i, 0)
	for _, r := range report.Tables {
		if r.Rows > 0 && r.Table != "AD_Table" && r.Table != "AD_Column" && r.Table != "AD_Element" && r.Table != "AD_Reference" && r.Table != "AD_Ref_List" && r.Table != "AD_Ref_Table" {
			assert.GreaterOrEqual(t, int64(seen[r.Table]), r.Rows, "every row of %s", r.Table)
		}
	}
	assert.Equal(t, []string{"somebody"}, texts(t, erptest.New(t, erptest.FromTwin(dir)), "SELECT DISTINCT Name FROM C_BPartner"))
	opts.NewMask = nil
	for want, mask := range map[string]masking{
		"masking a row of AD_Table: no":      func(string, map[string]any) error { return errors.New("no") },
		"the value of Name became a float64": func(_ string, row map[string]any) error { row["Name"] = 1.5; return nil },
	} {
		opts.Mask = mask
		_, err = twin.Clone(t.Context(), newSmall(database(t, live())), t.TempDir(), opts)
		require.ErrorContains(t, err, want)
	}
}

package erp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestFindRef(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()
	ids := map[string]erp.ID{}
	for _, p := range [][2]string{
		{"ref-1", "Twin"}, {"ref-2", "Twin"}, {"ref-3", "TWIN CITY"}, {"ref-4", "Twin City"}, {"ref-5", "O'Brien (Sons"},
		{"ref-6", "50% Off_Shop"}, {"ref_7", "Ampère"}, {"Ref-Self", "ref-self"},
	} {
		r, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": p[0], "Name": p[1], "C_BP_Group_ID": 103})
		require.NoError(t, err)
		ids[p[0]] = r.ID()
	}
	l := erp.RefLookup{Table: "C_BPartner", Columns: []string{"Value", "Name"}, Identifier: []string{"Value", "Name"}, Show: []string{"AD_Org_ID"}}
	for name, want := range map[string]string{
		"ref-1": "ref-1", "REF-2": "ref-2", "Twin City": "ref-4", "TWIN CITY": "ref-3", "O'Brien (Sons": "ref-5", "o'brien (sons": "ref-5",
		"50% Off_Shop": "ref-6", " ampère ": "ref_7", "ref_7_Ampère": "ref_7", "ref-6_50% Off_Shop": "ref-6", "ref-self": "Ref-Self",
	} {
		m, err := client.FindRef(ctx, l, name)
		if assert.NoError(t, err, name) {
			assert.Equal(t, ids[want], m.ID, name)
		}
	}

	var several *erp.RefError
	_, err := client.FindRef(ctx, l, "Twin")
	require.ErrorAs(t, err, &several)
	require.ErrorIs(t, err, erp.ErrConflict)
	require.Len(t, several.Matches, 2)
	facts := strings.Join(several.Matches[0].Facts(l), "; ")
	assert.Contains(t, facts, "Value: ref-")
	assert.Contains(t, facts, "AD_Org_ID: *")
	_, err = client.FindRef(ctx, l, "twin city")
	require.ErrorIs(t, err, erp.ErrConflict, "neither is written so")

	for name, near := range map[string]string{"Twinn City": "Twin City", "Jo Block": "JoeBlock", "ampere": "Ampère"} {
		_, err = client.FindRef(ctx, l, name)
		require.ErrorIs(t, err, erp.ErrNotFound, name)
		assert.Contains(t, err.Error(), near, name)
	}
	for _, name := range []string{"'", "%", "___", "((", "zzzzqqqq", "a' or 1 eq 1"} {
		_, err = client.FindRef(ctx, l, name)
		require.ErrorIs(t, err, erp.ErrNotFound, fmt.Sprintf("%q", name))
	}
	for _, name := range []string{"", "  ", strings.Repeat("x", 501)} {
		_, err = client.FindRef(ctx, l, name)
		require.ErrorIs(t, err, erp.ErrInvalid)
	}
	_, err = client.Update(ctx, "C_BPartner", ids["ref-1"], map[string]any{"IsActive": false})
	require.NoError(t, err)
	m, err := client.FindRef(ctx, l, "Twin")
	require.NoError(t, err, "the other is no longer in use")
	assert.Equal(t, ids["ref-2"], m.ID)
}

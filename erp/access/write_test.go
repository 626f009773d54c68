package access_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/erp/erptest"
)

// What is said to be denied is refused by the ERP, and what is not is not refused for
// the table's sake.
func TestWriteDenied(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client := connect(t, srv, "GardenAdmin", 11, 102, 11)
	ctx := t.Context()
	tables := []string{"AD_Table", "AD_Column", "AD_Element", "C_BPartner", "C_Order", "AD_User", "AD_Window", "C_Greeting", "AD_Process", "XX_NotThere"}
	names := func(denied []access.Denied) []string {
		out := []string{}
		for _, d := range denied {
			assert.NotEmpty(t, d.Reason, d.Table)
			out = append(out, d.Table)
		}
		return out
	}
	for name, who := range map[string]struct {
		user              string
		client, role, org int64
	}{"an administrator of a tenant": {"GardenAdmin", 11, 102, 11}, "a user of a tenant": {"GardenUser", 11, 103, 11}, "the system": {"SuperUser", 0, 0, 0}} {
		own := connect(t, srv, who.user, who.client, who.role, who.org)
		got, err := access.WriteDenied(ctx, own, int(who.role), tables...)
		require.NoError(t, err)
		denied := names(got)
		t.Log(name, denied)
		for _, table := range tables[:len(tables)-1] {
			// A value that cannot be saved: the ERP looks at the permission first.
			_, err := own.Create(ctx, table, map[string]any{"NoSuchColumn": 1})
			if assert.Error(t, err) {
				assert.Equal(t, errors.Is(err, erp.ErrForbidden), slices.Contains(denied, table), "%s: %s: %v", name, table, err)
			}
		}
	}
	denied, err := access.WriteDenied(ctx, client, 102, "AD_Table")
	require.NoError(t, err)
	require.Len(t, denied, 1)
	assert.Contains(t, denied[0].Reason, "access level is System")

	// What may not be read is not held against anybody.
	for _, status := range []int{403, 404, 400, 500} {
		fault := srv.Faults().On(erptest.Match{Method: "GET", Path: "/models/AD_Window_Access"}, erptest.Fail(status))
		unknown, err := access.WriteDenied(ctx, client, 102, "AD_Table")
		require.NoError(t, err, status)
		assert.Empty(t, unknown, status)
		fault.Remove()
	}
	srv.Faults().On(erptest.Match{Method: "GET", Path: "/models/AD_Window_Access"}, erptest.Fail(401))
	_, err = access.WriteDenied(ctx, client, 102, "AD_Table")
	require.ErrorIs(t, err, erp.ErrUnauthorized)
}

func TestDocActions(t *testing.T) {
	t.Parallel()
	client := connect(t, erptest.New(t), "GardenAdmin", 11, 102, 11)
	ctx := t.Context()
	order := erp.IntID(132)
	none, err := access.DocActions(ctx, client, 102, order)
	require.NoError(t, err)
	assert.Nil(t, none, "the role has no entries")

	entries, err := client.Query(ctx, "AD_Ref_List", &erp.Query{Filter: erp.And(erp.Eq("AD_Reference_ID", 135), erp.Eq("Value", "CO"))})
	require.NoError(t, err)
	require.Len(t, entries.Records, 1)
	_, err = client.Create(ctx, "AD_Document_Action_Access", map[string]any{"AD_Role_ID": 102, "C_DocType_ID": 132, "AD_Ref_List_ID": entries.Records[0].ID()})
	require.NoError(t, err)
	some, err := access.DocActions(ctx, client, 102, order)
	require.NoError(t, err)
	assert.Equal(t, []erp.DocAction{erp.DocComplete}, some)
	other, err := access.DocActions(ctx, client, 102, erp.IntID(116))
	require.NoError(t, err)
	assert.NotNil(t, other, "the role has entries, and none for this type")
	assert.Empty(t, other)
}

func TestWriteDeniedOfNothing(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	denied, err := access.WriteDenied(t.Context(), connect(t, srv, "GardenAdmin", 11, 102, 11), 102)
	require.NoError(t, err)
	assert.Empty(t, denied)
}

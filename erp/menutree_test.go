package erp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestMenuTree(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"Name":"Menu","Description":null,"entries":[`+
		`{"id":1,"Name":"Sales","model-name":"ad_menu","entries":[{"id":2,"uid":"u","Name":"Sales Order","IsSOTrx":true,`+
		`"Action":{"propertyLabel":"Action","id":"W","identifier":"Window","model-name":"ad_ref_list"},`+
		`"AD_Window_ID":{"id":143,"identifier":"Sales Order","model-name":"ad_window"}}]},{"id":3,"Name":"Info"}]}`))
	tree, err := client.MenuTree(t.Context(), erp.IntID(10))
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/menutree/10", rec.last(t).URI)
	var got []string
	for depth, entry := range tree.All() {
		got = append(got, fmt.Sprint(depth, " ", entry.Name, " ", entry.Action.Code(), " ", entry.Window.ID, len(entry.Entries) > 0))
	}
	assert.Equal(t, []string{"0 Sales   true", "1 Sales Order W 143 false", "0 Info   false"}, got)
	for range tree.All() {
		break
	}
	_, err = client.MenuTree(t.Context(), erp.ID{})
	require.ErrorIs(t, err, erp.ErrInvalid)
}

package erptest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// cacheSize is how many entries a cache has.
func (o *operator) cacheSize(name string) int {
	o.t.Helper()
	list := o.object(http.MethodGet, "/caches?name="+name, "")["caches"].([]any)
	require.Len(o.t, list, 1)
	return int(list[0].(map[string]any)["size"].(float64))
}

func TestCaches(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now})
	garden := o.as(asGardenAdmin)

	want(t, o.get("/caches?table_name=C_BPartner"), http.StatusOK,
		`{"caches":[{"name":"C_BPartner","tableName":"C_BPartner","size":0,"expireMinutes":60,"maxSize":500,"distributed":false}]}`)
	for _, id := range []string{"117", "118", "118", "119"} {
		require.Equal(t, http.StatusOK, garden.get("/models/C_BPartner/"+id).status)
	}
	assert.Equal(t, 3, o.cacheSize("C_BPartner"))
	want(t, o.get("/caches?table_name=c_bpartner"), http.StatusOK, `{"caches":[]}`)
	want(t, o.get("/caches?table_name=C_BPartner&name=M_Product"), http.StatusOK, `{"caches":[]}`)
	assert.Greater(t, len(o.object(http.MethodGet, "/caches", "")["caches"].([]any)), 10)

	t.Run("one record, one table", func(t *testing.T) {
		want(t, o.del("/caches?table_name=C_BPartner&record_id=118"), http.StatusOK, `{"entriesReset":1}`)
		want(t, o.del("/caches?table_name=C_BPartner&record_id=118"), http.StatusOK, `{"entriesReset":0}`)
		want(t, o.del("/caches?table_name=C_BPartner"), http.StatusOK, `{"entriesReset":2}`)
		want(t, o.del("/caches?table_name=Nothing"), http.StatusOK, `{"entriesReset":0}`)
	})
	t.Run("a change forgets", func(t *testing.T) {
		require.Equal(t, http.StatusOK, garden.get("/models/C_BPartner/117").status)
		require.Equal(t, 1, o.cacheSize("C_BPartner"))
		require.Equal(t, http.StatusOK, garden.put("/models/C_BPartner/118", `{"Description":"other"}`).status)
		assert.Equal(t, 0, o.cacheSize("C_BPartner"))
	})
	t.Run("time forgets", func(t *testing.T) {
		require.Equal(t, http.StatusOK, garden.get("/models/M_Product/128").status)
		clock.Advance(59 * time.Minute)
		assert.Equal(t, 1, o.as(asSystem).cacheSize("M_Product"))
		clock.Advance(time.Minute)
		o = o.as(asSystem)
		garden = o.as(asGardenAdmin)
		assert.Equal(t, 0, o.cacheSize("M_Product"))
	})
	t.Run("all", func(t *testing.T) {
		tables, roles := o.cacheSize("AD_Table"), o.cacheSize("AD_Role")
		assert.Positive(t, tables)
		assert.Positive(t, roles)
		n := int(o.object(http.MethodDelete, "/caches", "")["entriesReset"].(float64))
		assert.GreaterOrEqual(t, n, tables+roles)
		assert.Less(t, o.cacheSize("AD_Table"), tables)
	})
	t.Run("who may", func(t *testing.T) {
		want(t, garden.get("/caches"), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for get caches request"}`)
		assert.Equal(t, http.StatusOK, garden.del("/caches?table_name=C_UOM").status, "may run Cache Reset")
		want(t, o.as(asGardenUser).del("/caches"), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for cache reset request"}`)
		a := o.del("/caches?table_name=C_UOM&record_id=x")
		assert.Equal(t, http.StatusNotFound, a.status)
		assert.True(t, a.isContainerPage())
	})
}

package erptest_test

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// in2024 is a server in the year of the demo's trade.
func in2024() erptest.Options {
	return erptest.Options{Clock: func() time.Time { return time.Date(2024, 11, 9, 8, 0, 0, 0, time.UTC) }}
}

// Rules 13: the three forms of a chart's data.
func TestChartData(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin, in2024())
	bars := o.object("GET", "/charts/50000/data", "")
	assert.ElementsMatch(t, []string{"name", "domainLabel", "rangeLabel", "displayLegend", "chartOrientation", "chartType", "data"}, names(bars))
	assert.Contains(t, bars["data"], map[string]any{"row": "Sales", "column": "Joe Block", "value": 643.48})
	months := o.object("GET", "/charts/50001/data", "")
	points := listOf(t, months, "data")
	assert.Equal(t, map[string]any{"series": "Sales", "x": "2024-02-01 00:00:00", "y": 2292.07}, points[0])
	pie := o.object("GET", "/charts/50002/data", "")
	assert.ElementsMatch(t, []string{"name", "displayLegend", "chartType", "data"}, names(pie))
	assert.Contains(t, pie["data"], map[string]any{"key": "DR", "value": 5.0})
	both := listOf(t, o.object("GET", "/charts/data?$filter=AD_Chart_ID%20eq%2050000%20OR%20AD_Chart_ID%20eq%2050001", ""), "charts")
	require.Len(t, both, 2)
	assert.InDelta(t, 50000, both[0]["id"], 0)
	delete(both[0], "id")
	assert.Equal(t, bars, both[0])
	chart := o.object("GET", "/models/ad_chart/50003", "")
	empty := o.object("GET", "/charts/"+chart["uid"].(string)+"/data", "")
	assert.Nil(t, empty["domainLabel"])
	assert.Empty(t, empty["data"])
	for _, id := range []string{"4711", "x", "00000000-0000-0000-0000-000000000000"} {
		a := o.get("/charts/" + id + "/data")
		assert.Equal(t, 500, a.status, id)
		assert.True(t, a.isContainerPage(), id)
	}
	want(t, o.get("/charts/4711"), 204, "")
	want(t, o.get("/charts/00000000-0000-0000-0000-000000000000"), 204, "")
	assert.Equal(t, 500, o.get("/charts/x").status)
	fern := listOf(t, o.as(asFernAdmin).object("GET", "/charts/50000/data", ""), "data")
	assert.NotContains(t, fmt.Sprint(fern), "Joe Block")
}

func TestChartTimeUnits(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem, in2024())
	garden := o.as(asGardenAdmin)
	for unit, first := range map[string]string{
		"D": "2024-02-12 00:00:00", "W": "2024-02-12 00:00:00", "M": "2024-02-01 00:00:00", "Q": "2024-01-01 00:00:00", "Y": "2024-01-01 00:00:00",
	} {
		a := o.put("/models/ad_chart/50001", `{"TimeUnit":"`+unit+`","TimeScope":1000}`)
		require.Equal(t, 200, a.status, a.body)
		points := listOf(t, garden.object("GET", "/charts/50001/data", ""), "data")
		at, err := time.Parse(time.DateTime, points[0]["x"].(string))
		require.NoError(t, err)
		if unit == "W" {
			assert.Equal(t, time.Monday, at.Weekday())
		} else if unit != "D" {
			assert.Equal(t, first, points[0]["x"], unit)
		}
	}
	require.Equal(t, 200, o.put("/models/ad_chart/50001", `{"TimeUnit":"M","TimeScope":3}`).status)
	points := listOf(t, garden.object("GET", "/charts/50001/data", ""), "data")
	assert.Equal(t, "2024-08-01 00:00:00", points[0]["x"], "three months before this one")
}

func TestChartImage(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin, in2024())
	size := func(path string) (width, height int) {
		t.Helper()
		a := o.get(path)
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, "image/png", a.header.Get("Content-Type"))
		img, err := png.Decode(bytes.NewReader([]byte(a.body)))
		require.NoError(t, err)
		return img.Bounds().Dx(), img.Bounds().Dy()
	}
	for _, id := range []string{"50000", "50001", "50002"} {
		w, h := size("/charts/" + id + "?width=640&height=480")
		assert.Equal(t, []int{640, 480}, []int{w, h})
	}
	w, h := size("/charts/50000")
	assert.Equal(t, []int{300, 300}, []int{w, h}, "a square of the chart's own height")
	size("/charts/50003") // no data
	w, h = size("/charts/50000?width=2000000000&height=1")
	assert.LessOrEqual(t, w, 2000)
	assert.GreaterOrEqual(t, h, 64)
	assert.Equal(t, 404, o.get("/charts/50000?width=x").status)
	data := o.object("GET", "/charts/50002?json", "")
	img, err := base64Std(data["data"].(string))
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(img, []byte("\x89PNG")))
	assert.Equal(t, 406, o.send("GET", "/charts/50000", "", "Accept", "image/png").status, "the route claims to produce JSON")
}

// Rules 13: status lines.
func TestStatusLines(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	lines := listOf(t, o.object("GET", "/statuslines?with_messages=true", ""), "statusLines")
	require.Len(t, lines, 4)
	assert.ElementsMatch(t, []string{"id", "uid", "Name", "EntityType", "model-name", "message"}, names(lines[0]))
	assert.Equal(t, "60 lines, 32670.43 in all", lines[0]["message"])
	assert.Nil(t, lines[1]["message"], "it finds no row")
	assert.Contains(t, lines[1], "message")
	for _, line := range listOf(t, o.object("GET", "/statuslines?with_messages=1", ""), "statusLines") {
		assert.NotContains(t, line, "message")
	}
	assert.Len(t, listOf(t, o.object("GET", "/statuslines?$filter=Name%20eq%20'All%20Orders'", ""), "statusLines"), 1)
	want(t, o.get("/statuslines/200002"), 200, `{"message":"60 lines, 32670.43 in all"}`)
	want(t, o.get("/statuslines/"+lines[0]["uid"].(string)), 200, `{"message":"60 lines, 32670.43 in all"}`)
	assert.NotEqual(t, "60 lines, 32670.43 in all", o.as(asFernAdmin).get("/statuslines/200002").text(t, "message"))
	want(t, o.get("/statuslines/200000"), 200, `{"message":null}`)
	want(t, o.get("/statuslines/4711"), 404, `{"title":"Status Line not found","status":404,"detail":"No valid status line with the given id = 4711"}`)
	want(t, o.get("/statuslines/00000000-0000-0000-0000-000000000000"), 404, `{"title":"Status Line not found","status":404,"detail":"No valid status line with the given id = -1"}`)
	assert.Equal(t, 500, o.get("/statuslines/abc").status)
}

// SQL in the dictionary reaches no other tenant's rows, no secrets, and nothing
// beyond the dictionary.
func TestDictionaryStatementsAreGuarded(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	garden := o.as(asGardenAdmin)
	run := func(sql string) response {
		t.Helper()
		a := o.put("/models/ad_statusline/200002", `{"SQLStatement":"`+sql+`"}`)
		require.Equal(t, 200, a.status, a.body)
		return garden.get("/statuslines/200002")
	}
	assert.Equal(t, "0 lines, 0 in all", run("SELECT COUNT(*), 0 FROM AD_User u WHERE u.AD_Client_ID=1000000").text(t, "message"))
	assert.Equal(t, "0 lines, 0 in all", run("SELECT COUNT(*), 0 FROM 'AD_User' u WHERE u.AD_Client_ID=1000000").text(t, "message"))
	assert.Equal(t, "0 lines, 0 in all", run("SELECT COUNT(Password), COUNT(Salt) FROM AD_User").text(t, "message"))
	assert.Equal(t, "1 lines, 0 in all", run("SELECT 1, (SELECT COUNT(*) FROM AD_User x WHERE x.AD_Client_ID=1000000)").text(t, "message"))
	run("SELECT MAX(SO_CreditLimit), COUNT(*) FROM C_BPartner p WHERE p.IsActive='Y'")
	user := o.as(asGardenUser)
	visible := user.object("GET", "/models/c_bpartner", "")["row-count"]
	assert.Equal(t, fmt.Sprintf("null lines, %v in all", visible), user.get("/statuslines/200002").text(t, "message"), "a hidden column, hidden records")
	for _, sql := range []string{
		"SELECT name, 1 FROM sqlite_master", "SELECT 1, 2 FROM main.AD_User", "SELECT 1,2 FROM AD_User; DELETE FROM AD_User", "SELECT 1 FROM [AD_User]",
		"DELETE FROM AD_User", "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) SELECT MAX(x), 1 FROM n", "SELECT load_extension('x'), 1",
		"SELECT 1, 2 FROM REST_Resource", "SELECT * FROM pragma_table_info('AD_User')", "SELECT 1) UNION SELECT (2", "SELECT 1 -- x", "nonsense",
		"SELECT 1 FROM Nowhere", "SELECT Value, 1 FROM AD_SysConfig WHERE Name='REST_TOKEN_SECRET' AND 1=(SELECT 1 FROM AD_Private_Access)",
	} {
		want(t, run(sql), 200, `{"message":null}`)
	}
	// A tenant's own chart or validation rule neither.
	a := garden.post("/models/ad_chart", `{"Name":"Spy","ChartType":"PC","ChartOrientation":"V","EntityType":"U","AD_ChartDatasource":[
		{"Name":"Spy","FromClause":"AD_User u","WhereClause":"1=1) OR (1=1","ValueColumn":"COUNT(*)","CategoryColumn":"u.AD_Client_ID"}]}`)
	require.Equal(t, 201, a.status, a.body)
	for _, slice := range listOf(t, garden.object("GET", fmt.Sprintf("/charts/%d/data", idOf(t, a.object(t))), ""), "data") {
		assert.Contains(t, []any{"0", "11"}, slice["key"])
	}
	a = garden.post("/models/ad_val_rule", `{"Name":"Spy","Type":"S","EntityType":"U","Code":"EXISTS (SELECT 1 FROM AD_User x WHERE x.AD_Client_ID=1000000)"}`)
	require.Equal(t, 201, a.status, a.body)
	page := garden.object("GET", fmt.Sprintf("/models/c_bpartner?$valrule=%d", idOf(t, a.object(t))), "")
	assert.InDelta(t, 0, page["row-count"], 0)
}

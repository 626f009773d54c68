package erptest_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestNodes(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now})
	host, err := os.Hostname()
	require.NoError(t, err)
	want(t, o.get("/nodes"), http.StatusOK, `{"id":"local","name":"`+host+`"}`)

	clock.Advance(90 * time.Second)
	a := o.get("/nodes/local")
	require.Equal(t, http.StatusOK, a.status, a.body)
	info := a.object(t)
	for _, name := range []string{
		"id", "hostName", "home", "os", "jvm", "databaseDescription", "databaseConnectionURL", "databaseStatus",
		"availableProcessors", "averageSystemLoad", "memoryUsage", "heapMemoryUsage", "runtime", "runtimeUptime",
		"threadCount", "peakThreadCount", "daemonThreadCount", "totalStartedThreadCount", "logLevel", "currentLogFile",
		"sessionCount", "garbageCollectionCount", "garbageCollectionTime",
	} {
		assert.Contains(t, info, name)
	}
	assert.Len(t, info, 23)
	assert.Equal(t, "1m30s", info["runtimeUptime"])
	assert.GreaterOrEqual(t, info["totalStartedThreadCount"], info["threadCount"])
	before := info["sessionCount"].(float64)
	assert.Positive(t, before)
	o.as(asGardenAdmin)
	assert.InDelta(t, before+1, o.object(http.MethodGet, "/nodes/local", "")["sessionCount"], 0)

	want(t, o.get("/nodes/other/logs/file?fileName=x"), http.StatusNotFound, `{"title":"File not found","status":404,"detail":"File not found: x"}`)
	assert.Equal(t, http.StatusInternalServerError, o.get("/nodes/local/logs/file").status)
	for _, path := range []string{"/nodes/other", "/nodes/other/logs"} {
		want(t, o.get(path), http.StatusNotFound, `{"title":"Invalid Node Id","status":404,"detail":"No match found for node id: other"}`)
	}
	admin := o.as(asGardenAdmin)
	for path, request := range map[string]string{
		"/nodes": "get nodes", "/nodes/local": "get node info", "/nodes/other": "get node info", "/nodes/local/logs": "get node logs",
		"/nodes/local/logs/file?fileName=x": "get node log file",
	} {
		want(t, admin.get(path), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for `+request+` request"}`)
	}
	assert.Equal(t, http.StatusForbidden, admin.post("/nodes/local/logs/rotate", "").status)
	assert.Equal(t, http.StatusForbidden, admin.del("/nodes/local/logs").status)
	assert.Equal(t, http.StatusForbidden, admin.put("/nodes/local/logs/level/ALL", "").status)
}

// logFiles are the names of a node's log files.
func (o *operator) logFiles() []string {
	o.t.Helper()
	var names []string
	for _, one := range o.object(http.MethodGet, "/nodes/local/logs", "")["logs"].([]any) {
		names = append(names, one.(map[string]any)["fileName"].(string))
	}
	return names
}

func TestNodeLogs(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now})
	const folder = "/opt/idempiere-server/log/"
	first := folder + "idempiere.2026-03-09_0.log"
	assert.Equal(t, []string{first}, o.logFiles())
	read := func(name string) response { return o.get("/nodes/local/logs/file?fileName=" + url.QueryEscape(name)) }
	a := read(first)
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Equal(t, "time=2026-03-09T08:00:00.000Z level=INFO msg=\"server started\"\n", a.body)
	assert.Equal(t, a.body, read("idempiere.2026-03-09_0.log").body, "without its folder")

	t.Run("level", func(t *testing.T) {
		want(t, o.put("/nodes/local/logs/level/FINE", ""), http.StatusOK, `{"logLevel":"FINE"}`)
		assert.Equal(t, "FINE", o.object(http.MethodGet, "/nodes/local", "")["logLevel"])
		assert.Contains(t, read(first).body, `level=FINE msg=request method=GET path=/api/v1/nodes/local`)
		want(t, o.put("/nodes/local/logs/level/OFF", ""), http.StatusOK, `{"logLevel":"OFF"}`)
		size := len(read(first).body)
		assert.Len(t, read(first).body, size)
		want(t, o.put("/nodes/local/logs/level/LOUD", ""), http.StatusBadRequest, `{"title":"Invalid Log Level","status":400,"detail":"Invalid log level parameter: LOUD"}`)
		want(t, o.put("/nodes/local/logs/level/INFO", ""), http.StatusOK, `{"logLevel":"INFO"}`)
	})
	t.Run("warnings of the server come here, too", func(t *testing.T) {
		require.Equal(t, http.StatusInternalServerError, o.send(http.MethodPost, "/models/AD_Element", `[`).status)
		assert.Contains(t, read(first).body, "level=WARNING msg=\"request failed\"")
	})
	t.Run("rotate and delete", func(t *testing.T) {
		second := folder + "idempiere.2026-03-09_1.log"
		want(t, o.post("/nodes/local/logs/rotate", ""), http.StatusOK, `{"currentLogFile":"`+second+`"}`)
		assert.Equal(t, []string{first, second}, o.logFiles())
		want(t, o.del("/nodes/local/logs"), http.StatusOK, `{"currentLogFile":"`+second+`"}`)
		assert.Equal(t, []string{second}, o.logFiles())
		assert.Equal(t, http.StatusNotFound, read(first).status)
	})
	t.Run("a new day", func(t *testing.T) {
		clock.Advance(24 * time.Hour)
		o = o.as(asSystem)
		require.Equal(t, http.StatusOK, o.put("/nodes/local/logs/level/INFO", "").status)
		assert.Contains(t, o.logFiles(), folder+"idempiere.2026-03-10_0.log")
	})
	t.Run("as JSON and by path", func(t *testing.T) {
		name := "idempiere.2026-03-10_0.log"
		a := o.get("/nodes/local/logs/" + name)
		assert.Equal(t, http.StatusOK, a.status, a.body)
		assert.Equal(t, a.body, o.get("/nodes/local/logs/"+url.PathEscape(folder+name)).body)
		assert.True(t, strings.HasPrefix(o.get("/nodes/local/logs/file?json&fileName="+name).body, `{"data":"`))
		assert.Equal(t, http.StatusNotFound, o.get("/nodes/local/logs/passwd").status)
		want(t, read("../../etc/passwd"), http.StatusNotFound, `{"title":"File not found","status":404,"detail":"File not found: ../../etc/passwd"}`)
	})
}

func TestStrictLogsComeByQueryOnly(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asSystem, erptest.Options{Clock: clock.Now, Strict: true})
	a := o.get("/nodes/local/logs/idempiere.2026-03-09_0.log")
	assert.Equal(t, http.StatusNotFound, a.status)
	assert.True(t, a.isContainerPage())
	assert.Equal(t, http.StatusNotFound, o.get("/nodes/local/logs/file?fileName=idempiere.2026-03-09_0.log").status)
	assert.Equal(t, http.StatusOK, o.get("/nodes/local/logs/file?fileName=/opt/idempiere-server/log/idempiere.2026-03-09_0.log").status)
}

func TestLogsAreBounded(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	require.Equal(t, http.StatusOK, o.put("/nodes/local/logs/level/ALL", "").status)
	for range 30 {
		require.Equal(t, http.StatusOK, o.post("/nodes/local/logs/rotate", "").status)
	}
	assert.Len(t, o.logFiles(), 20)
	long := strings.Repeat("x", 20_000)
	o.get("/models/" + long)
	for _, one := range o.object(http.MethodGet, "/nodes/local/logs", "")["logs"].([]any) {
		assert.Less(t, one.(map[string]any)["fileSize"], 20_000.0)
	}
}

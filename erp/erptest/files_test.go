package erptest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// report runs a report and returns the name and content of its file.
func (o *operator) report() (name string, content []byte) {
	o.t.Helper()
	result := o.object(http.MethodPost, "/processes/rpt-c_order", `{"report-type":"CSV"}`)
	require.Equal(o.t, false, result["isError"], result)
	content, err := base64.StdEncoding.DecodeString(result["exportFile"].(string))
	require.NoError(o.t, err)
	require.Len(o.t, content, int(result["exportFileLength"].(float64)))
	return result["exportFileName"].(string), content
}

func TestFilesOfReports(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenSuper)
	name, content := o.report()
	path := fmt.Sprintf("/files?fileName=%%2Ftmp%%2F%s&length=%d", name, len(content))
	a := o.get(path)
	want(t, a, http.StatusOK, string(content))
	assert.Equal(t, "text/plain", a.header.Get("Content-Type"), "of a .csv")
	a = o.get(path + "1")
	assert.Equal(t, []any{http.StatusForbidden, "application/octet-stream"}, []any{a.status, a.header.Get("Content-Type")})
	assert.Equal(t, http.StatusInternalServerError, o.get("/files").status)
	assert.Equal(t, string(content), o.get(path+"&node_id=local").body)
	want(t, o.get(path+"&json"), http.StatusOK, `{"data":"`+base64.StdEncoding.EncodeToString(content)+`"}`)
	assert.Equal(t, http.StatusNotAcceptable, o.send(http.MethodGet, path+"&json", "", "Accept", "application/json").status)
	assert.Equal(t, http.StatusOK, o.send(http.MethodGet, path, "", "Accept", "text/html").status)
	assert.Equal(t, http.StatusOK, o.get(fmt.Sprintf("/files?fileName=%s&length=%d", name, len(content))).status, "as the process names it")

	log := o.object(http.MethodGet, "/nodes/local/logs", "")["logs"].([]any)[0].(map[string]any)
	a = o.get(fmt.Sprintf("/files?fileName=%s&length=%.0f", url.QueryEscape(log["fileName"].(string)), log["fileSize"]))
	assert.Equal(t, http.StatusOK, a.status, a.body)
	assert.Contains(t, a.body, "server started")

	for _, tc := range []struct {
		name, query string
		status      int
		body        string
	}{
		{"other length", "fileName=/tmp/" + name + "&length=1", 403, `{"title":"Access denied","status":403,"detail":"Access denied for file: /tmp/` + name + `"}`},
		{"no length is 0", "fileName=/tmp/" + name, 403, `{"title":"Access denied","status":403,"detail":"Access denied for file: /tmp/` + name + `"}`},
		{"no such file", "fileName=/tmp/none.pdf&length=1", 404, `{"title":"File not found","status":404,"detail":"File not found: /tmp/none.pdf"}`},
		{"no such log", "fileName=/opt/idempiere-server/log/none.log&length=1", 404, `{"title":"File not found","status":404,"detail":"File not found: /opt/idempiere-server/log/none.log"}`},
		{"outside", "fileName=/etc/passwd&length=1", 403, `{"title":"File not readable","status":403,"detail":"File not readable: /etc/passwd"}`},
		{"climbing out", "fileName=/tmp/../etc/passwd&length=1", 403, `{"title":"File not readable","status":403,"detail":"File not readable: /tmp/../etc/passwd"}`},
		{"a file of the machine", "fileName=/proc/self/environ&length=0", 404, `{"title":"File not found","status":404,"detail":"File not found: /proc/self/environ"}`},
		{"other node", "fileName=/tmp/x&length=1&node_id=other", 404, `{"title":"File not found","status":404,"detail":"File not found: /tmp/x"}`},
		{"empty name", "fileName=", 404, `{"title":"File not found","status":404,"detail":"File not found: "}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want(t, o.get("/files?"+tc.query), tc.status, tc.body)
		})
	}
	a = o.get("/files?fileName=/tmp/x&length=many")
	assert.Equal(t, http.StatusNotFound, a.status)
	assert.True(t, a.isContainerPage())
	want(t, o.as(asGardenAdmin).get(path), http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for get file request"}`)
}

func TestStrictFilesNeedTheFolder(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenSuper, erptest.Options{Strict: true})
	name, content := o.report()
	assert.Equal(t, http.StatusNotFound, o.get(fmt.Sprintf("/files?fileName=%s&length=%d", name, len(content))).status)
	assert.Equal(t, http.StatusOK, o.get(fmt.Sprintf("/files?fileName=/tmp/%s&length=%d", name, len(content))).status)
}

package erptest_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// zipOf is an archive of files, in base64.
func zipOf(t testing.TB, files ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) }) // bombs are large
	for _, f := range files {
		e, err := w.Create(f[0])
		require.NoError(t, err)
		_, err = io.WriteString(e, f[1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Rules 5.9.
func TestAttachments(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	w := writeAs(t, srv, asGardenAdmin)
	const files = "/models/C_BPartner/118/attachments"
	steps := []struct {
		name, method, path, body string
		status                   int
		response                 string
	}{
		{"none yet", "GET", files, "", 200, `{"attachments":[]}`},
		{"no zip", "GET", files + "/zip", "", 204, ``},
		{"no entry", "GET", files + "/a.txt", "", 204, ``},
		{"nothing to delete", "DELETE", files, "", 404, `{"title":"No attachments","status":404,"detail":"No attachment is found for record with id 118"}`},
		{"no name", "POST", files, `{"data":"aGVsbG8="}`, 400, `{"title":"name property is mandatory","status":400}`},
		{"blank name", "POST", files, `{"name":" ","data":"aGVsbG8="}`, 400, `{"title":"name property is mandatory","status":400}`},
		{"no data", "POST", files, `{"name":"a.txt"}`, 400, `{"title":"data property is mandatory","status":400}`},
		{"bad data", "POST", files, `{"name":"a.txt","data":"***"}`, 400, `{"title":"Can't parse data","status":400,"detail":"Can't parse data in Json content, not base64 encoded"}`},
		{"upload", "POST", files, `{"name":"plan.pdf","data":"aGVsbG8="}`, 201, ``},
		{"upload again", "POST", files, `{"name":"plan.pdf","data":"eHg="}`, 409, `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: plan.pdf"}`},
		{"still the first", "GET", files + "/plan.pdf?json", "", 200, `{"data":"aGVsbG8="}`},
		{"overwrite", "POST", files, `{"name":"plan.pdf","data":"d29ybGQ=","overwrite":true}`, 201, ``},
		{"the new one", "GET", files + "/plan.pdf", "", 200, `world`},
		{"upload a zip", "POST", files + "/zip", `{"data":"` + zipOf(t, [2]string{"b.txt", "b"}, [2]string{"dir/ü.txt", "u"}) + `"}`, 201, ``},
		{"upload a zip again", "POST", files + "/zip", `{"data":"` + zipOf(t, [2]string{"c.txt", "c"}, [2]string{"b.txt", "b"}) + `"}`, 409, `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: b.txt"}`},
		{"all or nothing", "GET", files, "", 200, `{"attachments":[{"name":"plan.pdf","contentType":"application/pdf"},{"name":"b.txt","contentType":"text/plain"},{"name":"dir/ü.txt","contentType":"text/plain"}]}`},
		{"no zip archive has no files", "POST", files + "/zip", `{"data":"aGVsbG8="}`, 201, ``},
		{"delete a wrong entry", "DELETE", files + "/nope.txt", "", 404, `{"title":"No matching attachment entry","status":404,"detail":"No attachment entry is found for name nope.txt"}`},
		{"delete an entry", "DELETE", files + "/b.txt", "", 200, `{"msg":"Deleted"}`},
		{"entry gone", "GET", files + "/b.txt", "", 204, ``},
		{"delete all", "DELETE", files, "", 200, `{"msg":"Deleted"}`},
		{"all gone", "GET", files, "", 200, `{"attachments":[]}`},
		{"no record", "GET", "/models/C_BPartner/999/attachments", "", 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 999"}`},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			a := w.send(s.method, s.path, s.body)
			assert.Equal(t, s.status, a.status, a.body)
			assert.Equal(t, s.response, a.body)
		})
	}
	t.Run("media type of the file", func(t *testing.T) {
		require.Equal(t, 201, w.post(files, `{"name":"p.png","data":"aGVsbG8="}`).status)
		assert.Equal(t, "image/png", w.get(files+"/p.png").header.Get("Content-Type"))
	})
	t.Run("zip of all", func(t *testing.T) {
		a := w.get(files + "/zip")
		r, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
		require.NoError(t, err)
		require.Len(t, r.File, 1)
		assert.Equal(t, "p.png", r.File[0].Name)
	})
	t.Run("json is not what a download produces", func(t *testing.T) {
		q := request{method: "GET", path: files + "/zip", token: w.token, header: http.Header{"Accept": {"application/json"}}}
		assert.Equal(t, http.StatusNotAcceptable, q.do(t, srv).status)
	})
	t.Run("zip bomb", func(t *testing.T) {
		a := w.post(files+"/zip", `{"data":"`+zipOf(t, [2]string{"big", strings.Repeat("0", 129<<20)})+`"}`)
		assert.Equal(t, `{"title":"Create attachment error","status":500,"detail":"The archive unpacks to more than 128 MiB"}`, a.body)
	})
	t.Run("other tenants do not see them", func(t *testing.T) {
		assert.Equal(t, 404, writeAs(t, srv, asFernAdmin).get(files).status)
	})
	t.Run("they go with their record", func(t *testing.T) {
		id := idOf(t, w.create("C_BPartner", `{"Name":"x","C_BP_Group_ID":103}`))
		path := fmt.Sprintf("/models/C_BPartner/%d", id)
		require.Equal(t, 201, w.post(path+"/attachments", `{"name":"a","data":"aGVsbG8="}`).status)
		rows := func() any {
			return w.get(fmt.Sprintf("/models/AD_Attachment?$filter=Record_ID%%20eq%%20%d", id)).object(t)["row-count"]
		}
		assert.InDelta(t, 1, rows(), 0)
		require.Equal(t, 200, w.del(path).status)
		assert.InDelta(t, 0, rows(), 0)
	})
}

// TestAttachmentWithoutFiles is about what is left when the last file goes.
func TestAttachmentWithoutFiles(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	const files = "/models/C_BPartner/118/attachments"
	require.Equal(t, http.StatusCreated, o.post(files, `{"name":"a.txt","data":"SGVsbG8="}`).status)
	want(t, o.del(files+"/a.txt"), http.StatusOK, `{"msg":"Deleted"}`)
	want(t, o.get(files), http.StatusOK, `{"attachments":[]}`)
	assert.Equal(t, http.StatusNoContent, o.get(files+"/zip").status)
	want(t, o.del(files+"/a.txt"), http.StatusNotFound, `{"title":"No matching attachment entry","status":404,"detail":"No attachment entry is found for name a.txt"}`)
	want(t, o.del(files), http.StatusOK, `{"msg":"Deleted"}`)
	want(t, o.del(files), http.StatusNotFound, `{"title":"No attachments","status":404,"detail":"No attachment is found for record with id 118"}`)
	want(t, o.post("/models/C_BPartner/999999/attachments", `{"name":"a.txt","data":"x"}`), http.StatusNotFound,
		`{"title":"Record not found","status":404,"detail":"No record found matching id: 999999"}`)
}

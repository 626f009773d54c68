package erptest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	o := operate(t, asGardenAdmin, erptest.Options{Clock: newTestClock().now, Location: berlin})
	const content = "0123456789abcdefghijXYZ"
	session := o.openUpload(content, 10, "ARCHIVE")
	id := session["uploadId"].(string)
	assert.Regexp(t, `^[0-9a-f-]{36}$`, id)
	assert.Equal(t, []any{10.0, "2026-03-09T10:00:00"}, []any{session["chunkSize"], session["expiresAt"]}, "an hour later, in the server's zone without saying so")
	assert.True(t, strings.HasPrefix(session["presignedURL"].(string), "v1/uploads/"+id+"/chunks/{chunkOrder}?X-ID-CREDENTIAL="))

	status := func() response { return o.get("/uploads/" + id) }
	head := `{"uploadId":"` + id + `","fileName":"cad.zip","fileSize":23,"imageId":0,"chunkSize":10,"status":`
	want(t, status(), http.StatusOK, head+`"INITIATED","uploadedChunks":[],"totalReceivedSize":0,"message":null,"presignedURL":null}`)
	want(t, o.get("/uploads/"+id+"/file"), http.StatusBadRequest, `{"title":"Upload is not completed","status":400,"detail":"Upload session `+id+` is not completed"}`)

	chunk := func(n int, data string, headers ...string) response {
		return o.putChunk(fmt.Sprintf("/uploads/%s/chunks/%d", id, n), data, 3, headers...)
	}
	receipt := func(n, size int, message string, last bool) string {
		return fmt.Sprintf(`{"uploadId":%q,"chunkOrder":%d,"receivedSize":%d,"message":%q,"isLastChunk":%v}`, id, n, size, message, last)
	}
	want(t, chunk(3, "XYZ"), http.StatusOK, receipt(3, 3, "Chunk 3 of 3 uploaded successfully.", false))
	want(t, chunk(1, "----------", "X-Content-SHA256", sumOf("----------")), http.StatusOK, receipt(1, 10, "Chunk 1 of 3 uploaded successfully.", false))
	want(t, chunk(1, content[:10]), http.StatusOK, receipt(1, 10, "Chunk 1 of 3 uploaded successfully.", false))
	chunks := `"uploadedChunks":[{"chunkOrder":1,"receivedSize":10},{"chunkOrder":3,"receivedSize":3}],"totalReceivedSize":13`
	want(t, status(), http.StatusOK, head+`"UPLOADING",`+chunks+`,"message":null,"presignedURL":null}`)
	want(t, o.get("/uploads"), http.StatusOK, `{"uploads":[`+head+`"UPLOADING",`+chunks+`}]}`)

	want(t, chunk(2, content[10:20], "X-Content-SHA256", sumOf("other")), http.StatusInternalServerError,
		`{"title":"Failed to upload chunk","status":500,"detail":"The checksum of chunk 2 does not match"}`)
	want(t, chunk(2, "short"), http.StatusBadRequest, receipt(2, 5, "Chunk size mismatch: expected 10 bytes, received 5", false))
	want(t, chunk(2, content[10:20]), http.StatusOK, receipt(2, 10, "All chunks uploaded successfully. The file is being processed.", true))
	want(t, status(), http.StatusOK, head+`"COMPLETED","uploadedChunks":[],"totalReceivedSize":23,"message":null,"presignedURL":null}`)
	want(t, o.get("/uploads"), http.StatusOK, `{"uploads":[]}`)

	a := o.get("/uploads/" + id + "/file")
	want(t, a, http.StatusOK, content)
	assert.Equal(t, "application/octet-stream", a.header.Get("Content-Type"))
	want(t, o.get("/uploads/"+id+"/file?json"), http.StatusOK, `{"data":"`+base64.StdEncoding.EncodeToString([]byte(content))+`"}`)
	want(t, chunk(2, content[10:20]), http.StatusConflict, `{"title":"Upload session is already: completed","status":409,"detail":"`+id+`"}`)
	assert.Equal(t, http.StatusConflict, o.del("/uploads/"+id).status)
}

func TestUploadIsRefused(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	body := func(change ...string) string {
		m := map[string]string{
			"fileName": `"a.bin"`, "contentType": `"x/y"`, "fileSize": "10", "chunkSize": "5", "sha256": `"ab"`, "uploadLocation": `"ARCHIVE"`, "expiresInSeconds": "60",
		}
		for i := 0; i+1 < len(change); i += 2 {
			m[change[i]] = change[i+1]
		}
		var parts []string
		for name, v := range m {
			if v != "" {
				parts = append(parts, fmt.Sprintf("%q:%s", name, v))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	for _, tc := range []struct {
		name, body string
		status     int
		response   string
	}{
		{"other place", body("uploadLocation", `"MOON"`), 400, `{"error":"Invalid uploadLocation in request."}`},
		{"no place", body("uploadLocation", ""), 400, `{"error":"Invalid uploadLocation in request."}`},
		{"no checksum", body("sha256", ""), 500, `{"title":"Save error","status":500,"detail":"Fill mandatory fields: SHA-256"}`},
		{"no size", body("fileSize", ""), 400, `{"error":"Invalid fileSize in request."}`},
		{"negative size", body("fileSize", "-5"), 400, `{"error":"Invalid fileSize in request."}`},
		{"a giant", body("fileSize", "9223372036854775807"), 400, `{"error":"The file is larger than 134217728 bytes."}`},
		{"crumbs", body("fileSize", "100000", "chunkSize", "1"), 400, `{"error":"The file has more than 10000 chunks."}`},
		{"long checksum", body("sha256", `"`+strings.Repeat("a", 65)+`"`), 400, `{"error":"The file name, content type or checksum is too long."}`},
		{"unknown member", body("owner", `"me"`), 400, `Unrecognized field "owner" (known properties: fileName, contentType, fileSize, chunkSize, sha256, uploadLocation, expiresInSeconds)`},
		{"text for a number", body("fileSize", `"many"`), 400, `Cannot deserialize value of member "fileSize": expected an integer`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want(t, o.post("/uploads", tc.body), tc.status, tc.response)
		})
	}
	assert.Equal(t, http.StatusInternalServerError, o.post("/uploads", "").status)

	id := o.openUpload("0123456789", 5, "ARCHIVE")["uploadId"].(string)
	path := "/uploads/" + id + "/chunks/"
	for _, tc := range []struct {
		name, path string
		total      string
		status     int
		response   string
	}{
		{"unknown", "/uploads/none/chunks/1", "2", 404, `{"title":"Upload session not found: ","status":404,"detail":"none"}`},
		{"before the first", path + "0", "2", 400, `{"title":"Invalid chunk order","status":400,"detail":"The chunk order must be from 1 to 2"}`},
		{"after the last", path + "3", "2", 400, `{"title":"Invalid chunk order","status":400,"detail":"The chunk order must be from 1 to 2"}`},
		{"no total", path + "1", "", 400, `{"title":"Invalid total chunks","status":400,"detail":"The header X-Total-Chunks must be greater than 0"}`},
		{"more than the file has", path + "1", "3", 400, `{"title":"Invalid total chunks","status":400,"detail":"The file does not have 3 chunks"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want(t, o.send(http.MethodPut, tc.path, "01234", "Content-Type", "application/octet-stream", "X-Total-Chunks", tc.total), tc.status, tc.response)
		})
	}
	a := o.send(http.MethodPut, path+"1", "01234", "Content-Type", "application/octet-stream", "X-Total-Chunks", "x")
	assert.Equal(t, http.StatusBadRequest, a.status)
	assert.True(t, a.isContainerPage())
	a = o.putChunk(path+"one", "01234", 2)
	assert.Equal(t, http.StatusNotFound, a.status)
	assert.Equal(t, http.StatusUnsupportedMediaType, o.put(path+"1", `{}`).status)
	require.Equal(t, http.StatusOK, o.putChunk(path+"1", "01234", 2).status)
	want(t, o.putChunk(path+"1", "01234", 1), http.StatusBadRequest, `{"title":"Invalid total chunks","status":400,"detail":"The upload has 2 chunks, not 1"}`)

	fern := o.as(asFernAdmin)
	for _, a := range []response{
		fern.get("/uploads/" + id), fern.get("/uploads/" + id + "/file"), fern.del("/uploads/" + id), fern.putChunk(path+"2", "56789", 2),
		fern.post("/uploads/"+id+"/copy", `{"copyLocation":"IMAGE"}`),
	} {
		want(t, a, http.StatusNotFound, `{"title":"Upload session not found: ","status":404,"detail":"`+id+`"}`)
	}
	want(t, o.as(asGardenUser).get("/uploads"), http.StatusOK, `{"uploads":[]}`)

	want(t, o.del("/uploads/"+id), http.StatusOK, `{"message":"Upload `+id+` canceled successfully."}`)
	want(t, o.putChunk(path+"2", "56789", 2), http.StatusBadRequest, `{"title":"Upload session has been canceled: ","status":400,"detail":"`+id+`"}`)
	assert.Equal(t, http.StatusBadRequest, o.del("/uploads/"+id).status)
	assert.Contains(t, o.get("/uploads/"+id).body, `"status":"CANCELED","uploadedChunks":[]`)
	want(t, o.get("/uploads"), http.StatusOK, `{"uploads":[]}`)
}

func TestUploadExpires(t *testing.T) {
	t.Parallel()
	clock := newTestClock()
	o := operate(t, asGardenAdmin, erptest.Options{Clock: clock.now})
	a := o.post("/uploads", `{"fileName":"a","contentType":"b","fileSize":1,"chunkSize":1,"sha256":"c","uploadLocation":"IMAGE"}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	id := a.text(t, "uploadId")
	want(t, o.putChunk("/uploads/"+id+"/chunks/1", "x", 1), http.StatusGone, `{"title":"Upload session has expired: ","status":410,"detail":"`+id+`"}`)

	id = o.openUpload("ab", 1, "IMAGE")["uploadId"].(string)
	clock.move(59 * time.Minute)
	require.Equal(t, http.StatusOK, o.putChunk("/uploads/"+id+"/chunks/1", "a", 2).status)
	clock.move(time.Minute)
	o = o.as(asGardenAdmin)
	assert.Equal(t, http.StatusGone, o.putChunk("/uploads/"+id+"/chunks/2", "b", 2).status)
	assert.Contains(t, o.get("/uploads/"+id).body, `"uploadedChunks":[{"chunkOrder":1,"receivedSize":1}]`)
	o.openUpload("ab", 1, "IMAGE")
	assert.Contains(t, o.get("/uploads/"+id).body, `"uploadedChunks":[]`, "chunks of expired sessions go when a new one begins")
}

func TestUploadOfAnotherFile(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	id := o.openUpload("right", 5, "ARCHIVE")["uploadId"].(string)
	assert.Contains(t, o.putChunk("/uploads/"+id+"/chunks/1", "wrong", 1).body, `"isLastChunk":true`)
	status := o.object(http.MethodGet, "/uploads/"+id, "")
	assert.Equal(t, []any{"FAILED", "The checksum of the file does not match"}, []any{status["status"], status["message"]})
	assert.Equal(t, http.StatusBadRequest, o.get("/uploads/"+id+"/file").status)
	want(t, o.putChunk("/uploads/"+id+"/chunks/1", "right", 1), http.StatusConflict, `{"title":"Upload session is already: failed","status":409,"detail":"`+id+`"}`)
	want(t, o.post("/uploads/"+id+"/copy", `{"copyLocation":"IMAGE"}`), http.StatusBadRequest, `{"error":"The upload is not completed."}`)
}

func TestUploadChunksAreBounded(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin, erptest.Options{MaxBodyBytes: 1000})
	content := strings.Repeat("x", 3000)
	session := o.openUpload(content, 3000, "ARCHIVE")
	assert.Equal(t, 1000.0, session["chunkSize"], "no more than a body may have")
	id := session["uploadId"].(string)
	assert.Equal(t, http.StatusRequestEntityTooLarge, o.putChunk("/uploads/"+id+"/chunks/1", content, 3).status)
}

func TestCopyUpload(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	const content = "the content of the file"
	id := o.upload(content, 10, "ATTACHMENT")
	copyTo := func(body string) response { return o.post("/uploads/"+id+"/copy", body) }
	uu := o.object(http.MethodGet, "/models/C_Order/117", "")["uid"].(string)
	tail := `,"fileName":"cad.zip","contentType":"application/zip","fileSize":23}`

	want(t, copyTo(`{"copyLocation":"ATTACHMENT","tableName":"c_order","recordId":"117"}`), http.StatusOK,
		`{"uploadId":"`+id+`","tableName":"C_Order","recordId":117,"recordUU":"`+uu+`","copyLocation":"ATTACHMENT"`+tail)
	want(t, o.get("/models/C_Order/117/attachments/cad.zip"), http.StatusOK, content)
	want(t, copyTo(`{"copyLocation":"ATTACHMENT","tableName":"C_Order","recordId":"`+uu+`"}`), http.StatusBadRequest, `{"error":"Duplicate file name: cad.zip"}`)

	want(t, copyTo(`{"copyLocation":"ARCHIVE","tableName":"C_Order","recordId":"117"}`), http.StatusOK,
		`{"uploadId":"`+id+`","tableName":"C_Order","recordId":117,"recordUU":"`+uu+`","copyLocation":"ARCHIVE"`+tail)
	archives := o.object(http.MethodGet, "/models/AD_Archive?$filter=Record_ID%20eq%20117", "")["records"].([]any)
	require.Len(t, archives, 1)
	assert.Equal(t, []any{"cad.zip", base64.StdEncoding.EncodeToString([]byte(content))},
		[]any{archives[0].(map[string]any)["Name"], archives[0].(map[string]any)["BinaryData"]})

	want(t, copyTo(`{"copyLocation":"IMAGE"}`), http.StatusOK,
		`{"uploadId":"`+id+`","tableName":null,"recordId":0,"recordUU":null,"copyLocation":"IMAGE"`+tail)
	image := numberText(o.object(http.MethodGet, "/uploads/"+id, "")["imageId"])
	assert.Equal(t, base64.StdEncoding.EncodeToString([]byte(content)), o.object(http.MethodGet, "/models/AD_Image/"+image, "")["BinaryData"])

	for body, response := range map[string]string{
		`{"copyLocation":""}`:        `{"error":"Invalid copyLocation in request."}`,
		`{"copyLocation":"ARCHIVE"}`: `{"error":"tableName and recordId are mandatory."}`,
		`{"copyLocation":"ARCHIVE","tableName":"C_Order","recordId":"99999999"}`:   `{"error":"No record found matching id: 99999999"}`,
		`{"copyLocation":"ARCHIVE","tableName":"C_Order","recordId":"x"}`:          `{"error":"Wrong ID x is not an UU value nor a valid integer ID"}`,
		`{"copyLocation":"ARCHIVE","tableName":"C_BPartner","recordId":"1000001"}`: `{"error":"No record found matching id: 1000001"}`,
		`{"copyLocation":"ARCHIVE","tableName":"No_Such_Table","recordId":"117"}`:  `{"error":"No match found for table name: No_Such_Table"}`,
	} {
		want(t, copyTo(body), http.StatusBadRequest, response)
	}
	assert.Equal(t, http.StatusBadRequest, copyTo(`{"copyLocation":"IMAGE","more":1}`).status)
	user := o.as(asGardenUser)
	a := user.post("/uploads/"+id+"/copy", `{"copyLocation":"ARCHIVE","tableName":"C_BankAccount","recordId":"100"}`)
	want(t, a, http.StatusForbidden, `{"title":"Access denied","status":403,"detail":"Access denied for table: C_BankAccount"}`)
}

func TestUploadOfAnImage(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	id := o.upload("not really a picture", 100, "IMAGE")
	image := numberText(o.object(http.MethodGet, "/uploads/"+id, "")["imageId"])
	record := o.object(http.MethodGet, "/models/AD_Image/"+image, "")
	assert.Equal(t, []any{"cad.zip", base64.StdEncoding.EncodeToString([]byte("not really a picture"))}, []any{record["Name"], record["BinaryData"]})
}

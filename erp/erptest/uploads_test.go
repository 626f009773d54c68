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
	o := operate(t, asGardenAdmin, erptest.Options{Clock: newClock().Now, Location: berlin})
	const content = "0123456789abcdefghijXYZ"
	session := o.openUpload(content, 10, "ARCHIVE")
	id := session["uploadId"].(string)
	assert.Regexp(t, `^[0-9a-f-]{36}$`, id)
	assert.Equal(t, []any{10.0, "2026-03-09T10:00:00"}, []any{session["chunkSize"], session["expiresAt"]}, "an hour later, in the server's zone without saying so")
	assert.True(t, strings.HasPrefix(session["presignedURL"].(string), "v1/uploads/"+id+"/chunks/{chunkOrder}?X-ID-CREDENTIAL="))

	status := func() response { return o.get("/uploads/" + id) }
	head := `{"uploadId":"` + id + `","fileName":"cad.zip","fileSize":23,"imageId":0,"chunkSize":10,"status":`
	want(t, status(), http.StatusOK, head+`"INITIATED","uploadedChunks":[],"totalReceivedSize":0,"message":"File upload initiated, awaiting chunks.","presignedURL":null}`)
	want(t, o.get("/uploads/"+id+"/file"), http.StatusBadRequest, `{"title":"Upload is not completed yet or cancelled. Current status: INITIATED","status":400,"detail":"`+id+`"}`)

	chunk := func(n int, data string, headers ...string) response {
		return o.putChunk(fmt.Sprintf("/uploads/%s/chunks/%d", id, n), data, 3, headers...)
	}
	receipt := func(n, size int, message string, last bool) string {
		return fmt.Sprintf(`{"uploadId":%q,"chunkOrder":%d,"receivedSize":%d,"message":%q,"isLastChunk":%v}`, id, n, size, message, last)
	}
	want(t, chunk(3, "XYZ"), http.StatusOK, receipt(3, 3, "Chunk 3 uploaded successfully.", false))
	want(t, chunk(1, "----------", "X-Content-SHA256", sumOf("----------")), http.StatusOK, receipt(1, 10, "Chunk 1 uploaded successfully.", false))
	want(t, chunk(1, content[:10]), http.StatusOK, receipt(1, 10, "Chunk 1 uploaded successfully.", false))
	chunks := `"uploadedChunks":[{"chunkOrder":1,"receivedSize":10},{"chunkOrder":3,"receivedSize":3}],"totalReceivedSize":13`
	want(t, status(), http.StatusOK, head+`"UPLOADING",`+chunks+`,"message":"File upload in progress. 2 chunks received.","presignedURL":null}`)
	want(t, o.get("/uploads"), http.StatusOK, `{"uploads":[`+head+`"UPLOADING",`+chunks+`,"message":"File upload in progress. 2 chunks received."}]}`)

	want(t, chunk(2, content[10:20], "X-Content-SHA256", sumOf("other")), http.StatusInternalServerError,
		`{"title":"Failed to upload chunk","status":500,"detail":"SHA-256 mismatch for chunk 2. Expected: `+sumOf("other")+`, Calculated: `+sumOf(content[10:20])+`"}`)
	want(t, chunk(2, "short"), http.StatusBadRequest, receipt(2, 5, "Chunk 2 uploaded successfully.\n{\"error\":\"Mismatch in total received size. Expected: 23, Received: 18", false))
	want(t, chunk(2, content[10:20]), http.StatusOK, receipt(2, 10, "Chunk 2 uploaded successfully.", true))
	want(t, status(), http.StatusOK, head+`"COMPLETED","uploadedChunks":[],"totalReceivedSize":0,"message":"File upload completed and processed.","presignedURL":null}`)
	want(t, o.get("/uploads"), http.StatusOK, `{"uploads":[]}`)

	a := o.get("/uploads/" + id + "/file")
	want(t, a, http.StatusOK, content)
	assert.Equal(t, "application/zip", a.header.Get("Content-Type"), "as it was announced")
	want(t, o.get("/uploads/"+id+"/file?json"), http.StatusOK, `{"data":"`+base64.StdEncoding.EncodeToString([]byte(content))+`"}`)
	want(t, chunk(2, content[10:20]), http.StatusConflict, `{"title":"Upload session is already: completed","status":409,"detail":"`+id+`"}`)
	want(t, o.del("/uploads/"+id), http.StatusOK, `{"message":"Upload `+id+` canceled successfully."}`)
	want(t, status(), http.StatusOK, head+`"CANCELED","uploadedChunks":[],"totalReceivedSize":0,"message":"Status for upload ID `+id+`","presignedURL":null}`)
	a = o.get("/uploads/" + id + "/file")
	assert.Equal(t, []any{http.StatusBadRequest, "application/octet-stream"}, []any{a.status, a.header.Get("Content-Type")})
}

// TestUploadWithoutDetails announces only what the server must have.
func TestUploadWithoutDetails(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenAdmin)
	for _, tc := range []struct {
		name, file, contentType string
		sent                    string // contentType, "" for none
	}{
		{"page", "a.HTML", "text/html", ""},
		{"table", "a.csv", "text/plain", ""},
		{"unknown", "a.strange", "application/octet-stream", ""},
		{"said", "a.html", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body := fmt.Sprintf(`{"fileName":%q,"fileSize":0,"sha256":%q,"expiresInSeconds":60`, tc.file, sumOf("0123456"))
			if tc.sent != "" {
				body += fmt.Sprintf(`,"contentType":%q`, tc.sent)
			}
			a := o.post("/uploads", body+"}")
			require.Equal(t, http.StatusCreated, a.status, a.body)
			assert.Equal(t, 0.0, a.object(t)["chunkSize"])
			id := a.text(t, "uploadId")
			require.Equal(t, http.StatusOK, o.putChunk("/uploads/"+id+"/chunks/2", "3456", 2).status)
			require.Equal(t, http.StatusOK, o.putChunk("/uploads/"+id+"/chunks/1", "012", 2).status)
			assert.Equal(t, 7.0, o.object(http.MethodGet, "/uploads/"+id, "")["fileSize"])
			a = o.get("/uploads/" + id + "/file")
			want(t, a, http.StatusOK, "0123456")
			assert.Equal(t, tc.contentType, a.header.Get("Content-Type"))
		})
	}
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
		{"no name", body("fileName", ""), 500, `{"title":"Failed to initiate upload","status":500,"detail":"Fill mandatory fields: File Name - FileName"}`},
		{"no checksum", body("sha256", ""), 500, `{"title":"Failed to initiate upload","status":500,"detail":"The member sha256 has no value: send the SHA-256 of the file in hexadecimal digits"}`},
		{"a giant", body("fileSize", "9223372036854775807"), 400, `{"error":"The file is larger than 134217728 bytes."}`},
		{"crumbs", body("fileSize", "100000", "chunkSize", "1"), 400, `{"error":"The file has more than 10000 chunks."}`},
		{"a character NUL", body("fileName", `"a\u0000"`), 500, `{"title":"Failed to initiate upload","status":500,"detail":"A text has a character NUL"}`},
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
		{"unknown", "/uploads/00000000-0000-0000-0000-000000000000/chunks/1", "2", 404, `{"title":"Upload session not found: ","status":404,"detail":"00000000-0000-0000-0000-000000000000"}`},
		{"before the first", path + "0", "2", 400, `{"title":"Chunk order must be between 1 and 2","status":400,"detail":"` + id + `"}`},
		{"after the last", path + "3", "2", 400, `{"title":"Chunk order must be between 1 and 2","status":400,"detail":"` + id + `"}`},
		{"no total", path + "1", "", 400, `{"title":"Total chunks must be greater than 0","status":400,"detail":"` + id + `"}`},
		{"too many", path + "1", "10001", 400, `{"title":"Total chunks must be at most 10000","status":400,"detail":"` + id + `"}`},
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
	assert.Equal(t, http.StatusInternalServerError, o.get("/uploads/none").status, "no UUID")

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
	clock := newClock()
	o := operate(t, asGardenAdmin, erptest.Options{Clock: clock.Now})
	a := o.post("/uploads", `{"fileName":"a","contentType":"b","fileSize":1,"chunkSize":1,"sha256":"c","uploadLocation":"IMAGE"}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	id := a.text(t, "uploadId")
	want(t, o.putChunk("/uploads/"+id+"/chunks/1", "x", 1), http.StatusGone, `{"title":"Upload session has expired: ","status":410,"detail":"`+id+`"}`)
	status := o.object(http.MethodGet, "/uploads/"+id, "")
	assert.Equal(t, []any{"FAILED", "File processing failed or upload expired before completion."}, []any{status["status"], status["message"]})
	assert.Equal(t, http.StatusGone, o.putChunk("/uploads/"+id+"/chunks/1", "x", 1).status, "before anything is said about its state")

	id = o.openUpload("ab", 1, "IMAGE")["uploadId"].(string)
	clock.Advance(59 * time.Minute)
	require.Equal(t, http.StatusOK, o.putChunk("/uploads/"+id+"/chunks/1", "a", 2).status)
	clock.Advance(time.Minute)
	o = o.as(asGardenAdmin)
	status = o.object(http.MethodGet, "/uploads/"+id, "")
	assert.Equal(t, []any{"FAILED", "Upload session has expired."}, []any{status["status"], status["message"]})
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
	assert.Equal(t, []any{"FAILED", "File processing failed or upload expired before completion."}, []any{status["status"], status["message"]})
	assert.Equal(t, http.StatusBadRequest, o.get("/uploads/"+id+"/file").status)
	want(t, o.putChunk("/uploads/"+id+"/chunks/1", "right", 1), http.StatusConflict, `{"title":"Upload session is already: failed","status":409,"detail":"`+id+`"}`)
	want(t, o.post("/uploads/"+id+"/copy", `{"copyLocation":"IMAGE"}`), http.StatusBadRequest, `{"title":"Upload is not completed yet or cancelled. Current status: FAILED","status":400,"detail":"`+id+`"}`)
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
		`{"uploadId":"`+id+`","tableName":"c_order","recordId":117,"recordUU":"`+uu+`","copyLocation":"ATTACHMENT"`+tail)
	want(t, o.get("/models/C_Order/117/attachments/cad.zip"), http.StatusOK, content)
	assert.Equal(t, http.StatusOK, copyTo(`{"copyLocation":"ATTACHMENT","tableName":"C_Order","recordId":"`+uu+`"}`).status)
	want(t, o.get("/models/C_Order/117/attachments"), http.StatusOK, `{"attachments":[{"name":"cad.zip","contentType":"application/zip"}]}`)

	made := func(location, body string) (id string) {
		a := copyTo(body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		got := a.object(t)
		id = numberText(got["recordId"])
		table := got["tableName"].(string)
		record := o.object(http.MethodGet, "/models/"+table+"/"+id, "")
		assert.Equal(t, []any{record["uid"], location, "cad.zip", 23.0}, []any{got["recordUU"], got["copyLocation"], got["fileName"], got["fileSize"]})
		return table + "/" + id
	}
	archive := made("ARCHIVE", `{"copyLocation":"ARCHIVE","tableName":"C_Order","recordId":"117"}`)
	assert.Contains(t, archive, "AD_Archive/")
	archives := o.object(http.MethodGet, "/models/AD_Archive?$filter=Record_ID%20eq%20117", "")["records"].([]any)
	require.Len(t, archives, 1)
	assert.Equal(t, []any{"cad.zip", base64.StdEncoding.EncodeToString([]byte(content))},
		[]any{archives[0].(map[string]any)["Name"], archives[0].(map[string]any)["BinaryData"]})

	image := made("IMAGE", `{"copyLocation":"IMAGE"}`)
	assert.Equal(t, base64.StdEncoding.EncodeToString([]byte(content)), o.object(http.MethodGet, "/models/"+image, "")["BinaryData"])
	assert.Equal(t, 0.0, o.object(http.MethodGet, "/uploads/"+id, "")["imageId"], "the copy is none of the session")

	for _, tc := range []struct {
		name, body string
		status     int
		response   string
	}{
		{"no location", `{"copyLocation":""}`, 400, `{"error":"copyLocation is required in request."}`},
		{"other location", `{"copyLocation":"MOON"}`, 400, `{"error":"Invalid copyLocation in request."}`},
		{"no record", `{"copyLocation":"ARCHIVE"}`, 400, `{"error":"tableName and recordId are required in request."}`},
		{"unknown record", `{"copyLocation":"ARCHIVE","tableName":"C_Order","recordId":"99999999"}`, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 99999999"}`},
		{"another tenant's", `{"copyLocation":"ARCHIVE","tableName":"C_BPartner","recordId":"1000001"}`, 404, `{"title":"Record not found","status":404,"detail":"No record found matching id: 1000001"}`},
		{"unknown table", `{"copyLocation":"ARCHIVE","tableName":"No_Such_Table","recordId":"117"}`, 404, `{"title":"Invalid table name","status":404,"detail":"No match found for table name: No_Such_Table"}`},
	} {
		t.Run(tc.name, func(t *testing.T) { want(t, copyTo(tc.body), tc.status, tc.response) })
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

package erptest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestPresignedUpload(t *testing.T) {
	t.Parallel()
	clock := newClock()
	o := operate(t, asGardenAdmin, erptest.Options{Clock: clock.Now})
	session := o.openUpload("0123456789", 5, "ARCHIVE")
	id, address := session["uploadId"].(string), session["presignedURL"].(string)
	other := o.openUpload("0123456789", 5, "ARCHIVE")["uploadId"].(string)
	anonymous := &operator{o.t, o.srv, o.v, ""}
	chunk := func(n string) string { return strings.Replace(address, "{chunkOrder}", n, 1) }

	require.Equal(t, http.StatusOK, anonymous.putChunk(chunk("1"), "01234", 2).status)
	a := anonymous.putChunk(chunk("2"), "56789", 2)
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Contains(t, a.body, `"isLastChunk":true`)

	status := o.object(http.MethodGet, "/uploads/"+id+"?expiresInSeconds=60", "")
	plain, signed, found := strings.Cut(status["presignedURL"].(string), ",")
	require.True(t, found)
	assert.Equal(t, "v1/uploads/"+id, plain, "only the second one is signed")
	want(t, anonymous.get(signed), http.StatusOK, "0123456789")
	assert.Equal(t, http.StatusUnauthorized, anonymous.get(plain).status)
	assert.Equal(t, http.StatusNotFound, o.get("/uploads/"+id+"?expiresInSeconds=soon").status)

	_, query, _ := strings.Cut(signed, "?")
	// which the contract does not have
	resp, err := http.Get(o.srv.URL() + "/api/v1/uploads/" + id + "?" + query) //nolint:noctx // of the test's own server
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusOK, resp.StatusCode, "its state as well")
	tampered := strings.Replace(query, "X-ID-EXPIRES=60", "X-ID-EXPIRES=600000", 1)
	require.NotEqual(t, query, tampered)
	last := query[len(query)-1:]
	wrong := query[:len(query)-1] + map[bool]string{true: "1", false: "0"}[last == "0"]
	chunkQuery := address[strings.IndexByte(address, '?')+1:]
	cases := []struct {
		name, method, path string
		status             int
		text               string // "" for the container's page
	}{
		{"another file", "GET", "/uploads/" + other + "/file?" + query, 401, ""},
		{"records", "GET", "/models/C_Order?" + query, 401, ""},
		{"the path as a mere beginning", "PUT", "/uploads/" + id + "/chunks/1?" + query, 401, ""},
		{"another verb", "DELETE", "/uploads/" + id + "?" + chunkQuery, 401, ""},
		{"tampered", "GET", "/uploads/" + id + "/file?" + tampered, 401, "Signature mismatch"},
		{"wrong signature", "GET", "/uploads/" + id + "/file?" + wrong, 401, "Signature mismatch"},
		{"only a signature", "GET", "/uploads/" + id + "/file?X-ID-SIGNATURE=0", 401, ""},
		{"no date", "GET", "/uploads/" + id + "/file?X-ID-CREDENTIAL=x&X-ID-EXPIRES=1&X-ID-SIGNATURE=0", 401, ""},
	}
	check := func(t *testing.T, hidden bool) {
		t.Helper()
		for _, tc := range cases {
			a := anonymous.send(tc.method, tc.path, "", "Content-Type", "application/octet-stream")
			switch {
			case hidden:
				want(t, a, http.StatusBadRequest, "Something went wrong ...")
			case tc.text != "":
				want(t, a, tc.status, tc.text)
				assert.Equal(t, "text/plain", a.header.Get("Content-Type"))
			default:
				assert.Equal(t, tc.status, a.status, tc.name)
				assert.True(t, a.isContainerPage(), tc.name)
			}
		}
	}
	check(t, true)
	want(t, anonymous.putChunk(chunk("2"), "56789", 2), http.StatusBadRequest, "Something went wrong ...")
	setConfig(t, o.srv, "REST_HIDE_PRESIGNED_URL_ERRORS", "N")
	check(t, false)
	want(t, anonymous.putChunk(chunk("2"), "56789", 2), http.StatusConflict, `{"title":"Upload session is already: completed","status":409,"detail":"`+id+`"}`)
	assert.Equal(t, http.StatusOK, o.get("/uploads/"+id+"/file?X-ID-SIGNATURE=%20").status, "a blank one does not count")

	clock.Advance(time.Minute)
	want(t, anonymous.get(signed), http.StatusUnauthorized, "Presigned URL has expired")
}

func TestPresignedURLOfWhoIsGone(t *testing.T) {
	t.Parallel()
	o := operate(t, asGardenUser)
	setConfig(t, o.srv, "REST_HIDE_PRESIGNED_URL_ERRORS", "N")
	address := strings.Replace(o.openUpload("0123456789", 5, "ARCHIVE")["presignedURL"].(string), "{chunkOrder}", "1", 1)
	anonymous := &operator{o.t, o.srv, o.v, ""}
	require.Equal(t, http.StatusOK, anonymous.putChunk(address, "01234", 2).status)
	require.Equal(t, http.StatusOK, o.as(asGardenAdmin).put("/models/AD_User/102", `{"IsActive":false}`).status)
	assert.Equal(t, http.StatusUnauthorized, anonymous.putChunk(address, "01234", 2).status)
}

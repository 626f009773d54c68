package erptest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
)

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// openUpload announces a file and returns the session.
func (o *operator) openUpload(content string, chunkSize int, location string) map[string]any {
	o.t.Helper()
	a := o.post("/uploads", fmt.Sprintf(`{"fileName":"cad.zip","contentType":"application/zip","fileSize":%d,"chunkSize":%d,"sha256":%q,"uploadLocation":%q,"expiresInSeconds":3600}`,
		len(content), chunkSize, sumOf(content), location))
	require.Equal(o.t, http.StatusCreated, a.status, a.body)
	return a.object(o.t)
}

// putChunk sends a chunk; path is below /api/v1 or /api/.
func (o *operator) putChunk(path, data string, total int, headers ...string) response {
	o.t.Helper()
	return o.send(http.MethodPut, path, data, append([]string{"Content-Type", "application/octet-stream", "X-Total-Chunks", fmt.Sprint(total)}, headers...)...)
}

// upload sends a whole file and returns the id of the session.
func (o *operator) upload(content string, chunkSize int, location string) string {
	o.t.Helper()
	id := o.openUpload(content, chunkSize, location)["uploadId"].(string)
	total := (len(content) + chunkSize - 1) / chunkSize
	for n := range total {
		part := content[n*chunkSize : min(len(content), (n+1)*chunkSize)]
		a := o.putChunk(fmt.Sprintf("/uploads/%s/chunks/%d", id, n+1), part, total, "X-Content-SHA256", sumOf(part))
		require.Equal(o.t, http.StatusOK, a.status, a.body)
		require.Equal(o.t, strings.Contains(a.body, `"isLastChunk":true`), n == total-1, a.body)
	}
	return id
}

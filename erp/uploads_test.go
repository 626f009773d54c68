package erp_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestUploads(t *testing.T) {
	t.Parallel()
	var assembled bytes.Buffer
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			sum := sha256.Sum256(data)
			assert.Equal(t, hex.EncodeToString(sum[:]), r.Header.Get("X-Content-SHA256"))
			assembled.Write(data)
			respond(w, 200, fmt.Sprintf(`{"uploadId":"u-1","chunkOrder":1,"receivedSize":%d,"message":"ok","isLastChunk":false}`, len(data)))
		case strings.HasSuffix(r.URL.Path, "/copy"):
			respond(w, 200, `{"uploadId":"u-1","tableName":"C_Order","recordId":1000022,"recordUU":"r","copyLocation":"ATTACHMENT","fileName":"cad.zip","contentType":"application/zip","fileSize":25}`)
		case r.Method == http.MethodPost:
			respond(w, 201, `{"uploadId":"u-1","chunkSize":10,"expiresAt":"2026-03-09T15:05:06.5","presignedURL":"x"}`)
		case r.Method == http.MethodDelete:
			respond(w, 200, `{"message":"Upload u-1 canceled successfully."}`)
		case strings.HasSuffix(r.URL.Path, "/file"):
			_, _ = w.Write(assembled.Bytes())
		case strings.HasSuffix(r.URL.Path, "/uploads"):
			respond(w, 200, `{"uploads":[{"uploadId":"u-1","status":"UPLOADING"}]}`)
		default:
			respond(w, 200, `{"uploadId":"u-1","fileName":"cad.zip","fileSize":25,"imageId":0,"chunkSize":10,"status":"COMPLETED","uploadedChunks":[],"totalReceivedSize":25,"message":null,"presignedURL":null}`)
		}
	})
	ctx := t.Context()
	data := []byte("abcdefghijklmnopqrstuvwxy")
	session, err := client.UploadFile(ctx, erp.UploadRequest{FileName: "cad.zip", ContentType: "application/zip", ChunkSize: 1000, Location: erp.UploadArchive}, bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	assert.Equal(t, "u-1", session.ID)
	assert.Equal(t, data, assembled.Bytes())
	sent := rec.seen()
	require.Len(t, sent, 4)
	sum := sha256.Sum256(data)
	assert.JSONEq(t, `{"fileName":"cad.zip","contentType":"application/zip","fileSize":25,"chunkSize":1000,"sha256":"`+hex.EncodeToString(sum[:])+`","uploadLocation":"ARCHIVE","expiresInSeconds":86400}`, sent[0].Body)
	assert.Equal(t, "/api/v1/uploads/u-1/chunks/3", sent[3].URI)
	assert.Equal(t, "3", sent[3].Header.Get("X-Total-Chunks"))
	assert.Equal(t, "application/octet-stream", sent[3].Header.Get("Content-Type"))

	status, err := client.Upload(ctx, "u-1", time.Minute)
	require.NoError(t, err)
	assert.True(t, status.Done())
	assert.Equal(t, "/api/v1/uploads/u-1?expiresInSeconds=60", rec.last(t).URI)
	list, err := client.Uploads(ctx)
	require.NoError(t, err)
	assert.False(t, list[0].Done())
	file, err := client.DownloadUpload(ctx, "u-1")
	require.NoError(t, err)
	got, _ := io.ReadAll(file)
	file.Close()
	assert.Equal(t, data, got)
	copied, err := client.CopyUpload(ctx, "u-1", erp.UploadAttachment, "C_Order", erp.IntID(1000022))
	require.NoError(t, err)
	assert.JSONEq(t, `{"copyLocation":"ATTACHMENT","tableName":"C_Order","recordId":"1000022"}`, rec.last(t).Body)
	assert.Equal(t, erp.IntID(1000022), copied.RecordID)
	require.NoError(t, client.CancelUpload(ctx, "u-1"))

	_, err = client.StartUpload(ctx, erp.UploadRequest{FileName: "a", Location: "X"})
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.StartUpload(ctx, erp.UploadRequest{FileName: "a", Location: erp.UploadArchive})
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.SendChunk(ctx, "u-1", 2, 1, nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, err = client.UploadFile(ctx, erp.UploadRequest{FileName: "a", Location: erp.UploadArchive}, bytes.NewReader(data), 100)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

package erp_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestAttachments(t *testing.T) {
	t.Parallel()
	stored := map[string][]byte{}
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, name, _ := strings.Cut(r.URL.Path, "/attachments")
		name = strings.TrimPrefix(name, "/")
		switch {
		case r.Method == http.MethodPost:
			var body struct {
				Name      string
				Data      []byte
				Overwrite bool
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				w.WriteHeader(400)
				return
			}
			if _, ok := stored[body.Name]; ok && !body.Overwrite {
				respond(w, 409, `{"title":"Duplicate file name","status":409,"detail":"Duplicate file name: plan.pdf"}`)
				return
			}
			stored[body.Name] = body.Data
			w.WriteHeader(201)
		case r.Method == http.MethodDelete:
			respond(w, 200, `{"msg":"Deleted"}`)
		case name == "":
			respond(w, 200, `{"attachments":[{"name":"a.pdf","contentType":"application/pdf"}]}`)
		case stored[name] == nil:
			w.WriteHeader(204)
		default:
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write(stored[name])
		}
	})
	ctx, id := t.Context(), erp.IntID(5)
	data := bytes.Repeat([]byte("0123456789"), 100_003)
	require.NoError(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment(`Plan "ä" 1.pdf`, data)))
	assert.Equal(t, fmt.Sprint(len(rec.last(t).Body)), rec.last(t).Header.Get("Content-Length"))
	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment(`Plan "ä" 1.pdf`, nil)), erp.ErrConflict)
	require.NoError(t, client.UploadAttachment(ctx, "C_Order", id, erp.AttachmentUpload{Name: "empty", Data: bytes.NewReader(nil), Overwrite: true}))
	assert.Equal(t, `{"name":"empty","data":"","overwrite":true}`, rec.last(t).Body)

	file, err := client.DownloadAttachment(ctx, "C_Order", id, `Plan "ä" 1.pdf`)
	require.NoError(t, err)
	got, err := io.ReadAll(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.True(t, bytes.Equal(data, got))
	assert.Equal(t, "application/pdf", file.ContentType)
	assert.Equal(t, "*/*", rec.last(t).Header.Get("Accept"), "the server refuses anything narrower")
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/Plan%20%22%C3%A4%22%201.pdf", rec.last(t).URI)

	_, err = client.DownloadAttachment(ctx, "C_Order", id, "missing.pdf")
	require.ErrorIs(t, err, erp.ErrNotFound, "204 means there is none")
	_, err = client.DownloadAttachmentsZip(ctx, "C_Order", id)
	require.ErrorIs(t, err, erp.ErrNotFound)

	list, err := client.Attachments(ctx, "C_Order", id)
	require.NoError(t, err)
	assert.Equal(t, []erp.Attachment{{Name: "a.pdf", ContentType: "application/pdf"}}, list)

	var archive bytes.Buffer
	zw := zip.NewWriter(&archive)
	require.NoError(t, zw.Close())
	require.NoError(t, client.UploadAttachmentsZip(ctx, "C_Order", id, erp.NewAttachment("ignored", archive.Bytes())))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/zip", rec.last(t).URI)
	assert.True(t, strings.HasPrefix(rec.last(t).Body, `{"data":"UEsF`))

	require.NoError(t, client.DeleteAttachment(ctx, "C_Order", id, "a.pdf"))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments/a.pdf", rec.last(t).URI)
	require.NoError(t, client.DeleteAttachments(ctx, "C_Order", id))
	assert.Equal(t, "/api/v1/models/C_Order/5/attachments", rec.last(t).URI)

	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.NewAttachment("a/b", nil)), erp.ErrInvalid)
	require.ErrorIs(t, client.UploadAttachment(ctx, "C_Order", id, erp.AttachmentUpload{Name: "a"}), erp.ErrInvalid)
	short := erp.NewAttachment("a", []byte("abc"))
	short.Size = 10
	err = client.UploadAttachment(ctx, "C_Order", id, short)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.NotErrorIs(t, err, erp.ErrUnreachable, "it is the file, not the server")
}

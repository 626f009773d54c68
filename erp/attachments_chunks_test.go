package erp_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// TestAttachmentInChunks attaches files of several chunks, some of which are
// lost on their way.
func TestAttachmentInChunks(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), quick())
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	ctx, order := t.Context(), erp.IntID(100)
	file := func(size int) []byte { return bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size] }
	attached := func(name string) []byte {
		got, err := client.DownloadAttachment(ctx, "C_Order", order, name)
		require.NoError(t, err)
		defer got.Close()
		data, err := io.ReadAll(got)
		require.NoError(t, err)
		return data
	}

	data := file(3<<20 + 17)
	srv.Faults().On(erptest.Match{Path: "/uploads/*/chunks/*", N: 2}, erptest.Fail(http.StatusServiceUnavailable))
	require.NoError(t, client.UploadAttachmentInChunks(ctx, "C_Order", order, erp.NewAttachment("large.bin", data)))
	require.Equal(t, data, attached("large.bin"))

	err = client.UploadAttachmentInChunks(ctx, "C_Order", order, erp.NewAttachment("large.bin", file(10)))
	require.ErrorIs(t, err, erp.ErrExists)
	require.Equal(t, data, attached("large.bin"))
	again := erp.NewAttachment("large.bin", file(2<<20))
	again.Overwrite = true
	require.NoError(t, client.UploadAttachmentInChunks(ctx, "C_Order", order, again))
	require.Equal(t, file(2<<20), attached("large.bin"))

	for name, upload := range map[string]erp.AttachmentUpload{
		"no data": {Name: "a.txt"},
		"no name": erp.NewAttachment("", file(1)),
		"a path":  erp.NewAttachment("a/b", file(1)),
	} {
		require.ErrorIs(t, client.UploadAttachmentInChunks(ctx, "C_Order", order, upload), erp.ErrInvalid, name)
	}
	require.ErrorIs(t, client.UploadAttachmentInChunks(ctx, "C_Order", erp.IntID(999_999), erp.NewAttachment("a", file(1))), erp.ErrNotFound)
}

func TestWebLink(t *testing.T) {
	t.Parallel()
	client, err := erp.New("https://erp.example.com/base")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		web, table string
		id         erp.ID
		want       string
	}{
		"by number":             {"", "C_Order", erp.IntID(100), "https://erp.example.com/base/webui/index.zul?Action=Zoom&Record_ID=100&TableName=C_Order"},
		"by UUID":               {"", "C_Order", erp.UUID("0f3a8c1e-0000-4000-8000-000000000001"), "https://erp.example.com/base/webui/index.zul?Action=Zoom&Record_UU=0f3a8c1e-0000-4000-8000-000000000001&TableName=C_Order"},
		"the client":            {"", "", erp.ID{}, "https://erp.example.com/base/webui/index.zul"},
		"an address of its own": {"https://web.example.com/erp/", "C_Order", erp.IntID(1), "https://web.example.com/erp/?Action=Zoom&Record_ID=1&TableName=C_Order"},
		"with parameters":       {"https://web.example.com/?x=1", "A&B", erp.IntID(1), "https://web.example.com/?x=1&Action=Zoom&Record_ID=1&TableName=A%26B"},
	} {
		require.Equal(t, c.want, client.WebLink(c.web, c.table, c.id), name)
	}
}

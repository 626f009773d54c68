package erp_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/tracecontext"
)

func TestArchives(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	list, err := client.Archives(t.Context(), "C_Invoice", erp.IntID(100))
	require.NoError(t, err)
	require.Equal(t, []erp.Archive{{ID: 100, Name: "Invoice 200100", ContentType: "application/pdf", Created: "2024-02-10 10:00:00.0"}}, list)
	file, err := client.DownloadArchive(t.Context(), "C_Invoice", erp.IntID(100), list[0])
	require.NoError(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	assert.Equal(t, "Invoice 200100, Joe Block, 154.07 USD", string(content))
	assert.Equal(t, "Invoice 200100", file.Name)
	_, err = client.DownloadArchive(t.Context(), "C_Invoice", erp.IntID(101), list[0])
	require.ErrorIs(t, err, erp.ErrNotFound)
}

// What goes along with a token, and the trace that the ERP records with changes.
func TestIdentityAndTrace(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, `{"archives":[]}`) },
		erp.WithTokenSource(erp.StaticToken("t")), erp.WithIdentity(erp.Identity{Role: "Sales Manager", Organization: "HQ", IDToken: "id"}))
	ctx := tracecontext.With(t.Context(), "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00", "")
	_, err := client.Archives(ctx, "C_Order", erp.IntID(1))
	require.NoError(t, err)
	for name, value := range map[string]string{"X-ID-Role": "Sales Manager", "X-ID-Organization": "HQ", "X-ID-Warehouse": "",
		"X-ID-IdToken": "id", "X-External-ID": "0af7651916cd43dd8448eb211c80319c"} {
		assert.Equal(t, value, rec.last(t).Header.Get(name), name)
	}
	_, err = erp.New("http://127.0.0.1:1", erp.WithIdentity(erp.Identity{Role: "a\nb"}))
	require.ErrorIs(t, err, erp.ErrInvalid)
}

// Texts that servers of July 2026 and later replace in a batch.
func TestBatchReferences(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	group := erp.BatchRequest{Method: "POST", Path: "v1/models/C_BP_Group", As: "g", Body: map[string]any{"Value": "refs", "Name": "Refs"}}
	member := erp.BatchCreate("C_BPartner", map[string]any{"Value": "refs", "Name": "Refs", "C_BP_Group_ID": "@g$.id@"})

	_, err := client.Batch(t.Context(), []erp.BatchRequest{group, member}, erp.BatchOptions{})
	require.ErrorIs(t, err, erp.ErrInvalid)
	require.ErrorContains(t, err, `request 2`)
	require.ErrorContains(t, err, `@g$.id@`)
	results, err := client.Batch(t.Context(), []erp.BatchRequest{group, member}, erp.BatchOptions{References: true})
	require.NoError(t, err)
	require.Len(t, results, 2)
	made, err := results[0].Record()
	require.NoError(t, err)
	partner, err := results[1].Record()
	require.NoError(t, err)
	ref, ok := partner.Ref("C_BP_Group_ID")
	require.True(t, ok)
	id, _ := made.Int("id")
	assert.Equal(t, erp.IntID(id), ref.ID)

	for text, is := range map[string]bool{"@#AD_Client_ID@": true, "@$Element_BP@": true, "@+X@": true, "@g$.id@": true, "@g$['id']@": true,
		"@AD_Org_ID@": false, "@@": false, "@": false, "": false, "me@home.example": false, "@$": false, "@a$@": false, "5 $ @ home@": false} {
		assert.Equal(t, is, erp.IsBatchReference(text), text)
	}
}

// Records with such a text are written alone, so that every server stores it.
func TestWriteAllStoresReferencesAsTheyAre(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	writes := []erp.Write{{Body: map[string]any{"Value": "lit1", "Name": "@#AD_Client_ID@"}}, {Body: map[string]any{"Value": "lit2", "Name": "Plain"}}}
	written, err := client.WriteRecords(t.Context(), "C_BP_Group", writes, nil)
	require.NoError(t, err)
	require.Len(t, written, 2)
	for i, name := range []string{"@#AD_Client_ID@", "Plain"} {
		require.NoError(t, written[i].Err)
		got, _ := written[i].Record.Text("Name")
		assert.Equal(t, name, got)
	}
	_, err = client.WriteRecords(t.Context(), "C_BP_Group", writes, &erp.WriteOptions{AllOrNothing: true})
	require.ErrorIs(t, err, erp.ErrInvalid, "all or none needs a batch")
}

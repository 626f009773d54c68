package transfer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/transfer"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// Undo deletes what an import created, gives back former values of all kinds, leaves
// what was changed since, and takes back one import after the other.
func TestUndo(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	ctx, reg := t.Context(), dictionary(client)
	path := filepath.Join(t.TempDir(), "undo.ndjson")
	columns := []string{"Name", "Description", "SO_CreditLimit", "C_PaymentTerm_ID", "IsCustomer"}
	imported := func(content string) *transfer.Result {
		t.Helper()
		result, err := transfer.Import(ctx, client, reg, file(t, "partners.csv", content), transfer.ImportOptions{Table: "C_BPartner", Key: []string{"Value"}, Undo: path})
		require.NoError(t, err)
		require.Empty(t, result.Problems)
		return result
	}
	undone := func(dry bool) *transfer.UndoResult {
		t.Helper()
		result, err := transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: path, Table: "c_bpartner", DryRun: dry})
		require.NoError(t, err)
		return result
	}
	imported("Value,Name,Description,SO_CreditLimit,C_PaymentTerm_ID,IsCustomer\nZU1,One,,1.5,,N\nZU2,Two,text,2,Immediate,Y\n")
	before := partners(t, client, "ZU", columns...)
	require.Len(t, before, 2)
	assert.Equal(t, transfer.Counts{Created: 1, Updated: 2}, imported("Value,Name,Description,SO_CreditLimit,C_PaymentTerm_ID,IsCustomer\n"+
		"ZU1,Uno,new,7.25,Immediate,Y\nZU2,Due,,3,,N\nZU3,Tre,,3,,N\n").Counts)
	after := partners(t, client, "ZU", columns...)

	dry := undone(true)
	assert.Equal(t, [2]int{1, 2}, [2]int{dry.Deleted, dry.Restored})
	assert.Equal(t, after, partners(t, client, "ZU", columns...), "a dry run writes nothing")

	// What somebody changed since stays, and so does the file.
	id := recordID(t, client, "ZU1")
	_, err := client.Update(ctx, "C_BPartner", id, map[string]any{"Name": "Changed"})
	require.NoError(t, err)
	first := undone(false)
	assert.Equal(t, "partners.csv", first.File)
	assert.Equal(t, []string{"C_BPartner " + id.String() + ": Name was changed since the import and stays"}, first.Problems)
	_, err = client.Update(ctx, "C_BPartner", id, map[string]any{"Name": "One"})
	require.NoError(t, err)
	assert.Equal(t, before, partners(t, client, "ZU", columns...))

	// Repeated, it finds nothing to do, and the import before is next.
	again := undone(false)
	assert.Equal(t, [3]int{0, 0, 3}, [3]int{again.Deleted, again.Restored, again.Unchanged})
	assert.Equal(t, 2, undone(false).Deleted)
	assert.Empty(t, partners(t, client, "ZU"))
	assert.NoFileExists(t, path)
	_, err = transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: path, Table: "C_BPartner"})
	require.ErrorIs(t, err, transfer.ErrNothingToUndo)
}

func recordID(t *testing.T, client *erp.Client, value string) erp.ID {
	t.Helper()
	page, err := client.Query(t.Context(), "C_BPartner", &erp.Query{Filter: erp.Eq("Value", value)})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	return page.Records[0].ID()
}

// A record that was there before an import named its UUID is not the import's to delete,
// and a line that was cut off is of rows that were not sent.
func TestUndoLeavesOthers(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	ctx, reg := t.Context(), dictionary(client)
	path := filepath.Join(t.TempDir(), "undo.ndjson")
	opts := transfer.ImportOptions{Table: "C_BPartner", Undo: path}
	const there, fresh = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	_, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "ZV1", "Name": "One", "C_BPartner_UU": there, "C_BP_Group_ID": 103})
	require.NoError(t, err)
	_, err = transfer.Import(ctx, client, reg, file(t, "p.csv", "uid,Value,Name\n"+there+",ZV1,One\n"+fresh+",ZV2,Two\n"), opts)
	require.NoError(t, err)
	require.Len(t, partners(t, client, "ZV"), 2)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"created":"3333`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	result, err := transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: path, Table: "C_BPartner"})
	require.NoError(t, err)
	assert.Equal(t, 1, result.Deleted)
	assert.Equal(t, []string{"ZV1"}, partners(t, client, "ZV"))
}

// What the ERP refuses is a problem of its record, and another server's import is not
// taken back.
func TestUndoRefused(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	ctx, reg := t.Context(), dictionary(client)
	path := filepath.Join(t.TempDir(), "undo.ndjson")
	_, err := transfer.Import(ctx, client, reg, file(t, "p.csv", "Value,Name\nZW1,One\n"), transfer.ImportOptions{Table: "C_BPartner", Undo: path})
	require.NoError(t, err)
	_, other := start(t)
	_, err = transfer.Undo(ctx, other, dictionary(other), transfer.UndoOptions{Path: path, Table: "C_BPartner"})
	require.ErrorIs(t, err, transfer.ErrOtherRun)

	fault := srv.Faults().On(erptest.Match{Method: "DELETE", Path: "/models/..."}, erptest.Fail(500, erptest.Body("application/json", `{"title":"Delete error","status":500,"detail":"Record has dependents"}`)))
	result, err := transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: path, Table: "C_BPartner"})
	fault.Remove()
	require.NoError(t, err)
	require.Len(t, result.Problems, 1)
	assert.Contains(t, result.Problems[0], "Record has dependents")
	assert.FileExists(t, path)
}

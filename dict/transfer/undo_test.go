package transfer_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
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
	ctx, reg := t.Context(), demoDictionary()
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
	ctx, reg := t.Context(), demoDictionary()
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
	ctx, reg := t.Context(), demoDictionary()
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

// A line that a full disk or a kill cut off does not spoil what the next import leaves.
func TestUndoAfterATornLine(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	ctx, reg := t.Context(), demoDictionary()
	path := filepath.Join(t.TempDir(), "undo.ndjson")
	for i, torn := range []string{`{"import":{"run":"` + strings.Repeat("x", 100<<10), "", `{"created":"3333`} {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		require.NoError(t, err)
		_, err = f.WriteString(torn)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		_, err = transfer.Import(ctx, client, reg, file(t, "p.csv", fmt.Sprintf("Value,Name\nZX%d,One\n", i)), transfer.ImportOptions{Table: "C_BPartner", Undo: path})
		require.NoError(t, err)
	}
	for range 3 {
		result, err := transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: path, Table: "C_BPartner"})
		require.NoError(t, err)
		assert.Equal(t, 1, result.Deleted)
	}
	assert.Empty(t, partners(t, client, "ZX"))
	assert.NoFileExists(t, path)
}

// What cannot be taken back whole is refused, and the file stays.
func TestUndoKeepsWhatItCannotTakeBack(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	ctx, reg := t.Context(), demoDictionary()
	dir := t.TempDir()
	path, journal := filepath.Join(dir, "undo.ndjson"), filepath.Join(dir, "import.json")
	_, err := transfer.Import(ctx, client, reg, file(t, "p.csv", "Value,Name\nZY1,One\n"), transfer.ImportOptions{Table: "C_BPartner", Undo: path, RoleID: 102})
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	opts := transfer.UndoOptions{Path: path, Table: "C_BPartner", Journal: journal, RoleID: 102}

	t.Run("another role", func(t *testing.T) {
		for _, role := range []int{0, 103} { // System's is 0
			other := opts
			other.RoleID = role
			_, err := transfer.Undo(ctx, client, reg, other)
			require.ErrorIs(t, err, transfer.ErrOtherRun)
			require.ErrorContains(t, err, fmt.Sprintf("made with the role 102, and this login has the role %d", role))
		}
	})
	t.Run("another form", func(t *testing.T) {
		newer := opts
		newer.Path = filepath.Join(dir, "newer.ndjson")
		require.NoError(t, os.WriteFile(newer.Path, bytes.Replace(content, []byte(`"version":1`), []byte(`"version":2`), 1), 0o600))
		_, err := transfer.Undo(ctx, client, reg, newer)
		require.ErrorContains(t, err, "has form 2, and this erphub reads form 1 alone")
	})
	t.Run("an import that runs", func(t *testing.T) {
		lock := flock.New(journal + ".lock")
		require.NoError(t, lock.Lock())
		_, err := transfer.Undo(ctx, client, reg, opts)
		require.ErrorContains(t, err, "wait for it to end")
		require.NoError(t, lock.Unlock())
	})
	t.Run("an ERP that is busy", func(t *testing.T) {
		fault := srv.Faults().On(erptest.Match{Method: "DELETE", Path: "/models/..."}, erptest.Fail(503))
		_, err := transfer.Undo(ctx, client, reg, opts)
		fault.Remove()
		require.ErrorIs(t, err, erp.ErrUnavailable)
		require.ErrorContains(t, err, "repeat it")
	})
	assert.Equal(t, []string{"ZY1"}, partners(t, client, "ZY"))
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(content), string(kept))
}

// An import that was cut off and taken back is not resumed: its first rows are gone.
func TestUndoOfAnInterruptedImport(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	ctx, reg := t.Context(), demoDictionary()
	dir := t.TempDir()
	in := file(t, "p.csv", "Value,Name\nZZ1,One\nZZ2,Two\n")
	opts := transfer.ImportOptions{Table: "C_BPartner", Undo: filepath.Join(dir, "undo.ndjson"), Journal: filepath.Join(dir, "import.json"), BatchSize: 1}
	fault := srv.Faults().On(erptest.Match{Method: "POST", Path: "/models/...", N: 2, Times: 100}, erptest.Fail(503))
	_, err := transfer.Import(ctx, client, reg, in, opts)
	fault.Remove()
	require.Error(t, err)
	require.FileExists(t, opts.Journal)
	result, err := transfer.Undo(ctx, client, reg, transfer.UndoOptions{Path: opts.Undo, Table: "C_BPartner", Journal: opts.Journal})
	require.NoError(t, err)
	assert.Equal(t, 1, result.Deleted)
	assert.NoFileExists(t, opts.Journal)
	_, err = transfer.Import(ctx, client, reg, in, opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"ZZ1", "ZZ2"}, partners(t, client, "ZZ"))
}

package gogen_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/gogen"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// The types of examples/typed are what the dictionary says.
func TestTypesOfTheExampleAreCurrent(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	require.NoError(t, err)
	dictionary, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	want, err := gogen.Generate(t.Context(), dictionary, gogen.Options{Package: "model", Tables: []string{"C_Order", "C_OrderLine"}})
	require.NoError(t, err)
	path := filepath.Join("..", "..", "..", "examples", "typed", "model", "orders.go")
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, string(want) == string(got), "%s is not what the dictionary says; write it with go test ./cmd/internal/gogen -run TestTypesOfTheExampleAreCurrent -update", path)
}

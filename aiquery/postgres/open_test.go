package postgres

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"no address": "somewhere", "not understood": "postgres://u:hunter2%zz@host/db", "nobody there": "postgres://u:hunter2@127.0.0.1:1/db",
		"bad setting": "postgres://u:hunter2@127.0.0.1/db?sslmode=hunter2",
	} {
		_, err := Open(t.Context(), address, nil)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "hunter2", name)
	}
	_, err := Open(t.Context(), "postgres://127.0.0.1/db", &Options{Schema: `x"; DROP SCHEMA y`})
	require.ErrorContains(t, err, "not a plain name")
	_, err = Open(t.Context(), "postgres://127.0.0.1/db", &Options{TempFileLimit: "much"})
	require.ErrorContains(t, err, "TempFileLimit")
}

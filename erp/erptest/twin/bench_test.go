package twin_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// How long a test waits for a server over a twin with the whole dictionary: the first
// one in a process, and each after it.
func BenchmarkFromTwin(b *testing.B) {
	srv, err := erptest.Start(b.Context(), erptest.Options{Path: b.TempDir() + "/erp.db"})
	require.NoError(b, err)
	defer srv.Close() //nolint:errcheck // it was only read
	db := srv.Database()
	defer db.Close()
	src, err := twin.NewDatabase(db, twin.SQLite, nil)
	require.NoError(b, err)
	defer src.Close() //nolint:errcheck // it was only read
	dir := b.TempDir()
	_, err = twin.Clone(b.Context(), src, dir, orders())
	require.NoError(b, err)
	info, err := os.Stat(twin.InFolder(dir))
	require.NoError(b, err)
	b.Run(fmt.Sprintf("%d MB", info.Size()>>20), func(b *testing.B) {
		for b.Loop() {
			opened, err := erptest.Open(b.Context(), erptest.FromTwin(dir))
			require.NoError(b, err)
			require.NoError(b, opened.Close())
		}
	})
}

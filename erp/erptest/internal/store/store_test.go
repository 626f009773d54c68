package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Commits of a durable store wait until the journal is on the disk: FULL, where
// NORMAL syncs it at checkpoints alone.
func TestDurable(t *testing.T) {
	t.Parallel()
	for durable, want := range map[bool]int{false: 1, true: 2} {
		t.Run(fmt.Sprint(durable), func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "erp.db"), store.Options{Durable: durable})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()) })
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				var level int
				var journal string
				require.NoError(t, tx.QueryRow(t.Context(), "PRAGMA synchronous").Scan(&level))
				require.NoError(t, tx.QueryRow(t.Context(), "PRAGMA journal_mode").Scan(&journal))
				assert.Equal(t, want, level)
				assert.Equal(t, "wal", journal)
				return nil
			}))
		})
	}
}

// Statements are kept for the next use, whatever becomes of the table in between,
// and no two readers share one.
func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	number := numbers("X_Number")
	for name, s := range openStores(t, number, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			names := func(tx *store.Tx) (list []string) {
				rows, err := tx.Select(ctx, number, store.Selection{OrderBy: "X_Number_ID"})
				require.NoError(t, err)
				for _, r := range rows {
					list = append(list, r.String("Name"))
				}
				return list
			}
			require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
				const query = `SELECT Name FROM X_Number ORDER BY X_Number_ID`
				outer, err := tx.Query(ctx, query)
				require.NoError(t, err)
				defer outer.Close()
				var got []string
				for outer.Next() { // the same statement again while it is in use
					var a, b string
					require.NoError(t, outer.Scan(&a))
					require.NoError(t, tx.QueryRow(ctx, query).Scan(&b))
					got = append(got, a+b)
				}
				require.NoError(t, outer.Err())
				assert.Equal(t, []string{"N1N1", "N2N1", "N3N1"}, got)

				require.Error(t, tx.Insert(ctx, number, store.Row{"X_Number_ID": int64(1), "Name": "again"}))
				require.NoError(t, tx.Insert(ctx, number, store.Row{"X_Number_ID": int64(4), "Name": "N4"}))
				require.Equal(t, []string{"N1", "N2", "N3", "N4"}, names(tx))
				_, err = tx.Exec(ctx, `ALTER TABLE X_Number ADD COLUMN More TEXT`)
				require.NoError(t, err)
				require.Equal(t, []string{"N1", "N2", "N3", "N4"}, names(tx))
				_, err = tx.Exec(ctx, `DROP TABLE X_Number`)
				require.NoError(t, err)
				_, err = tx.CreateTable(ctx, number)
				require.NoError(t, err)
				require.NoError(t, tx.Insert(ctx, number, store.Row{"X_Number_ID": int64(1), "Name": "new"}))
				require.Equal(t, []string{"new"}, names(tx))
				return nil
			}))
			require.NoError(t, s.View(ctx, func(tx *store.Tx) error {
				require.Equal(t, []string{"new"}, names(tx))
				for i := range 300 { // more than are kept
					var n int
					require.NoError(t, tx.QueryRow(ctx, fmt.Sprintf("SELECT %d", i)).Scan(&n))
					require.Equal(t, i, n)
				}
				require.Equal(t, []string{"new"}, names(tx))
				return nil
			}))
		})
	}
}

// The journal does not grow for ever while readers follow each other without a gap.
func TestJournalStaysShort(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number := numbers("X_Number")
	path := filepath.Join(t.TempDir(), "erp.db")
	s, err := store.Open(ctx, path, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateTable(ctx, number)
		return err
	}))
	// A chain of readers: each ends when the next one has begun, so that there is
	// always one, or soon when the next one is kept back.
	stop := make(chan struct{})
	var readers gosync.WaitGroup
	var read func(begun chan<- struct{})
	read = func(begun chan<- struct{}) {
		next := make(chan struct{})
		assert.NoError(t, s.View(ctx, func(tx *store.Tx) error {
			close(begun)
			select {
			case <-stop:
				return nil
			default:
			}
			readers.Go(func() { read(next) })
			select {
			case <-next:
			case <-time.After(20 * time.Millisecond):
			}
			return nil
		}))
	}
	first := make(chan struct{})
	readers.Go(func() { read(first) })
	<-first
	big := strings.Repeat("x", 1<<20)
	for i := range int64(64) {
		require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
			return tx.Insert(ctx, number, store.Row{"X_Number_ID": i, "Name": big})
		}))
	}
	close(stop)
	readers.Wait()
	info, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(40<<20), "of 64 MiB that were written")
}

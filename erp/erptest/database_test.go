package erptest_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

func TestDatabase(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"in memory": "", "in a file": t.TempDir() + "/erp.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t, erptest.Options{Path: path})
			db := srv.Database()
			defer db.Close()
			var rename = func(to string) error {
				return srv.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), `UPDATE AD_Role SET Name=? WHERE AD_Role_ID=102`, to)
					return err
				}, "AD_Role")
			}
			var got string
			read := func() string {
				require.NoError(t, db.QueryRowContext(t.Context(), `SELECT Name FROM AD_Role WHERE AD_Role_ID=102`).Scan(&got))
				return got
			}

			require.NoError(t, rename("Renamed"))
			assert.Equal(t, "Renamed", read())

			stop := errors.New("stop")
			require.ErrorIs(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), `UPDATE AD_Role SET Name='Lost' WHERE AD_Role_ID=102`)
				require.NoError(t, err)
				return stop
			}), stop)
			assert.Equal(t, "Renamed", read(), "nothing stays of a write that failed")

			var sorted string // with the collation of decimals
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT DocumentNo FROM C_Order ORDER BY GrandTotal DESC LIMIT 1`).Scan(&sorted))
			assert.NotEmpty(t, sorted)

			for _, statement := range []string{
				`UPDATE AD_Role SET Name='x'`, `DELETE FROM AD_Role`, `CREATE TABLE x(y)`, `DROP TABLE AD_Role`, `INSERT INTO AD_Role DEFAULT VALUES`,
			} {
				_, err := db.QueryContext(t.Context(), statement)
				require.Error(t, err, statement)
				tx, err := db.BeginTx(t.Context(), nil)
				require.NoError(t, err)
				_, err = tx.ExecContext(t.Context(), statement)
				require.Error(t, err, statement)
				require.NoError(t, tx.Commit())
			}
			assert.Equal(t, "Renamed", read())

			// A transaction sees one state, and writers wait for its end.
			tx, err := db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			require.NoError(t, tx.QueryRowContext(t.Context(), `SELECT Name FROM AD_Role WHERE AD_Role_ID=102`).Scan(&got))
			var wg sync.WaitGroup
			wg.Go(func() { assert.NoError(t, rename("Later")) })
			require.NoError(t, tx.QueryRowContext(t.Context(), `SELECT Name FROM AD_Role WHERE AD_Role_ID=102`).Scan(&got))
			assert.Equal(t, "Renamed", got)
			require.NoError(t, tx.Rollback())
			wg.Wait()
			assert.Equal(t, "Later", read())

			// A context that ends mid-way leaves the lock free.
			ctx, cancel := context.WithCancel(t.Context())
			rows, err := db.QueryContext(ctx, `SELECT a.AD_Column_ID FROM AD_Column a, AD_Column b, AD_Column c`)
			require.NoError(t, err)
			require.True(t, rows.Next())
			cancel()
			for rows.Next() {
			}
			require.Error(t, rows.Err())
			require.NoError(t, rename("Free"))
		})
	}
}

// Whoever writes may read beside it, also when nobody has looked at the database
// before.
func TestReadingWithinAWrite(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(ctx context.Context, srv *erptest.Server) error{
		"database": func(ctx context.Context, srv *erptest.Server) error {
			db := srv.Database()
			defer db.Close()
			return db.PingContext(ctx)
		},
		"snapshot": func(ctx context.Context, srv *erptest.Server) error {
			return srv.Snapshot(ctx, func(*sql.Tx, uint64) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			done := make(chan error, 1)
			go func() {
				done <- srv.Write(t.Context(), func(*sql.Tx) error { return read(t.Context(), srv) })
			}()
			select {
			case err := <-done:
				require.NoError(t, err)
			case <-time.After(time.Minute):
				t.Fatal("the write waits for itself")
			}
		})
	}
}

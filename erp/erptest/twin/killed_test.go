package twin_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// With these in its environment the test program clones a database, says each batch
// and each step on its output, and ends.
const (
	killedSource = "ERPHUB_TEST_CLONE_FROM"
	killedTarget = "ERPHUB_TEST_CLONE_TO"
)

// killedOptions are those of the clones in other processes.
func killedOptions() twin.Options {
	o := orders()
	o.Tables = append(o.Tables, "M_Product", "AD_User")
	o.Rows = 25 // so that more is read for what they refer to
	return o
}

func cloneUntilKilled(from, to string) (code int) {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	db, err := store.OpenReadOnly(from)
	if err != nil {
		return fail(err)
	}
	src, err := twin.NewDatabase(db, twin.SQLite, &twin.DatabaseOptions{Origin: "the live ERP"})
	if err != nil {
		return fail(err)
	}
	opts := killedOptions()
	opts.Resume = true
	opts.Progress = func(p twin.Progress) { fmt.Println("rows of", p.Table, p.Rows) }
	opts.Logger = slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if _, err := twin.Clone(context.Background(), &small{src, idsOf(db)}, to, opts); err != nil {
		return fail(err)
	}
	return 0
}

// killAfter has another process clone a file, and kills it when it has said a number
// of lines. It reports whether the clone was complete before.
func killAfter(t *testing.T, from, to string, lines int) (complete bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killedSource+"="+from, killedTarget+"="+to)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	scan := bufio.NewScanner(out)
	for n := 0; scan.Scan(); n++ {
		if n == lines {
			_ = cmd.Process.Kill() // it may have ended just now
		}
	}
	_, err = io.Copy(io.Discard, out)
	require.NoError(t, err)
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.False(t, exit.Exited(), "it failed: %s", said.String())
		return false
	}
	require.NoError(t, err)
	return true
}

// A clone that is killed at any moment and resumed is the same in every table as one
// that was not: when the ERP does not change, although users log in to it, as the
// clone itself may; when it does, in all tables but those that changed, and no key
// leads nowhere. It is killed 5 times at least, 2 times with -short, 100 times with
// ERPHUB_PROOF.
func TestKilled(t *testing.T) {
	t.Parallel()
	least := 5
	switch {
	case os.Getenv("ERPHUB_PROOF") != "":
		least = 100
	case testing.Short():
		least = 2
	}
	for name, c := range map[string]struct {
		change  string // after each kill; ? is the number of the run
		changed []string
	}{
		"the ERP does not change": {},
		"it changes meanwhile": {`UPDATE C_Order SET Description='run '||? WHERE C_Order_ID%3=?%3; DELETE FROM C_OrderLine WHERE C_OrderLine_ID=100+?;
			DELETE FROM AD_User_Roles WHERE AD_User_ID=104; DELETE FROM AD_Window_Access WHERE AD_Role_ID=103 AND AD_Window_ID=(SELECT MIN(AD_Window_ID) FROM AD_Window_Access WHERE AD_Role_ID=103)`, []string{"C_Order", "C_OrderLine", "AD_User_Roles", "AD_Window_Access", "AD_User"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "live.db")
			srv, err := erptest.Start(t.Context(), erptest.Options{Path: path})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, srv.Close()) })
			plain, dir := t.TempDir(), t.TempDir()
			_, err = twin.Clone(t.Context(), newSmall(database(t, srv)), plain, killedOptions())
			require.NoError(t, err)
			kills := 0
			for seen := 5; ; seen += 20 {
				if killAfter(t, path, dir, rand.IntN(seen)) {
					if kills >= least {
						break
					}
					require.NoError(t, os.Remove(twin.InFolder(dir)))
					seen = 5
					continue
				}
				kills++
				_, err := logIn(t, srv, "GardenAdmin", "GardenAdmin")
				require.NoError(t, err)
				if c.change == "" {
					continue
				}
				require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.ExecContext(context.WithoutCancel(t.Context()), c.change, kills, kills, kills)
					return err
				}))
			}
			t.Logf("killed %d times", kills)
			verified(t, dir)
			want, got := digests(t, plain), digests(t, dir)
			for _, table := range c.changed {
				delete(want, table)
				delete(got, table)
			}
			assert.Equal(t, want, got)
			assert.Greater(t, len(got), 30)
			assertComplete(t, dir)
		})
	}
}

// digests are what a twin says of its tables.
func digests(t *testing.T, dir string) map[string]twinfile.Part {
	t.Helper()
	db, err := store.OpenReadOnly(twin.InFolder(dir))
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // it was only read
	parts, err := twinfile.ReadParts(t.Context(), db.QueryContext)
	require.NoError(t, err)
	out := map[string]twinfile.Part{}
	for _, p := range parts {
		out[p.Name] = p
	}
	return out
}

// assertComplete looks for rows whose reference, by its name, leads nowhere.
func assertComplete(t *testing.T, dir string) {
	t.Helper()
	srv := erptest.New(t, erptest.FromTwin(dir))
	checked := 0
	for _, from := range fewTables {
		for _, column := range texts(t, srv, `SELECT name FROM pragma_table_info('`+from+`')`) {
			to, isKey := strings.CutSuffix(column, "_ID")
			if !isKey || to == from || !slices.Contains(fewTables, to) {
				continue
			}
			dangling := texts(t, srv, fmt.Sprintf(`SELECT DISTINCT CAST(%[2]s AS TEXT) FROM %[1]s WHERE %[2]s>0 AND %[2]s NOT IN (SELECT %[2]s FROM %[3]s)`, from, column, to))
			assert.Empty(t, dangling, "%s.%s", from, column)
			checked++
		}
	}
	assert.Greater(t, checked, 100)
}

package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

var update = flag.Bool("update", false, "rewrite files of testdata")

// made makes a database with the demo data and lets fn change it by SQL.
func made(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "erp.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		for _, statement := range statements {
			if _, err := tx.Exec(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Close())
	return path
}

// rewrite changes the bytes of a file.
func rewrite(t *testing.T, path string, fn func([]byte) []byte) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, fn(data), 0o600))
	return path
}

// A file that cannot be used is refused at once, named, with what to do, and is
// left as it is.
func TestUnusableFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file func(t *testing.T) string
		want []string
	}{
		"empty": {
			file: func(t *testing.T) string { return rewrite(t, made(t), func([]byte) []byte { return nil }) },
			want: []string{"is empty", "put back a copy, or remove it"},
		},
		"no database": {
			file: func(t *testing.T) string {
				return rewrite(t, made(t), func([]byte) []byte { return []byte(strings.Repeat("words ", 100)) })
			},
			want: []string{"damaged, or no database", "put back a copy"},
		},
		"a few bytes": {
			file: func(t *testing.T) string { return rewrite(t, made(t), func(b []byte) []byte { return b[:20] }) },
			want: []string{"damaged, or no database"},
		},
		"cut off": {
			file: func(t *testing.T) string { return rewrite(t, made(t), func(b []byte) []byte { return b[:len(b)/2] }) },
			want: []string{"damaged, or no database", "put back a copy"},
		},
		"pages overwritten": {
			file: func(t *testing.T) string {
				return rewrite(t, made(t), func(b []byte) []byte {
					for i := 4096; i < len(b); i += 3 {
						b[i] = 0xa5
					}
					return b
				})
			},
			want: []string{"damaged, or no database", "put back a copy"},
		},
		"a folder": {
			file: func(t *testing.T) string { return t.TempDir() },
			want: []string{"is a directory"},
		},
		"of another program": {
			file: func(t *testing.T) string { return made(t, "PRAGMA application_id=7") },
			want: []string{"another program"},
		},
		"of a newer version": {
			file: func(t *testing.T) string {
				return made(t, fmt.Sprintf("PRAGMA user_version=%d", schemaVersion+1))
			},
			want: []string{fmt.Sprintf("its data have form %d, and this erphub reads form %d alone", schemaVersion+1, schemaVersion), "name another file", "erphub dict inspect"},
		},
		"of an older version": {
			file: func(t *testing.T) string {
				return made(t, fmt.Sprintf("PRAGMA user_version=%d", schemaVersion-1))
			},
			want: []string{fmt.Sprintf("its data have form %d", schemaVersion-1), "with the erphub that made it"},
		},
		"without marks": {
			file: func(t *testing.T) string { return made(t, "PRAGMA application_id=0; PRAGMA user_version=0") },
			want: []string{"another program"},
		},
		"without sequences": {
			file: func(t *testing.T) string { return made(t, `DELETE FROM AD_Sequence`) },
			want: []string{"AD_Sequence has no rows"},
		},
		"without users": {
			file: func(t *testing.T) string { return made(t, `DELETE FROM AD_User`) },
			want: []string{"AD_User has no rows"},
		},
		"a journal without its database": {
			file: func(t *testing.T) string {
				path := made(t)
				require.NoError(t, os.Rename(path, path+"-wal"))
				return path
			},
			want: []string{"is missing, but its journal", "put the database back, or remove the journal"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := tc.file(t)
			before, _ := os.ReadFile(path)
			s, err := Open(t.Context(), path, Options{})
			if err == nil {
				require.NoError(t, s.Close())
			}
			require.Error(t, err)
			for _, text := range append(tc.want, path) {
				assert.ErrorContains(t, err, text)
			}
			after, _ := os.ReadFile(path)
			assert.True(t, string(before) == string(after), "the file was changed")
		})
	}
}

// Another form is recognised from the file alone, before anything is written beside it.
func TestFilesOfOtherFormsAreNotTouched(t *testing.T) {
	t.Parallel()
	for _, version := range []uint32{schemaVersion - 1, schemaVersion + 1} {
		path := rewrite(t, made(t), func(b []byte) []byte {
			binary.BigEndian.PutUint32(b[headerVersion:], version)
			return b
		})
		_, err := Open(t.Context(), path, Options{})
		require.ErrorContains(t, err, fmt.Sprintf("its data have form %d", version))
		entries, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	}
}

// What killed starts leave is gone after the next one; other files stay.
func TestLeftoversAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"erp.db.new-1", "erp.db.new-2-journal", "erp.db.new-3-wal", "erp.db.new-upload-4", "other.db", "erp.db.newest", "erp.db.new-copy"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	s, err := Open(t.Context(), filepath.Join(dir, "erp.db"), Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"erp.db", "erp.db.new-copy", "erp.db.newest", "other.db"}, names)
}

// Several processes that begin on an empty folder at once end with one database,
// although each sweeps what the others leave. -short has 3 of them.
func TestSeveralBeginAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "erp.db")
	n := 6
	if testing.Short() {
		n = 3
	}
	errs := make(chan error, n)
	for range cap(errs) {
		go func() {
			s, err := Open(t.Context(), path, Options{})
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// The tables of this form do not change unnoticed: whoever changes them raises
// schemaVersion, then runs the test with -update.
func TestSchemaIsThatOfTheVersion(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), made(t), Options{})
	require.NoError(t, err)
	defer s.Close()
	sum := sha256.New()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT COALESCE(sql,'') FROM sqlite_schema ORDER BY type, name`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			fmt.Fprintln(sum, text)
		}
		return rows.Err()
	}))
	got := fmt.Sprintf("version %d: %s\n", schemaVersion, hex.EncodeToString(sum.Sum(nil)))
	golden := filepath.Join("testdata", "schema.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "the tables changed: raise schemaVersion, then go test -run TestSchemaIsThatOfTheVersion -update")
}

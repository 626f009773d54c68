package store_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// lacking is an image without two tables, X_Empty and X_Other.
func lacking(t *testing.T) *store.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	require.NoError(t, err)
	require.NoError(t, exec(t, s, store.AbsentSQL))
	for _, name := range []string{"X_Empty", "X_Other"} {
		for i, statement := range []string{
			`CREATE TABLE "` + name + `" ("ID" INTEGER NOT NULL PRIMARY KEY, "Name" TEXT, "Active" CHAR(1) NOT NULL CHECK ("Active" IN ('Y','N')) DEFAULT 'Y')`,
			`CREATE UNIQUE INDEX IF NOT EXISTS "` + name + `_Name" ON "` + name + `" ("Name")`,
		} {
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), `INSERT INTO `+store.AbsentTable+` VALUES (?, ?, ?)`, name, i, statement)
				return err
			}))
		}
	}
	require.NoError(t, s.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	image, err := store.ImageOf(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.NoError(t, image.ReadAbsent(t.Context()))
	return image
}

// Whatever is done with a table that the database does not have is done as with one
// that has no row.
func TestAbsentTables(t *testing.T) {
	t.Parallel()
	image := lacking(t)
	for name, statements := range map[string][]string{
		"read":     {`SELECT * FROM X_Empty`},
		"insert":   {`INSERT INTO X_Empty (ID, Name) VALUES (1, 'one')`, `INSERT INTO X_Empty (ID, Name) VALUES (2, 'two')`},
		"check":    {`INSERT INTO X_Empty (ID, Active) VALUES (1, 'M')`},
		"repeated": {`INSERT INTO X_Empty (ID, Name) VALUES (1, 'one')`, `INSERT INTO X_Empty (ID, Name) VALUES (2, 'one')`},
		"update":   {`UPDATE X_Empty SET Name='x'`},
		"delete":   {`DELETE FROM x_empty WHERE ID=1`},
		"add":      {`ALTER TABLE "X_Empty" ADD COLUMN "More" TEXT`, `INSERT INTO X_Empty (ID, More) VALUES (1, 'more')`},
		"rename":   {`ALTER TABLE X_Empty RENAME TO X_New`, `INSERT INTO X_New (ID) VALUES (1)`},
		"index":    {`CREATE INDEX X_Mine ON X_Empty (Active)`},
		"view":     {`CREATE VIEW X_View AS SELECT Name FROM X_Empty`, `INSERT INTO X_Empty (ID, Name) VALUES (1, 'one')`, `SELECT * FROM X_View`},
		"both":     {`INSERT INTO X_Empty (ID) VALUES (1)`, `INSERT INTO X_Other (ID, Name) SELECT ID, 'copied' FROM X_Empty`},
		"missing":  {`INSERT INTO X_Missing (ID) VALUES (1)`},
		"savepoint": {
			`SAVEPOINT s`, `INSERT INTO X_Empty (ID) VALUES (1)`, `ROLLBACK TO s`, `RELEASE s`, `INSERT INTO X_Empty (ID, Name) VALUES (2, 'two')`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := image.Open(t.Context(), store.Options{})
			require.NoError(t, err)
			whole, err := image.Open(t.Context(), store.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.Close()); assert.NoError(t, whole.Close()) })
			require.NoError(t, whole.Update(t.Context(), func(tx *store.Tx) error { return tx.MakeAll(t.Context()) }))
			do := func(s *store.Store) (said []string) {
				said = append(said, "committed")
				if err := s.Update(t.Context(), func(tx *store.Tx) error {
					for _, statement := range statements {
						if _, err := tx.Exec(t.Context(), statement); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					said[0] = err.Error()
				}
				db := s.Reader()
				defer db.Close()
				ask := func(query string) {
					var text sql.NullString
					if err := db.QueryRowContext(t.Context(), query).Scan(&text); err != nil {
						text.String = err.Error()
					}
					said = append(said, text.String)
				}
				for _, query := range []string{
					`SELECT group_concat(ID||' '||coalesce(Name, '-')) FROM X_Other`,
					`SELECT group_concat(ID||' '||coalesce(Name, '-')||Active) FROM X_Empty`,
					`SELECT group_concat(ID) FROM X_New`,
					`SELECT group_concat(t.column1||'.'||p.name) FROM (VALUES ('X_Other'), ('X_Empty'), ('X_New')) t JOIN pragma_table_info(t.column1) p`,
				} {
					ask(query)
				}
				require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.MakeAll(t.Context()) }))
				ask(`SELECT group_concat(sql, '; ') FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)`)
				return said
			}
			assert.Equal(t, do(whole), do(s))
		})
	}
}

// What the database does not have is in the list of its tables.
func TestTablesThatAreAbsent(t *testing.T) {
	t.Parallel()
	s, err := lacking(t).Open(t.Context(), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
		names, err := tx.Tables(t.Context())
		assert.Contains(t, names, "x_empty")
		there, xerr := tx.TableExists(t.Context(), "X_EMPTY")
		assert.NoError(t, xerr)
		assert.True(t, there)
		columns, xerr := tx.PhysicalColumns(t.Context(), "X_Empty")
		assert.NoError(t, xerr)
		assert.Len(t, columns, 3)
		return err
	}))
}

// What a statement found in a table that the database did not have is forgotten when
// something is written to it, also where a view reads it.
func TestWhatWasFoundInAbsentTables(t *testing.T) {
	t.Parallel()
	s, err := lacking(t).Open(t.Context(), store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	require.NoError(t, exec(t, s, `CREATE VIEW X_View AS SELECT Name FROM X_Empty`))
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		count := func() (of []any) {
			for _, query := range []string{`SELECT count(*) FROM X_Empty`, `SELECT count(*) FROM X_View`, `SELECT count(*) FROM X_View, X_Other`} {
				found, err := tx.Values(t.Context(), query)
				require.NoError(t, err)
				of = append(of, found[0][0])
			}
			return of
		}
		for range 3 {
			assert.Equal(t, []any{int64(0), int64(0), int64(0)}, count())
		}
		assert.Equal(t, 3, store.Kept(tx), "results")
		_, err := tx.Exec(t.Context(), `INSERT INTO X_Empty (ID, Name) VALUES (1, 'one')`)
		assert.Equal(t, []any{int64(1), int64(1), int64(0)}, count())
		return err
	}))
}

package layer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/erphub/erphub/erp/erptest/internal/layer"
)

// history is a random series of changes to a database. Whatever happens to the
// database of a layer, and to the others over its image, it is as a database of its
// own would be.
type history struct {
	*rand.Rand
	path   string // of a file to attach
	broken *atomic.Bool
	tables []string
}

// step is what is done in one transaction, or outside of any.
type step struct {
	statements []string
	outside    bool
	rollback   bool // at the end
	cancel     bool // before the end, while something runs
	fault      bool // the image cannot be read from then on
}

func (h *history) statement() string {
	table := h.tables[h.IntN(len(h.tables))]
	from := h.IntN(1200)
	switch h.IntN(9) {
	case 0:
		return fmt.Sprintf(`INSERT OR REPLACE INTO %s (ID, Name) SELECT i+%d, hex(zeroblob(i%%200)) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) SELECT i FROM n)`, table, from, 1+h.IntN(300))
	case 1:
		return fmt.Sprintf(`UPDATE %s SET Name=Name||'-%d' WHERE ID BETWEEN %d AND %d`, table, h.IntN(1000), from, from+h.IntN(100))
	case 2:
		return fmt.Sprintf(`DELETE FROM %s WHERE ID BETWEEN %d AND %d`, table, from, from+h.IntN(300))
	case 3:
		h.tables = append(h.tables, fmt.Sprintf("T%d", len(h.tables)))
		return fmt.Sprintf(`CREATE TABLE %s (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE)`, h.tables[len(h.tables)-1])
	case 4:
		return fmt.Sprintf(`ALTER TABLE %s ADD COLUMN C%d TEXT DEFAULT 'new'`, table, h.IntN(4))
	case 5:
		return fmt.Sprintf(`CREATE INDEX I%d ON %s (Name)`, h.IntN(6), table)
	case 6:
		return fmt.Sprintf(`DROP INDEX IF EXISTS I%d`, h.IntN(6))
	case 7:
		return fmt.Sprintf(`SAVEPOINT s; UPDATE %s SET Name='undone' WHERE ID>%d; ROLLBACK TO s; RELEASE s`, table, from)
	default:
		return `UPDATE T SET Name=(SELECT count(*) FROM T) WHERE ID=1`
	}
}

func (h *history) next() step {
	switch h.IntN(12) {
	case 0:
		return step{statements: []string{"VACUUM"}, outside: true}
	case 1:
		return step{statements: []string{`ATTACH '` + h.path + `' AS other; INSERT OR REPLACE INTO T (ID, Name) SELECT ID, 'other '||Name FROM other.O; DETACH other`}, outside: true}
	}
	s := step{rollback: h.IntN(4) == 0, cancel: h.IntN(8) == 0, fault: h.broken != nil && h.IntN(8) == 0}
	for range 1 + h.IntN(4) {
		s.statements = append(s.statements, h.statement())
	}
	return s
}

// errUndone is what became of a step that was not to be done.
var errUndone = errors.New("it was undone")

// run does a step; nil says that it was done whole.
func (s step) run(ctx context.Context, db *sql.DB, broken *atomic.Bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil { // the other one's fault
		return err
	}
	defer conn.Close()
	if s.outside {
		for _, statement := range s.statements {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for i, statement := range s.statements {
		if s.fault && i == len(s.statements)-1 {
			broken.Store(true)
			defer broken.Store(false)
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if s.cancel {
		cancel()
	}
	if s.rollback || s.cancel {
		return errors.Join(errUndone, tx.Rollback())
	}
	return tx.Commit()
}

// content is everything in a database.
func content(t *testing.T, db *sql.DB) string {
	t.Helper()
	var b strings.Builder
	read := func(query string) [][2]string {
		rows, err := db.QueryContext(t.Context(), query)
		require.NoError(t, err)
		defer rows.Close()
		var out [][2]string
		for rows.Next() {
			var r [2]string
			require.NoError(t, rows.Scan(&r[0], &r[1]))
			out = append(out, r)
		}
		require.NoError(t, rows.Err())
		return out
	}
	for _, object := range read(`SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name`) {
		fmt.Fprintln(&b, object)
		if strings.HasPrefix(object[1], "CREATE TABLE") {
			for _, row := range read(`SELECT ID, coalesce(Name, '') FROM ` + object[0] + ` ORDER BY ID`) {
				fmt.Fprintln(&b, row)
			}
		}
	}
	return b.String()
}

// plain is a database of its own with the content of a file, and one connection.
func plain(t *testing.T, path string) *sql.DB {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	own := filepath.Join(t.TempDir(), "plain.db")
	require.NoError(t, os.WriteFile(own, data, 0o600))
	c, err := sqlite.NewConnector("file:" + own + "?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
	require.NoError(t, err)
	db := sql.OpenDB(c)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

// Two layers over one image, with random histories beside each other: neither ever
// has what the other one wrote, rolled back, made, vacuumed or attached, and each is
// as a database of its own after the same steps.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	histories := 20
	if os.Getenv("ERPHUB_PROOF") != "" {
		histories = 500 // pairs
	}
	image := imageFile(t, "DELETE")
	before, err := os.ReadFile(image)
	require.NoError(t, err)
	attached := filepath.Join(t.TempDir(), "other.db")
	c, err := sqlite.NewConnector("file:" + attached)
	require.NoError(t, err)
	other := sql.OpenDB(c)
	exec(t, other, `CREATE TABLE O (ID INTEGER, Name TEXT)`, `INSERT INTO O VALUES (3, 'three'), (2000, 'more')`)
	require.NoError(t, other.Close())
	for pair := range uint64(histories) {
		t.Run(fmt.Sprint(pair), func(t *testing.T) {
			t.Parallel()
			var broken atomic.Bool
			shared, err := layer.FaultyImage(before, &broken)
			require.NoError(t, err)
			var done sync.WaitGroup
			var layers, twins [2]*sql.DB
			for i := range uint64(2) {
				db, twin := open(t, shared), plain(t, image)
				layers[i], twins[i] = db, twin
				done.Go(func() {
					h := &history{Rand: rand.New(rand.NewPCG(pair, i)), path: attached, tables: []string{"T"}}
					if i == 0 {
						h.broken = &broken // what is at fault for both is so for a moment
					}
					for range 12 {
						s := h.next()
						if s.run(t.Context(), db, &broken) == nil {
							s.fault = false
							assert.NoError(t, s.run(t.Context(), twin, nil), s.statements)
						}
					}
				})
			}
			done.Wait()
			for i, db := range layers {
				assert.True(t, content(t, twins[i]) == content(t, db), "layer %d", i) // the texts are long
				assert.Equal(t, "ok", text(t, db, `PRAGMA integrity_check`))
			}
		})
	}
	t.Cleanup(func() {
		after, err := os.ReadFile(image)
		require.NoError(t, err)
		assert.Equal(t, before, after, "the image")
	})
}

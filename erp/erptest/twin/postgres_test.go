package twin_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/internal/pgcluster"
	"github.com/erphub/erphub/internal/pgmirror"
)

// postgres is a PostgreSQL database with the tables of a server.
func postgres(t *testing.T, srv *erptest.Server) (*sql.DB, *pgcluster.Cluster) {
	t.Helper()
	cluster, err := pgcluster.Start(t.Context(), nil)
	if errors.Is(err, pgcluster.ErrNotInstalled) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Close()) })
	m, err := pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: cluster.URL("postgres")})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	db, _, err := dbdict.Connect(t.Context(), cluster.URL("postgres"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db, cluster
}

// limitedReader has a login of the database that may not read all, of a database
// that is not as the dictionary says.
func limitedReader(t *testing.T, cluster *pgcluster.Cluster) {
	conn, err := pgx.Connect(t.Context(), cluster.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the cluster ends
	address, err := cluster.Reader(t.Context(), "reader")
	require.NoError(t, err)
	_, err = conn.PgConn().Exec(t.Context(), "GRANT USAGE ON SCHEMA adempiere TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO reader; REVOKE SELECT ON adempiere.c_uom FROM reader; "+
		"ALTER TABLE adempiere.c_greeting RENAME TO somewhere_else; ALTER TABLE adempiere.c_order DROP COLUMN poreference").ReadAll()
	require.NoError(t, err)
	db, origin, err := dbdict.Connect(t.Context(), address)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // it was only read
	src, err := twin.NewDatabase(db, twin.PostgreSQL, &twin.DatabaseOptions{Origin: origin})
	require.NoError(t, err)
	defer src.Close() //nolint:errcheck // it was only read
	report, err := twin.Clone(t.Context(), newSmall(src), t.TempDir(), orders())
	require.NoError(t, err)
	assert.Contains(t, table(t, report, "C_UOM").Unreadable, "no privilege to select from C_UOM")
	assert.Equal(t, "the table of the database has no such column", table(t, report, "C_Order").NotCopied["POReference"])
	assert.Greater(t, table(t, report, "C_Order").Rows, int64(41), "of all tenants")
}

// Memory does not grow with the rows. ERPHUB_PROOF has it with a million.
func TestManyRows(t *testing.T) {
	t.Parallel()
	n := 20_000
	if os.Getenv("ERPHUB_PROOF") != "" {
		n = 1_000_000
	}
	columns := []inventedColumn{keyColumn("XX_Row"), nameText, {name: "Amount", display: 12}, {name: "Day", display: 15}}
	src := &counting{invented: inventing(t, map[string]inventedTable{"XX_Row": {id: 990_031, columns: columns}}), n: n}
	dir := t.TempDir()
	report, err := twin.Clone(t.Context(), src, dir, twin.Options{Tables: []string{"XX_Row"}, Masking: plain})
	require.NoError(t, err)
	assert.EqualValues(t, n, table(t, report, "XX_Row").Rows)
	assert.Less(t, src.most, uint64(64<<20), "bytes in use while %d rows were read", n)
	t.Logf("%d rows: %v, %.1f MB, %.1f MB in use", n, report.Took, float64(report.Bytes)/1e6, float64(src.most)/1e6)
}

// counting makes up rows.
type counting struct {
	*invented
	n    int
	most uint64 // bytes in use above what was in use before
}

func (s *counting) Stamp(ctx context.Context, t *twin.Table) (twin.Stamp, error) {
	if t.Name == "XX_Row" {
		return twin.Stamp{Rows: int64(s.n)}, nil
	}
	return s.invented.Stamp(ctx, t)
}

func (s *counting) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	if q.Table.Name != "XX_Row" {
		return s.invented.Rows(ctx, q, row)
	}
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	for i := range s.n {
		if i%5000 == 0 {
			runtime.GC()
			if now := inUse(); now > before {
				s.most = max(s.most, now-before)
			}
		}
		if err := row(record(q, map[string]any{"XX_Row_ID": int64(i + 1), "Name": "a name that is as long as names usually are", "Amount": "1234.56", "Day": "2026-03-09"})); err != nil {
			return err
		}
	}
	return nil
}

package twin_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
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
		"ALTER TABLE adempiere.c_greeting RENAME TO somewhere_else; ALTER TABLE adempiere.c_order DROP COLUMN poreference CASCADE; "+
		"ALTER TABLE adempiere.ad_message ENABLE ROW LEVEL SECURITY; CREATE POLICY broken ON adempiere.ad_message USING (('Zq0897 ' || msgtext)::uuid IS NOT NULL); "+
		"CREATE TABLE adempiere.xx_machine (xx_machine_uu uuid, name varchar); GRANT SELECT ON adempiere.xx_machine TO reader; "+
		"INSERT INTO adempiere.xx_machine VALUES ('01234567-89ab-cdef-0123-456789abcdef', 'press'), (NULL, 'lathe')").ReadAll()
	require.NoError(t, err)
	db, origin, err := dbdict.Connect(t.Context(), address)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // it was only read
	src, err := twin.NewDatabase(db, twin.PostgreSQL, &twin.DatabaseOptions{Origin: origin})
	require.NoError(t, err)
	defer src.Close() //nolint:errcheck // it was only read
	var log bytes.Buffer
	opts := orders()
	opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	report, err := twin.Clone(t.Context(), newSmall(src), t.TempDir(), opts)
	require.NoError(t, err)
	assert.Equal(t, "the database refuses to read it: SQLSTATE 22P02; its log says why", table(t, report, "AD_Message").Unreadable, "without the value")
	assert.NotContains(t, log.String(), "Zq0897")
	assert.NotContains(t, log.String(), "is retried", "an error that comes again")
	assert.Contains(t, table(t, report, "C_UOM").Unreadable, "no privilege to select from C_UOM")
	assert.Equal(t, "the table of the database has no such column", table(t, report, "C_Order").NotCopied["POReference"])
	assert.Greater(t, table(t, report, "C_Order").Rows, int64(41), "of all tenants")

	var names []any
	err = src.Rows(t.Context(), &twin.Query{
		Table: &twin.Table{Name: "XX_Machine"}, Columns: []twin.Column{{Name: "Name"}}, By: "XX_Machine_UU", Keys: []any{"Zq0897", "01234567-89ab-cdef-0123-456789abcdef"},
	}, func(values []any) error {
		names = append(names, values[0])
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []any{"press"}, names, "a text that is no UUID is the key of no row")
}

package dbdict_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the embedded database

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

func openSQLite(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(tb.TempDir(), "erp.db")+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)")
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	return db
}

func filledSQLite(tb testing.TB, d *synthdict.Dictionary) (*dbdict.Source, *sql.DB) {
	tb.Helper()
	db := openSQLite(tb)
	require.NoError(tb, d.Create(tb.Context(), db, synthdict.SQLite, ""))
	s, err := dbdict.New(db, dbdict.SQLite, &dbdict.Options{Origin: "sandbox"})
	require.NoError(tb, err)
	return s, db
}

func filledPostgreSQL(tb testing.TB, d *synthdict.Dictionary) (*dbdict.Source, *sql.DB) {
	tb.Helper()
	url := testpg.URL(tb)
	db, err := sql.Open("pgx", url)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	require.NoError(tb, d.Create(tb.Context(), db, synthdict.PostgreSQL, dbdict.DefaultSchema))
	s, err := dbdict.Open(tb.Context(), url, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, s.Close()) })
	return s, db
}

func small() *synthdict.Dictionary { return synthdict.New(synthdict.Options{Tables: 40, Columns: 900}) }

func TestSuite(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(testing.TB, *synthdict.Dictionary) (*dbdict.Source, *sql.DB){
		"SQLite": filledSQLite, "PostgreSQL": filledPostgreSQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := small()
			want, err := registry.LoadCatalog(t.Context(), d.Source())
			require.NoError(t, err)
			tables, err := want.Tables(t.Context(), registry.ListQuery{Limit: 1})
			require.NoError(t, err)
			table := tables.Items[0].Name
			source, db := fill(t, d)
			schema := ""
			now := "strftime('%Y-%m-%d %H:%M:%S')"
			if name == "PostgreSQL" {
				schema, now = "adempiere.", "LOCALTIMESTAMP(0)"
			}
			registrytest.Run(t, registrytest.Subject{
				Source: source, Want: want, Table: table,
				Relabel: func(t *testing.T, label string) {
					exec(t, db, "UPDATE "+schema+"AD_Table SET Name='"+label+"', Updated="+now+" WHERE TableName='"+table+"'")
				},
				Drop: func(t *testing.T) string {
					info, err := want.Table(t.Context(), table)
					require.NoError(t, err)
					last := info.Columns[len(info.Columns)-1]
					exec(t, db, "DELETE FROM "+schema+"AD_Column WHERE ColumnName='"+last.Name+"'")
					return last.Name
				},
			})
		})
	}
}

func exec(tb testing.TB, db *sql.DB, statement string) {
	tb.Helper()
	_, err := db.ExecContext(tb.Context(), statement)
	require.NoError(tb, err)
}

// A change that carries an older time than the newest one, as scripts write.
func TestOldTimesAreSeen(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(testing.TB, *synthdict.Dictionary) (*dbdict.Source, *sql.DB){
		"SQLite": filledSQLite, "PostgreSQL": filledPostgreSQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, db := fill(t, small())
			schema := ""
			if name == "PostgreSQL" {
				schema = "adempiere."
			}
			cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
			require.NoError(t, cache.Load(t.Context()))
			exec(t, db, "UPDATE "+schema+"AD_Process SET Name='Old Script', Updated='2020-02-02 02:02:02' WHERE AD_Process_ID=2000000")
			changed, err := cache.Refresh(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"AD_Process"}, changed)
		})
	}
}

// After any changes a cache has what is read from scratch.
func TestRefreshEqualsLoad(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(testing.TB, *synthdict.Dictionary) (*dbdict.Source, *sql.DB){
		"SQLite": filledSQLite, "PostgreSQL": filledPostgreSQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, db := fill(t, synthdict.New(synthdict.Options{Tables: 8, Columns: 120}))
			schema := ""
			if name == "PostgreSQL" {
				schema = "adempiere."
			}
			random := rand.New(rand.NewPCG(7, 7))
			cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
			require.NoError(t, cache.Load(t.Context()))
			keys, next := []int{2000000, 2000001, 2000002}, 8_000_000
			for range 15 {
				for range random.IntN(4) {
					// As the ERP writes it, or as a script does.
					at := time.Now().UTC()
					if random.IntN(2) == 0 {
						at = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(1e9)) * time.Second)
					}
					when, key := at.Format("'2006-01-02 15:04:05'"), random.IntN(len(keys))
					text := fmt.Sprintf("'Text %d'", random.IntN(1e6))
					insert := func() {
						next++
						exec(t, db, fmt.Sprintf("INSERT INTO %sAD_Process (AD_Process_ID, Value, Name, Updated, IsActive) VALUES (%d, %s, %[3]s, %s, 'Y')",
							schema, next, text, when))
						keys = append(keys, next)
					}
					remove := func() {
						exec(t, db, fmt.Sprintf("DELETE FROM %sAD_Process WHERE AD_Process_ID = %d", schema, keys[key]))
						keys = append(keys[:key:key], keys[key+1:]...)
					}
					switch random.IntN(5) {
					case 0:
						insert()
					case 1:
						if len(keys) > 2 {
							remove()
						}
					case 2:
						insert()
						remove()
					default:
						exec(t, db, fmt.Sprintf("UPDATE %sAD_Process SET Name = %s, IsReport = 'Y', Updated = %s WHERE AD_Process_ID = %d", schema, text, when, keys[key]))
					}
				}
				_, err := cache.Refresh(t.Context())
				require.NoError(t, err)
				want, err := registry.LoadCatalog(t.Context(), source)
				require.NoError(t, err)
				registrytest.Agree(t, want, cache)
			}
		})
	}
}

// Only changed rows are sent, and what is there of a table is told by all of them.
func TestReadSince(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(testing.TB, *synthdict.Dictionary) (*dbdict.Source, *sql.DB){
		"SQLite": filledSQLite, "PostgreSQL": filledPostgreSQL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, db := fill(t, small())
			schema := ""
			if name == "PostgreSQL" {
				schema = "adempiere."
			}
			exec(t, db, "UPDATE "+schema+"AD_Column SET Updated='2026-05-06 07:08:09.5' WHERE AD_Column_ID IN (SELECT MIN(AD_Column_ID) FROM "+schema+"AD_Column)")
			var table registry.SourceTable
			for _, s := range registry.SourceTables() {
				if s.Name == "AD_Column" {
					table = s
				}
			}
			before, err := source.Stamps(t.Context(), []registry.SourceTable{table})
			require.NoError(t, err)
			all, one := &times{}, &times{}
			whole, err := source.Read(t.Context(), []registry.SourceTable{table}, all)
			require.NoError(t, err)
			assert.Equal(t, before, whole)
			assert.Len(t, all.at, 900)
			table.Since = slices.Max(all.at)
			part, err := source.Read(t.Context(), []registry.SourceTable{table}, one)
			require.NoError(t, err)
			assert.Equal(t, []int64{table.Since}, one.at)
			assert.True(t, part[0].Partial)
			part[0].Partial = false
			assert.Equal(t, before, part)
		})
	}
}

// times is when rows were changed.
type times struct{ at []int64 }

func (s *times) Begin(int) { s.at = nil }

func (s *times) Row(_ int, values []registry.SourceValue) error {
	s.at = append(s.at, values[len(values)-1].Int)
	return nil
}

func TestOlderReleases(t *testing.T) {
	t.Parallel()
	source, db := filledPostgreSQL(t, small())
	exec(t, db, "ALTER TABLE adempiere.ad_column DROP COLUMN alwaysupdatablelogic, DROP COLUMN ispartitionkey")
	exec(t, db, "DROP TABLE adempiere.ad_indexcolumn")
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	stats, err := catalog.Statistics(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 40, stats.Tables)
	assert.Equal(t, 40, stats.Indexes)

	exec(t, db, "ALTER TABLE adempiere.ad_column DROP COLUMN columnname")
	_, err = registry.LoadCatalog(t.Context(), source)
	require.ErrorContains(t, err, "AD_Column of the database has no column ColumnName")

	exec(t, db, "DROP TABLE adempiere.ad_column")
	_, err = registry.LoadCatalog(t.Context(), source)
	require.ErrorContains(t, err, "no table AD_Column")
}

// However the driver hands over values, and whatever their types are in the
// database, they are the same.
func TestValuesOfAnyDriver(t *testing.T) {
	t.Parallel()
	want, err := registry.LoadCatalog(t.Context(), small().Source())
	require.NoError(t, err)
	url := testpg.URL(t)
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	db := stdlib.OpenDB(*config)
	defer db.Close()
	require.NoError(t, small().Create(t.Context(), db, synthdict.PostgreSQL, dbdict.DefaultSchema))
	native, err := dbdict.New(db, dbdict.PostgreSQL, nil)
	require.NoError(t, err)
	exec(t, db, "ALTER TABLE adempiere.ad_table ALTER COLUMN accesslevel TYPE CHAR(3), ALTER COLUMN ad_table_id TYPE BIGINT, ALTER COLUMN loadseq TYPE NUMERIC(10,2)")
	exec(t, db, "ALTER TABLE adempiere.ad_element ALTER COLUMN columnname TYPE CHAR(60), ALTER COLUMN ad_element_id TYPE INTEGER")
	other := sql.OpenDB(connector{stdlib.GetConnector(*config)})
	defer other.Close()
	plain, err := dbdict.New(other, dbdict.PostgreSQL, nil)
	require.NoError(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	pooled := stdlib.OpenDB(*config)
	defer pooled.Close()
	simple, err := dbdict.New(pooled, dbdict.PostgreSQL, nil)
	require.NoError(t, err)
	for name, source := range map[string]*dbdict.Source{"PostgreSQL's own": native, "any other": plain, "without prepared statements": simple} {
		t.Run(name, func(t *testing.T) {
			got, err := registry.LoadCatalog(t.Context(), source)
			require.NoError(t, err)
			registrytest.Agree(t, want, got)
		})
	}
}

// connector makes connections that hide whose they are.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return hidden{conn.(*stdlib.Conn)}, nil
}

type hidden struct{ *stdlib.Conn }

func TestMissingSchema(t *testing.T) {
	t.Parallel()
	source, err := dbdict.Open(t.Context(), testpg.URL(t), &dbdict.Options{Schema: `no"such`})
	require.NoError(t, err)
	defer source.Close()
	_, err = registry.LoadCatalog(t.Context(), source)
	require.ErrorContains(t, err, "no table AD_Table")
}

// The user of the hub may be allowed to see less than everything.
func TestHiddenTables(t *testing.T) {
	t.Parallel()
	url := testpg.URL(t)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, small().Create(t.Context(), db, synthdict.PostgreSQL, "adempiere"))
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	role := "reader_" + filepath.Base(t.TempDir())
	for _, statement := range []string{
		`CREATE ROLE "` + role + `" LOGIN`,
		`GRANT USAGE ON SCHEMA adempiere TO "` + role + `"`,
		`GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO "` + role + `"`,
		`REVOKE SELECT ON adempiere.ad_field FROM "` + role + `"`,
	} {
		exec(t, db, statement)
	}
	reader, err := sql.Open("pgx", url+"&options=-c%20role%3D"+role)
	require.NoError(t, err)
	defer reader.Close()
	source, err := dbdict.New(reader, dbdict.PostgreSQL, nil)
	require.NoError(t, err)
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	stats, err := catalog.Statistics(t.Context())
	require.NoError(t, err)
	assert.Zero(t, stats.Fields)
	assert.NotZero(t, stats.Tabs)
}

// What is read is one state, however long the reading takes.
func TestOneState(t *testing.T) {
	t.Parallel()
	source, db := filledPostgreSQL(t, small())
	stamps, err := source.Read(t.Context(), registry.SourceTables(), &meddler{t: t, db: db})
	require.NoError(t, err)
	assert.Equal(t, 40, stamps[0].Rows)
}

// meddler deletes all columns while tables are being read.
type meddler struct {
	t       *testing.T
	db      *sql.DB
	done    bool
	columns int
}

func (m *meddler) Begin(int) {}

func (m *meddler) Row(table int, _ []registry.SourceValue) error {
	if !m.done {
		m.done = true
		exec(m.t, m.db, "DELETE FROM adempiere.ad_column")
		m.t.Cleanup(func() { assert.Equal(m.t, 900, m.columns, "columns of another state") })
	}
	if table == 1 {
		m.columns++
	}
	return nil
}

func TestAddressesStaySecret(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3tPassw0rd"
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for name, url := range map[string]string{
		"no address":      secret,
		"wrong port":      "postgres://reader:" + secret + "@127.0.0.1:99999/erp",
		"bad escape":      "postgres://reader:" + secret + "%zz@127.0.0.1/erp",
		"space":           "postgres://reader:" + secret + " x@127.0.0.1/erp",
		"settings":        "host=127.0.0.1 password='" + secret,
		"nobody responds": "postgres://reader:" + secret + "@127.0.0.1:1/erp",
		"nobody, by list": "host=127.0.0.1 port=1 user=reader password=" + secret + " dbname=erp",
		"bad setting":     "postgres://reader:" + secret + "@127.0.0.1/erp?sslmode=" + secret,
		"bad certificate": "postgres://reader:x@127.0.0.1/erp?sslmode=verify-ca&sslrootcert=/" + secret,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dbdict.Open(ctx, url, nil)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), secret)
			assert.NotContains(t, err.Error(), "reader")
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	_, err := dbdict.New(nil, dbdict.SQLite, nil)
	require.Error(t, err)
	_, err = dbdict.New(openSQLite(t), "mysql", nil)
	require.ErrorContains(t, err, `dialect "mysql" is unknown`)
}

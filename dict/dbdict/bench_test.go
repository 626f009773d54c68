package dbdict_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// The dictionary of real size, read and put in order, against reading the same
// tables as they are in the same run.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name   string
		schema string
		fill   func(testing.TB, *synthdict.Dictionary) (*dbdict.Source, *sql.DB)
	}{
		{"PostgreSQL", "adempiere.", filledPostgreSQL},
		{"SQLite", "", filledSQLite},
	} {
		b.Run(c.name, func(b *testing.B) {
			source, db := c.fill(b, synthdict.New(synthdict.Options{}))
			var ours, raw time.Duration
			for b.Loop() {
				begin := time.Now()
				catalog, err := registry.LoadCatalog(b.Context(), source)
				ours += time.Since(begin)
				require.NoError(b, err)
				stats, err := catalog.Statistics(b.Context())
				require.NoError(b, err)
				require.Equal(b, 760, stats.Tables)
				require.Equal(b, 20_000, stats.Columns)

				begin = time.Now()
				for _, table := range registry.SourceTables() {
					require.NoError(b, readAll(b, db, "SELECT * FROM "+c.schema+table.Name))
				}
				raw += time.Since(begin)
			}
			b.ReportMetric(float64(ours)/float64(b.N)/1e6, "ms/load")
			b.ReportMetric(float64(raw)/float64(ours), "raw/ours")
		})
	}
}

func readAll(b *testing.B, db *sql.DB, query string) (err error) {
	rows, err := db.QueryContext(b.Context(), query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Looking for changes when there are none.
func BenchmarkRefresh(b *testing.B) {
	source, _ := filledPostgreSQL(b, synthdict.New(synthdict.Options{}))
	cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
	require.NoError(b, cache.Load(b.Context()))
	for b.Loop() {
		changed, err := cache.Refresh(b.Context())
		require.NoError(b, err)
		require.Empty(b, changed)
	}
}

package twin_test

import (
	"context"
	"database/sql"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// A million orders from PostgreSQL: time, file and memory, against reading the same
// rows and nothing else.
func TestMillionRows(t *testing.T) {
	if os.Getenv("ERPHUB_PROOF") == "" {
		t.Skip("make proof runs it")
	}
	srv, err := erptest.Open(t.Context(), erptest.Options{})
	require.NoError(t, err)
	defer srv.Close() //nolint:errcheck // it was only read
	db, _ := postgres(t, srv)
	const n = 1_000_000
	columns := columnsOf(t, db)
	for _, c := range []struct{ name, sql string }{{"c_orderline_id", "2000000+g"}, {"c_orderline_uu", "gen_random_uuid()"}} {
		columns[c.name] = c.sql
	}
	list, values := "", ""
	for name, value := range columns {
		list += `,"` + name + `"`
		values += "," + value
	}
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	_, err = conn.ExecContext(t.Context(), `INSERT INTO adempiere.c_orderline(`+list[1:]+`) SELECT `+values[1:]+` FROM adempiere.c_orderline o, generate_series(1, $1::int) g WHERE o.c_orderline_id=100`, n)
	require.NoError(t, err)
	require.NoError(t, conn.Close())

	start := time.Now()
	rows, err := db.QueryContext(t.Context(), `SELECT * FROM adempiere.c_orderline ORDER BY c_orderline_id`)
	require.NoError(t, err)
	names, err := rows.Columns()
	require.NoError(t, err)
	scan := make([]any, len(names))
	into := make([]any, len(names))
	for i := range scan {
		into[i] = &scan[i]
	}
	raw := 0
	for rows.Next() {
		require.NoError(t, rows.Scan(into...))
		raw++
	}
	require.NoError(t, rows.Err())
	rawTook := time.Since(start)

	src, err := twin.NewDatabase(db, twin.PostgreSQL, nil)
	require.NoError(t, err)
	defer src.Close() //nolint:errcheck // it was only read
	runtime.GC()
	most, stop := watchMemory()
	dir := t.TempDir()
	var first, last time.Time
	report, err := twin.Clone(t.Context(), src, dir, twin.Options{Tables: []string{"C_OrderLine"}, Tenants: []string{"*"}, Masking: plain, Progress: func(p twin.Progress) {
		if p.Table == "C_OrderLine" {
			if first.IsZero() {
				first = time.Now()
			}
			last = time.Now()
		}
	}})
	require.NoError(t, err)
	stop()
	assert.Greater(t, table(t, report, "C_OrderLine").Rows, int64(n))
	t.Logf("%d rows of %d columns: read raw in %v; cloned in %v (the table in %v, %.2f of raw); %.0f MB; %.0f MB in use at most",
		raw, len(names), rawTook, report.Took, last.Sub(first), rawTook.Seconds()/last.Sub(first).Seconds(), float64(report.Bytes)/1e6, float64(*most)/1e6)
	for range 3 {
		start = time.Now()
		copied, err := erptest.Open(t.Context(), erptest.FromTwin(dir))
		require.NoError(t, err)
		t.Logf("opened in %v", time.Since(start))
		require.NoError(t, copied.Close())
	}
}

func columnsOf(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid='adempiere.c_orderline'::regclass AND a.attnum>0 AND NOT a.attisdropped`)
	require.NoError(t, err)
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		out[name] = `o."` + name + `"`
	}
	require.NoError(t, rows.Err())
	return out
}

// watchMemory looks at the memory in use until stop is called.
func watchMemory() (most *uint64, stop func()) {
	most = new(uint64)
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			*most = max(*most, m.HeapInuse)
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return most, func() {
		cancel()
		done.Wait()
	}
}

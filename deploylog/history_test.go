package deploylog_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// fill adds runs in bulk: n runs, one a minute up to the clock's now, three
// environments in turn, several of them in the same second, the last one of each
// environment in progress.
func fill(t testing.TB, client *erp.Client, now time.Time, n int) {
	t.Helper()
	var batch []erp.BatchRequest
	for i := range n {
		began := now.Add(-time.Duration(n-i) * time.Minute).Truncate(3 * time.Minute)
		body := map[string]any{
			"Environment": []string{"PROD", "STAGING", "DEV"}[i%3], "Status": "S", "Version": fmt.Sprintf("1.0.%d", i), "Progress": 100,
			"DateStarted": began.Format(time.RFC3339), "DateCompleted": began.Add(time.Minute).Format(time.RFC3339), "Duration": 60,
		}
		if i >= n-3 {
			body["Status"] = "D"
			delete(body, "DateCompleted")
		} else if i%10 == 9 {
			body["Status"], body["VersionPrevious"] = "F", "1"
		}
		batch = append(batch, erp.BatchCreate(deploylog.TableName, body))
		if len(batch) == 5000 || i == n-1 {
			_, err := client.Batch(t.Context(), batch, erp.BatchOptions{})
			require.NoError(t, err)
			batch = batch[:0]
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv, client := start(t, erptest.Options{Clock: clock.Now})
	log := deploylog.New(client, &deploylog.Options{Clock: clock})
	fill(t, client, clock.Now(), 250)
	list := func(q deploylog.HistoryQuery) []deploylog.Run {
		var runs []deploylog.Run
		for run, err := range log.History(t.Context(), q) {
			require.NoError(t, err)
			runs = append(runs, run)
		}
		return runs
	}
	for _, size := range []int{0, 1, 7, 100, 1000} {
		runs := list(deploylog.HistoryQuery{PageSize: size})
		require.Len(t, runs, 250, "pages of %d", size)
		seen := map[erp.ID]bool{}
		for i, run := range runs {
			require.False(t, seen[run.ID], "pages of %d: %s came twice", size, run.ID)
			seen[run.ID] = true
			if i > 0 {
				require.False(t, run.DateStarted.After(runs[i-1].DateStarted), "newest first")
			}
		}
	}
	for name, c := range map[string]struct {
		q    deploylog.HistoryQuery
		want func(deploylog.Run) bool
		n    int
	}{
		"environment": {deploylog.HistoryQuery{Environment: deploylog.Staging}, func(r deploylog.Run) bool { return r.Environment == "STAGING" }, 83},
		"status":      {deploylog.HistoryQuery{Status: deploylog.Failed}, func(r deploylog.Run) bool { return r.Status == deploylog.Failed }, 24},
		"since": {deploylog.HistoryQuery{Since: clock.Now().Add(-30 * time.Minute)},
			func(r deploylog.Run) bool { return !r.DateStarted.Before(clock.Now().Add(-30 * time.Minute)) }, 30},
		"until": {deploylog.HistoryQuery{Until: clock.Now().Add(-240 * time.Minute)},
			func(r deploylog.Run) bool { return r.DateStarted.Before(clock.Now().Add(-240 * time.Minute)) }, 10},
		"limit":        {deploylog.HistoryQuery{Limit: 130}, func(deploylog.Run) bool { return true }, 130},
		"tenant":       {deploylog.HistoryQuery{Client: erp.IntID(11), Limit: 3}, func(r deploylog.Run) bool { return r.Client.ID == erp.IntID(11) }, 3},
		"other tenant": {deploylog.HistoryQuery{Client: erp.IntID(0)}, nil, 0},
	} {
		runs := list(c.q)
		assert.Len(t, runs, c.n, name)
		for _, run := range runs {
			assert.True(t, c.want(run), "%s: %s", name, run.ID)
		}
	}

	// Taking one page asks for one page, and runs that begin meanwhile do not
	// shift the next one.
	srv.Faults().Reset()
	first, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{PageSize: 100}, "")
	require.NoError(t, err)
	assert.Len(t, srv.Faults().Requests(), 1)
	assert.Equal(t, -1, first.Total, "the log may go on before the day that the page is from")
	clock.advance(time.Minute)
	fill(t, client, clock.Now(), 3)
	second, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{PageSize: 100}, first.Next)
	require.NoError(t, err)
	for _, a := range first.Runs {
		for _, b := range second.Runs {
			assert.NotEqual(t, a.ID, b.ID)
		}
	}
	for name, c := range map[string]struct {
		q    deploylog.HistoryQuery
		want int
	}{
		"period of less than a day": {deploylog.HistoryQuery{PageSize: 10, Since: clock.Now().Add(-31 * time.Minute)}, 33},
		"page with all of the log":  {deploylog.HistoryQuery{PageSize: 1000, Until: clock.Now().Add(-240 * time.Minute)}, 13},
		"nothing":                   {deploylog.HistoryQuery{Until: clock.Now().AddDate(-1, 0, 0)}, 0},
	} {
		page, err := log.HistoryPage(t.Context(), c.q, "")
		require.NoError(t, err)
		assert.Equal(t, c.want, page.Total, name)
	}
	for _, bad := range []string{"x", "1", "1.x", "1.-1", "99999999999999999999.0", strings.Repeat("9", 18) + ".1"} {
		_, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{}, bad)
		assert.ErrorIs(t, err, deploylog.ErrInvalid, bad)
	}
	for _, bad := range []deploylog.HistoryQuery{{Environment: "X"}, {Status: "X"}} {
		for _, err := range log.History(t.Context(), bad) {
			assert.ErrorIs(t, err, deploylog.ErrInvalid)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	status, err := log.Status(t.Context(), deploylog.StatusQuery{})
	require.NoError(t, err)
	require.Len(t, status, 3)
	for i, env := range deploylog.Environments() {
		assert.Equal(t, deploylog.EnvironmentStatus{Environment: env}, status[i])
	}

	one := deploying(t, log, deploylog.Production, "1")
	clock.advance(time.Minute)
	one, err = log.Complete(t.Context(), one.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	clock.advance(100 * 24 * time.Hour) // longer ago than what is looked at first
	two := deploying(t, log, deploylog.Production, "2")
	read := func() deploylog.EnvironmentStatus {
		status, err := log.Status(t.Context(), deploylog.StatusQuery{Environment: "production"})
		require.NoError(t, err)
		require.Len(t, status, 1)
		return status[0]
	}
	s := read()
	assert.Equal(t, two.ID, s.Current.ID)
	assert.Equal(t, 1, s.InProgress)
	assert.Equal(t, "1", s.Running)
	assert.Equal(t, one.DateCompleted, s.Since)
	assert.Equal(t, one.ID, s.RunningID)

	two, err = log.Complete(t.Context(), two.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	clock.advance(time.Hour)
	two, err = log.Rollback(t.Context(), two.ID, deploylog.Rollback{})
	require.NoError(t, err)
	s = read()
	assert.Equal(t, two.ID, s.Current.ID, "no run is in progress, so the newest is the current one")
	assert.Zero(t, s.InProgress)
	assert.Equal(t, "1", s.Running)
	assert.Equal(t, clock.Now(), s.Since)

	_, err = log.Status(t.Context(), deploylog.StatusQuery{Environment: "X"})
	require.ErrorIs(t, err, deploylog.ErrInvalid)
	other, err := log.Status(t.Context(), deploylog.StatusQuery{Client: erp.IntID(0)})
	require.NoError(t, err)
	assert.Nil(t, other[0].Current)
	srv.Faults().Reset()
}

// longLog is a log of many runs like those of fill. They are put into the
// database itself, because recording each over HTTP takes minutes.
func longLog(t testing.TB, clock *testClock, n int) *erptest.Server {
	t.Helper()
	srv, client := start(t, erptest.Options{Clock: clock.Now})
	fill(t, client, clock.Now(), 30)
	grow(t, srv, 30, n)
	return srv
}

// grow makes a log that has some runs one of n.
func grow(t testing.TB, srv *erptest.Server, some, n int) {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM pragma_table_info('XX_Deploy_Log')`)
	require.NoError(t, err)
	var columns, values []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		value := name
		switch name {
		case "XX_Deploy_Log_ID":
			value = "r.XX_Deploy_Log_ID - k.k * 30"
		case "XX_Deploy_Log_UU":
			value = "lower(hex(randomblob(4))||'-'||hex(randomblob(2))||'-7000-8000-'||hex(randomblob(6)))"
		case "DateStarted", "DateCompleted", "Created", "Updated":
			value = "datetime(COALESCE(r." + name + ", r.DateStarted), '-' || (k.k * 30) || ' minutes')"
		case "Status":
			value = "CASE r.Status WHEN 'D' THEN 'S' ELSE r.Status END"
		}
		columns, values = append(columns, name), append(values, value)
	}
	require.NoError(t, rows.Err())
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `WITH RECURSIVE k(k) AS (SELECT ? UNION ALL SELECT k+1 FROM k WHERE k < ?)
		INSERT INTO XX_Deploy_Log (`+strings.Join(columns, ",")+`) SELECT `+strings.Join(values, ",")+` FROM XX_Deploy_Log r, k WHERE r.XX_Deploy_Log_ID >= 1000000`, some/30, n/30-1)
		return err
	}, deploylog.TableName))
}

// However long the log is, the status is a handful of small requests.
func statusOfALongLog(t *testing.T, srv *erptest.Server, clock *testClock) {
	t.Helper()
	log := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), &deploylog.Options{Clock: clock})
	srv.Faults().Reset()
	status, err := log.Status(t.Context(), deploylog.StatusQuery{})
	require.NoError(t, err)
	assert.LessOrEqual(t, len(srv.Faults().Requests()), 10)
	for i := range 3 {
		assert.Equal(t, deploylog.Deploying, status[i].Current.Status)
		assert.Equal(t, 1, status[i].InProgress)
		assert.NotEmpty(t, status[i].Running)
	}
}

// BenchmarkLongLog measures what questions cost in a log of 10,000 and of a million
// runs; ratio is how many times as long the latter takes.
func BenchmarkLongLog(b *testing.B) {
	clock := newClock()
	questions := []struct {
		name string
		ask  func(*deploylog.Log, int) error
	}{
		{"status", func(l *deploylog.Log, _ int) error {
			_, err := l.Status(b.Context(), deploylog.StatusQuery{})
			return err
		}},
		{"newest page", func(l *deploylog.Log, n int) error { return page(b, l, deploylog.HistoryQuery{PageSize: 30 + n%20}) }},
		{"page of one environment", func(l *deploylog.Log, n int) error {
			return page(b, l, deploylog.HistoryQuery{PageSize: 30 + n%20, Environment: deploylog.Staging})
		}},
		{"search", func(l *deploylog.Log, n int) error {
			return page(b, l, deploylog.HistoryQuery{PageSize: 50, Search: fmt.Sprint("nothing has this ", n)})
		}},
		{"versions", func(l *deploylog.Log, _ int) error {
			_, err := l.Inventory(b.Context(), deploylog.InventoryQuery{})
			return err
		}},
		{"start", func(l *deploylog.Log, n int) error {
			_, err := l.Start(b.Context(), deploylog.NewRun{Environment: deploylog.Staging, BuildNo: fmt.Sprint(n)})
			return err
		}},
	}
	took := map[string]float64{}
	for _, size := range []int{10_000, 1_000_000} {
		srv := longLog(b, clock, size)
		log := deploylog.New(connect(b, srv, "GardenAdmin", 11, 102, 11), &deploylog.Options{Clock: clock})
		for _, q := range questions {
			b.Run(fmt.Sprintf("%s/%d", q.name, size), func(b *testing.B) {
				n := 0
				for b.Loop() {
					n++
					require.NoError(b, q.ask(log, n))
				}
				each := float64(b.Elapsed()) / float64(b.N)
				if before := took[q.name]; before > 0 {
					b.ReportMetric(each/before, "ratio")
				} else {
					took[q.name] = each
				}
			})
		}
	}
}

func page(t testing.TB, log *deploylog.Log, q deploylog.HistoryQuery) error {
	_, err := log.HistoryPage(t.Context(), q, "")
	return err
}

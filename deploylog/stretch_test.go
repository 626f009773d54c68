package deploylog_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// counting notes what the server counts for each list, and the statement that
// the list is read with.
type counting struct {
	mu         sync.Mutex
	rows       int
	statements []string
}

func (c *counting) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	query.Set("showsql", "")
	req = req.Clone(req.Context())
	req.URL.RawQuery = query.Encode()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || !strings.HasSuffix(strings.ToLower(req.URL.Path), "/models/xx_deploy_log") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var list struct {
		Rows      int    `json:"row-count"`
		Statement string `json:"sql-command"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows += list.Rows
	c.statements = append(c.statements, list.Statement)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// plans are the database's plans for the statements, each once.
func (c *counting) plans(t *testing.T, db *sql.DB) []string {
	t.Helper()
	var plans []string
	for _, statement := range c.statements {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
		require.NoError(t, err, statement)
		for rows.Next() {
			var id, parent, unused int
			var detail string
			require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
			if strings.Contains(detail, "XX_Deploy_Log") {
				plans = append(plans, strings.TrimPrefix(detail, "SEARCH XX_Deploy_Log USING INDEX xx_deploy_log_"))
			}
		}
		require.NoError(t, rows.Err())
	}
	slices.Sort(plans)
	return slices.Compact(plans)
}

// However long the log is, the server counts as many runs for an answer, and finds
// them by an index. The log grows to twice its length, with -short by a third.
func TestAnswersDoNotDependOnTheLengthOfTheLog(t *testing.T) {
	t.Parallel()
	history := func(q deploylog.HistoryQuery, cursor string) func(*deploylog.Log) error {
		return func(l *deploylog.Log) error {
			page, err := l.HistoryPage(t.Context(), q, cursor)
			if err == nil && page.Next == "" {
				return fmt.Errorf("the page of %d runs is the last", len(page.Runs))
			}
			return err
		}
	}
	status := func(q deploylog.StatusQuery) func(*deploylog.Log) error {
		return func(l *deploylog.Log) error {
			_, err := l.Status(t.Context(), q)
			return err
		}
	}
	clock := newClock()
	tests := map[string]struct {
		read  func(*deploylog.Log) error
		plans []string
	}{
		"newest page":     {history(deploylog.HistoryQuery{PageSize: 50}, ""), []string{"started (DateStarted>?)"}},
		"page far behind": {history(deploylog.HistoryQuery{PageSize: 50}, fmt.Sprint(clock.Now().AddDate(0, 0, -10).Unix())+".1"), []string{"started (DateStarted>? AND DateStarted<?)"}},
		"environment":     {history(deploylog.HistoryQuery{Environment: deploylog.Staging, PageSize: 50}, ""), []string{"environment (Environment=? AND DateStarted>?)"}},
		"status":          {history(deploylog.HistoryQuery{Status: deploylog.Failed, PageSize: 50}, ""), []string{"status (Status=? AND DateStarted>?)"}},
		"search": {history(deploylog.HistoryQuery{Search: "nothing has this", PageSize: 50}, ""),
			[]string{"started (DateStarted>? AND DateStarted<?)", "started (DateStarted>?)"}},
		"what runs now": {status(deploylog.StatusQuery{}), []string{"ended (Environment=? AND DateCompleted>?)", "open (DateCompleted=?)"}},
		"what runs in one environment": {status(deploylog.StatusQuery{Environment: deploylog.Production}),
			[]string{"ended (Environment=? AND DateCompleted=?)", "ended (Environment=? AND DateCompleted>?)"}},
		"versions": {func(l *deploylog.Log) error {
			_, err := l.Inventory(t.Context(), deploylog.InventoryQuery{})
			return err
		}, []string{"ended (Environment=? AND DateCompleted>?)"}},
	}
	counted := map[string][]int{}
	const first = 45_000
	second := 2 * first
	if testing.Short() {
		second = 60_000
	}
	srv := longLog(t, clock, first)
	t.Run("search", func(t *testing.T) { searchGoesThroughTheWholeLog(t, srv, clock, first) })
	t.Run("status", func(t *testing.T) { statusOfALongLog(t, srv, clock) })
	db := srv.Database()
	defer db.Close()
	for _, size := range []int{first, second} {
		if size > first {
			grow(t, srv, first, size)
		}
		for name, tt := range tests {
			transport := &counting{}
			client := connectWith(t, srv, transport)
			require.NoError(t, tt.read(deploylog.New(client, &deploylog.Options{Clock: clock})), name)
			require.NotEmpty(t, transport.statements, name)
			assert.Equal(t, tt.plans, transport.plans(t, db), "%s of %d runs", name, size)
			counted[name] = append(counted[name], transport.rows)
		}
	}
	for name, rows := range counted {
		assert.Equal(t, rows[0], rows[1], "%s: what the server counts grows with the log", name)
	}
}

func connectWith(t testing.TB, srv *erptest.Server, transport http.RoundTripper) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithTransport(transport))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// A search of a log in which little matches goes on page by page, and misses
// nothing where one page ends and the next begins.
func searchGoesThroughTheWholeLog(t *testing.T, srv *erptest.Server, clock *testClock, size int) {
	t.Helper()
	log := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), &deploylog.Options{Clock: clock})
	pages, runs, cursor := 0, map[erp.ID]time.Time{}, ""
	for {
		page, err := log.HistoryPage(t.Context(), deploylog.HistoryQuery{Search: "1.0.17", PageSize: 1000}, cursor)
		require.NoError(t, err)
		pages++
		for _, run := range page.Runs {
			runs[run.ID] = run.DateStarted
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	assert.Len(t, runs, size/30, "each of the thirty versions is there as often")
	assert.Greater(t, pages, 2)
}

package erp_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// table serves rows of a table in pages as the ERP does: at most cap rows, an
// unknown order silently ignored, which is shown by serving rows backwards.
type table struct {
	rows, cap int
	key       string // the column an order may name
	row       func(i int) string
	requests  atomic.Int64
	t         *testing.T
}

func (tb *table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tb.requests.Add(1)
	got := params(tb.t, r.RequestURI)
	top, _ := strconv.Atoi(got["$top"])
	skip, _ := strconv.Atoi(got["$skip"])
	if top <= 0 || top > tb.cap {
		top = tb.cap
	}
	ordered := got["$orderby"] != ""
	for part := range strings.SplitSeq(got["$orderby"], ",") {
		column, _, _ := strings.Cut(part, " ")
		ordered = ordered && (strings.EqualFold(column, tb.key) || column == "Name")
	}
	var rows []string
	for i := skip; i < min(skip+top, tb.rows); i++ {
		n := i
		if !ordered {
			n = tb.rows - 1 - i
		}
		rows = append(rows, tb.row(n))
	}
	respond(w, 200, fmt.Sprintf(`{"page-count":%d,"records-size":%d,"skip-records":%d,"row-count":%d,"records":[%s],"array-count":%d}`,
		(tb.rows+top-1)/top, top, skip, tb.rows, strings.Join(rows, ","), len(rows)))
}

func withID(i int) string {
	return fmt.Sprintf(`{"id":%d,"uid":"u-%d","model-name":"c_order"}`, 1000+i, i)
}

func withUUID(i int) string { return fmt.Sprintf(`{"uid":"u-%03d","No":%d}`, i, 1000+i) }

func withNothing(i int) string { return fmt.Sprintf(`{"No":%d}`, 1000+i) }

// numbers collects what an iteration yields.
func numbers(t *testing.T, client *erp.Client, name string, q *erp.Query) ([]int64, error) {
	t.Helper()
	var got []int64
	for record, err := range client.Records(t.Context(), name, q) {
		if err != nil {
			return got, err
		}
		n, ok := record.ID().Int()
		if !ok {
			n, _ = record.Int("No")
		}
		got = append(got, n)
	}
	return got, nil
}

func sequence(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(1000 + i)
	}
	return list
}

func TestRecordsReadsAllPages(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		tb       *table
		name     string
		q        *erp.Query
		want     int
		requests int
		order    string
	}{
		"nothing":              {&table{rows: 0, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", nil, 0, 1, "C_Order_ID"},
		"one page":             {&table{rows: 10, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", nil, 10, 1, "C_Order_ID"},
		"three pages":          {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "c_order", nil, 25, 3, "c_order_ID"},
		"full pages":           {&table{rows: 30, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", nil, 30, 3, "C_Order_ID"},
		"top":                  {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{Top: 5}, 25, 5, "C_Order_ID"},
		"top above the cap":    {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{Top: 500}, 25, 3, "C_Order_ID"},
		"limit":                {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{Limit: 12}, 12, 2, "C_Order_ID"},
		"limit of one page":    {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{Limit: 10}, 10, 1, "C_Order_ID"},
		"limit above all":      {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{Limit: 1000}, 25, 3, "C_Order_ID"},
		"own order":            {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{OrderBy: []string{"Name"}}, 25, 3, "Name,C_Order_ID"},
		"own order by key":     {&table{rows: 25, cap: 10, key: "C_Order_ID", row: withID}, "C_Order", &erp.Query{OrderBy: []string{"c_order_id desc"}}, 25, 3, "c_order_id desc"},
		"keyed by UUID":        {&table{rows: 25, cap: 10, key: "X_Log_UU", row: withUUID}, "X_Log", nil, 25, 4, "X_Log_UU"},
		"keyed by UUID, order": {&table{rows: 25, cap: 10, key: "X_Log_UU", row: withUUID}, "X_Log", &erp.Query{OrderBy: []string{"Name"}}, 25, 4, "Name,X_Log_UU"},
		"order on one page":    {&table{rows: 5, cap: 10, key: "X_Log_UU", row: withUUID}, "X_Log", &erp.Query{OrderBy: []string{"Name"}}, 5, 2, "Name,X_Log_UU"},
		"id without column":    {&table{rows: 25, cap: 10, key: "X_Log_UU", row: withID}, "X_Log", nil, 25, 4, "X_Log_UU"},
		"no key, own order":    {&table{rows: 25, cap: 10, key: "Name", row: withNothing}, "X_Log", &erp.Query{OrderBy: []string{"Name"}}, 25, 4, "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.tb.t = t
			rec, client := serve(t, tc.tb.ServeHTTP)
			got, err := numbers(t, client, tc.name, tc.q)
			require.NoError(t, err)
			if tc.want == 0 {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, sequence(tc.want), got)
			}
			assert.EqualValues(t, tc.requests, tc.tb.requests.Load())
			assert.Equal(t, tc.order, params(t, rec.last(t).URI)["$orderby"])
		})
	}
}

func TestRecordsWithoutAnyKey(t *testing.T) {
	t.Parallel()
	tb := &table{rows: 25, cap: 10, row: withNothing, t: t}
	_, client := serve(t, tb.ServeHTTP)
	_, err := numbers(t, client, "X_Log", nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	assert.Contains(t, err.Error(), "OrderBy")

	tb = &table{rows: 10, cap: 10, row: withNothing, t: t}
	_, client = serve(t, tb.ServeHTTP)
	got, err := numbers(t, client, "X_Log", nil)
	require.NoError(t, err, "one page needs no order")
	assert.Len(t, got, 10)
}

func TestRecordsOfViews(t *testing.T) {
	t.Parallel()
	tb := &table{rows: 25, cap: 10, key: "C_Order_ID", row: withID, t: t}
	rec, client := serve(t, tb.ServeHTTP)
	got, err := numbers(t, client.Views(), "open-orders", nil)
	require.NoError(t, err)
	assert.Equal(t, sequence(25), got)
	assert.Contains(t, rec.last(t).URI, "/api/v1/views/open-orders?")
	assert.Equal(t, "c_order_ID", params(t, rec.last(t).URI)["$orderby"])
}

func TestRecordsDetectsPagesThatDoNotFit(t *testing.T) {
	t.Parallel()
	// The server ignores $skip.
	_, client := serve(t, always(200, `{"skip-records":0,"row-count":9,"records":[{"id":1},{"id":2}]}`))
	got, err := numbers(t, client, "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Equal(t, []int64{1, 2}, got)
	// The server ignores the order on the second page.
	_, client = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.RawQuery, "skip") {
			respond(w, 200, `{"skip-records":2,"row-count":4,"records":[{"id":1},{"id":4}]}`)
			return
		}
		respond(w, 200, `{"skip-records":0,"row-count":4,"records":[{"id":2},{"id":3}]}`)
	})
	got, err = numbers(t, client, "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
	assert.Equal(t, []int64{2, 3}, got)
}

func TestRecordsWithoutRowCount(t *testing.T) {
	t.Parallel()
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch params(t, r.RequestURI)["$skip"] {
		case "":
			respond(w, 200, `{"records":[{"id":1},{"id":2}]}`)
		case "2":
			respond(w, 200, `{"records":[{"id":3}]}`)
		default:
			respond(w, 200, `{"records":[]}`)
		}
	})
	got, err := numbers(t, client, "C_Order", nil)
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 2, 3}, got)
}

func TestRecordsStopsAfterAnError(t *testing.T) {
	t.Parallel()
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.RawQuery, "skip") {
			respond(w, 500, `{"title":"GET Error","status":500}`)
			return
		}
		respond(w, 200, `{"row-count":9,"records":[{"id":1},{"id":2}]}`)
	})
	count, failures := 0, 0
	for _, err := range client.Records(t.Context(), "C_Order", nil) {
		count++
		if err != nil {
			failures++
			require.ErrorIs(t, err, erp.ErrServer)
		}
	}
	assert.Equal(t, 3, count)
	assert.Equal(t, 1, failures)
}

func TestRecordsFetchesAheadAndStops(t *testing.T) {
	t.Parallel()
	second, cancelled := make(chan struct{}), make(chan struct{})
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.RawQuery, "skip") {
			close(second)
			<-r.Context().Done()
			close(cancelled)
			return
		}
		respond(w, 200, `{"row-count":4,"records":[{"id":1},{"id":2}]}`)
	})
	for record, err := range client.Records(t.Context(), "C_Order", nil) {
		require.NoError(t, err)
		require.Equal(t, erp.IntID(1), record.ID())
		<-second // it is on its way while the first record is looked at
		break
	}
	<-cancelled

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, client = serve(t, always(200, `{"row-count":2,"records":[{"id":1},{"id":2}]}`))
	var last error
	for _, err := range client.Records(ctx, "C_Order", nil) {
		if last = err; err == nil {
			cancel()
		}
	}
	require.ErrorIs(t, last, context.Canceled)
}

func TestRecordsCopiesTheQuery(t *testing.T) {
	t.Parallel()
	tb := &table{rows: 25, cap: 10, key: "C_Order_ID", row: withID, t: t}
	_, client := serve(t, tb.ServeHTTP)
	q := &erp.Query{OrderBy: []string{"Name"}, Skip: 3}
	all := client.Records(t.Context(), "C_Order", q)
	for range 2 { // it can be gone through again
		n := 0
		for _, err := range all {
			require.NoError(t, err)
			if n++; n == 1 {
				assert.Equal(t, &erp.Query{OrderBy: []string{"Name"}, Skip: 3}, q)
			}
		}
		assert.Equal(t, 22, n)
	}
}

func TestRecordsAs(t *testing.T) {
	t.Parallel()
	tb := &table{rows: 25, cap: 10, key: "C_Order_ID", row: withID, t: t}
	_, client := serve(t, tb.ServeHTTP)
	var got []int64
	for o, err := range erp.RecordsAs[struct {
		ID int64 `json:"id"`
	}](t.Context(), client, "C_Order", nil) {
		require.NoError(t, err)
		got = append(got, o.ID)
	}
	assert.Equal(t, sequence(25), got)
	for _, err := range erp.RecordsAs[struct {
		ID string `json:"id"`
	}](t.Context(), client, "C_Order", nil) {
		require.Error(t, err)
		require.NotErrorIs(t, err, erp.ErrBadResponse, "the caller's type is wrong, not the response")
	}
	page, err := erp.QueryAs[map[string]any](t.Context(), client, "C_Order", &erp.Query{Top: 2, OrderBy: []string{"C_Order_ID"}})
	require.NoError(t, err)
	assert.Len(t, page.Records, 2)
	assert.Equal(t, 25, page.Rows)
}

// TestMemoryStaysFlat goes through 100,000 records (about 150 MB; a tenth under
// the race detector) and looks at what is alive on the way.
func TestMemoryStaysFlat(t *testing.T) {
	rows, pageSize := 100_000, 100
	if testing.Short() {
		rows = 10_000
	}
	_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		skip, _ := strconv.Atoi(params(t, r.RequestURI)["$skip"])
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(benchPage(pageSize, skip, rows))
	})
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var start, most int64
	seen := 0
	for record, err := range client.Records(t.Context(), "C_Order", nil) {
		require.NoError(t, err)
		if id, _ := record.ID().Int(); id != int64(1000000+seen) {
			t.Fatalf("record %d has id %d", seen, id)
		}
		seen++
		switch {
		case seen == pageSize:
			start = live()
		case seen%(rows/5) == 0:
			most = max(most, live())
		}
	}
	assert.Equal(t, rows, seen)
	assert.Less(t, most-start, int64(8<<20), "live heap grew from %d to %d bytes", start, most)
}

func ExampleClient_Records() {
	srv := exampleServer()
	defer srv.Close()
	client, err := erp.New(srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	q := &erp.Query{Filter: erp.Eq("IsSOTrx", true), Select: []string{"DocumentNo"}}
	for order, err := range client.Records(context.Background(), "C_Order", q) {
		if err != nil {
			fmt.Println(err)
			return
		}
		number, _ := order.Text("DocumentNo")
		fmt.Println(order.ID(), number)
	}
	// Output:
	// 1000022 SO-9
}

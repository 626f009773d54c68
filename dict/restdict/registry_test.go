package restdict_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // to read the embedded ERP's database beside it

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/cputime"
	"github.com/erphub/erphub/internal/testkit/registrytest"
	"github.com/erphub/erphub/internal/testkit/synthdict"
)

// erpBeside starts an embedded ERP whose database is read from beside it: one in
// memory, or in a file to which fill is added. When offset is given, it is added to
// the server's clock.
func erpBeside(tb testing.TB, fill *synthdict.Dictionary, offset *atomic.Int64) (*erptest.Server, *erp.Client, *dbdict.Source) {
	tb.Helper()
	path := ""
	if fill != nil {
		path = filepath.Join(tb.TempDir(), "erp.db")
		empty, err := erptest.Open(tb.Context(), erptest.Options{Path: path})
		require.NoError(tb, err)
		require.NoError(tb, empty.Close())
		db, err := sql.Open("sqlite", "file:"+path)
		require.NoError(tb, err)
		require.NoError(tb, errors.Join(fill.Append(tb.Context(), db), db.Close()))
	}
	clock := func() time.Time { return time.Now() }
	if offset != nil {
		clock = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	}
	srv := erptest.New(tb, erptest.Options{Path: path, Clock: clock})
	db := srv.Database()
	tb.Cleanup(func() { assert.NoError(tb, db.Close()) })
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(login(tb, srv.URL()))))
	require.NoError(tb, err)
	source, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(tb, err)
	return srv, client, source
}

func TestSourceSuite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the same goroutines as in TestSourceSeesAllThereIs, six times")
	}
	var offset atomic.Int64
	offset.Store(int64(-7 * time.Minute)) // long enough ago to count as settled
	srv, client, beside := erpBeside(t, nil, &offset)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "1000")) // the dictionary is read often
	plan, err := dict.NewPlan(nil, twentyColumns())
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, nil)
	require.NoError(t, err)

	want, err := registry.LoadCatalog(t.Context(), beside)
	require.NoError(t, err)
	made, err := want.Table(t.Context(), "XX_Trial")
	require.NoError(t, err)
	registrytest.Run(t, registrytest.Subject{
		Source: restdict.NewSource(client, nil), Want: want, Table: "XX_Trial",
		Relabel: func(t *testing.T, label string) {
			offset.Store(0)
			_, err := client.Update(t.Context(), "AD_Table", erp.IntID(int64(made.ID)), map[string]any{"Name": label})
			require.NoError(t, err)
		},
		Drop: func(t *testing.T) string {
			column, ok := made.Column("XX_Remark")
			require.True(t, ok)
			require.NoError(t, client.Delete(t.Context(), "AD_Column", erp.IntID(int64(column.ID))))
			return column.Name
		},
	})
}

// A dictionary with everything in it, also what the demo data lacks. The column
// that reports whether content is encrypted is a button, which the API leaves out
// of records; governed SQL relies on it.
func TestSourceSeesAllThereIs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	_, client, beside := erpBeside(t, synthdict.New(synthdict.Options{Tables: 30}), nil)
	want, err := registry.LoadCatalog(t.Context(), beside)
	require.NoError(t, err)
	requests := 0
	reader := watched(t, client, func(*http.Request) { requests++ })
	got := registry.NewCache(restdict.NewSource(reader, &restdict.SourceOptions{PageSize: 70, Concurrency: 3}), &registry.CacheOptions{FailOnMissing: true})
	require.NoError(t, got.Load(t.Context()))
	stats, err := got.Statistics(t.Context())
	require.NoError(t, err)
	require.NotZero(t, stats.Encrypted)
	require.NotZero(t, stats.Secure)
	require.NotZero(t, stats.Virtual)
	require.NotZero(t, stats.Indexes)
	registrytest.Agree(t, want, got)

	// What is changed is read alone: after each step, the cache has what is there.
	columns, err := want.Columns(t.Context(), "", registry.ListQuery{})
	require.NoError(t, err)
	encrypted := slices.IndexFunc(columns.Items, func(c registry.Column) bool { return c.Encrypted })
	require.GreaterOrEqual(t, encrypted, 0)
	var made []erp.Record
	create := func() {
		name := "XX_Since" + itoa(len(made))
		record, err := client.Create(t.Context(), "AD_Element", map[string]any{"ColumnName": name, "Name": name, "PrintName": name})
		require.NoError(t, err)
		made = append(made, record)
	}
	update := func(table string, id int, values map[string]any) {
		_, err := client.Update(t.Context(), table, erp.IntID(int64(id)), values)
		require.NoError(t, err)
	}
	steps := []struct {
		name     string
		do       func()
		requests int // but those for the state of all tables, at most
	}{
		{"nothing", func() {}, 20},
		{"an encrypted column", func() { update("AD_Column", columns.Items[encrypted].ID, map[string]any{"Description": "D"}) }, 20},
		{"a new element", create, 20},
		{"the same one again", func() {
			id, _ := made[0].ID().Int()
			update("AD_Element", int(id), map[string]any{"Name": "Other"})
		}, 20},
		{"one goes, one comes", func() {
			require.NoError(t, client.Delete(t.Context(), "AD_Element", made[0].ID()))
			create()
		}, 120},
		{"many columns", func() {
			for i := range 75 {
				update("AD_Column", columns.Items[i].ID, map[string]any{"Description": "D" + itoa(i)})
			}
		}, 40},
	}
	for _, step := range steps {
		requests = 0
		step.do()
		_, err := got.Refresh(t.Context())
		require.NoError(t, err, step.name)
		assert.LessOrEqual(t, requests-14, step.requests, step.name)
		want, err := registry.LoadCatalog(t.Context(), beside)
		require.NoError(t, err)
		registrytest.Agree(t, want, got)
	}
}

// between runs do before chosen requests go out.
type between struct {
	http.RoundTripper
	mu sync.Mutex // guards do
	do func(r *http.Request)
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	b.do(r)
	b.mu.Unlock()
	return b.RoundTripper.RoundTrip(r)
}

// While pages are read, rows before them go and come, which moves what the next
// page shows. With -short, pages are larger and it happens once.
func TestRowsChangeBetweenPages(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int{"once": 1, "some times": 3, "before every page": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch {
			case testing.Short() && times > 1:
				t.Skip("the same requests again, only more of them")
			case !testing.Short() && times <= 3 && os.Getenv("ERPHUB_PROOF") == "":
				t.Skip("before every page is more than this; make proof runs it")
			}
			srv, client, beside := erpBeside(t, nil, nil)
			size := 100
			if testing.Short() {
				size = 500
				require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", itoa(size)))
			}
			before, err := registry.LoadCatalog(t.Context(), beside)
			require.NoError(t, err)

			changes := 0
			watch := &between{RoundTripper: http.DefaultTransport}
			watch.do = func(r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/models/AD_Element") || changes >= times ||
					!strings.Contains(r.URL.Query().Get("$filter"), " gt ") {
					return
				}
				changes++
				meddle(t, client, changes)
			}
			reader, err := erp.New(client.BaseURL(), erp.WithTransport(watch),
				erp.WithTokenSource(erp.StaticToken(login(t, strings.TrimSuffix(client.BaseURL(), "/api/v1")))))
			require.NoError(t, err)
			source := restdict.NewSource(reader, &restdict.SourceOptions{PageSize: size, Concurrency: 2})
			cache := registry.NewCache(source, &registry.CacheOptions{FailOnMissing: true})
			require.NoError(t, cache.Load(t.Context()))
			require.Positive(t, changes, "nothing changed while reading")

			// Every element that was there all the while is there.
			tables, err := before.Tables(t.Context(), registry.ListQuery{})
			require.NoError(t, err)
			for _, table := range tables.Items {
				for column, err := range columns(t, before, table.Name) {
					require.NoError(t, err)
					_, err = cache.Element(t.Context(), column.Name)
					require.NoError(t, err)
				}
			}

			// What came too late for the first reading is seen by the next.
			times = 0
			_, err = cache.Refresh(t.Context())
			require.NoError(t, err)
			after, err := registry.LoadCatalog(t.Context(), beside)
			require.NoError(t, err)
			registrytest.Agree(t, after, cache)
		})
	}
}

// meddle makes an element, or removes the one it made last, so that rows behind
// it move.
func meddle(t *testing.T, client *erp.Client, n int) {
	name := "XX_Meddle" + itoa(n/2)
	if n%2 == 1 {
		_, err := client.Create(t.Context(), "AD_Element", map[string]any{"ColumnName": name, "Name": name, "PrintName": name})
		assert.NoError(t, err)
		return
	}
	made, err := client.Query(t.Context(), "AD_Element", &erp.Query{Filter: erp.StartsWith("ColumnName", erp.Pattern("XX_Meddle")),
		OrderBy: []string{"AD_Element_ID"}, Top: 1})
	if assert.NoError(t, err) && assert.NotEmpty(t, made.Records) {
		assert.NoError(t, client.Delete(t.Context(), "AD_Element", made.Records[0].ID()))
	}
}

func columns(t *testing.T, r registry.Registry, table string) func(func(registry.Column, error) bool) {
	return func(yield func(registry.Column, error) bool) {
		info, err := r.Table(t.Context(), table)
		if err != nil {
			yield(registry.Column{}, err)
			return
		}
		for _, c := range info.Columns {
			if c.ElementID != 0 && !yield(c, nil) {
				return
			}
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	srv, _ := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	stop := &between{RoundTripper: http.DefaultTransport}
	stop.do = func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models/AD_Field") {
			cancel()
		}
	}
	reader, err := erp.New(srv.URL(), erp.WithTransport(stop), erp.WithTokenSource(erp.StaticToken(login(t, srv.URL()))))
	require.NoError(t, err)
	_, err = registry.LoadCatalog(ctx, restdict.NewSource(reader, nil))
	require.ErrorIs(t, err, context.Canceled)

	bad, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken("no-token")))
	require.NoError(t, err)
	_, err = registry.LoadCatalog(t.Context(), restdict.NewSource(bad, nil))
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.NotContains(t, err.Error(), "no-token")

	// A start without the ERP goes on, and the next refresh heals it.
	gone, err := erp.New("http://127.0.0.1:1", erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	cache := registry.NewCache(restdict.NewSource(gone, nil), nil)
	require.NoError(t, cache.Load(t.Context()))
	_, err = cache.Table(t.Context(), "C_Order")
	require.ErrorIs(t, err, registry.ErrNotFound)
	require.ErrorContains(t, err, "may not be loaded yet")
	strict := registry.NewCache(restdict.NewSource(gone, nil), &registry.CacheOptions{FailOnMissing: true})
	require.ErrorIs(t, strict.Load(t.Context()), erp.ErrUnreachable)
}

// refusing responds to some requests itself.
type refusing struct {
	http.RoundTripper
	status func(r *http.Request) int // 0: the server responds
}

func (f refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	status := f.status(r)
	if status == 0 {
		return f.RoundTripper.RoundTrip(r)
	}
	body := `{"title":"Refused","status":` + itoa(status) + `,"detail":"for the test"}`
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	srv, _ := start(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "1000")) // the dictionary is read often
	token := login(t, srv.URL())
	for _, tt := range []struct {
		name, table string
		status      int
		times       int
		loads       []error // what becomes of each
	}{
		{"a part is hidden from the role", "AD_Field", 403, 1 << 30, []error{nil}},
		{"a part is not there", "AD_TableIndex", 404, 1 << 30, []error{nil}},
		{"tables are hidden", "AD_Table", 403, 1 << 30, []error{erp.ErrForbidden, erp.ErrForbidden}},
		{"columns are hidden", "AD_Column", 403, 1 << 30, []error{erp.ErrForbidden, erp.ErrForbidden}},
		{"a column is not known any more", "AD_Process", 400, 1, []error{erp.ErrValidation, nil}},
		{"the server fails", "AD_Tab", 500, 1, []error{erp.ErrServer, nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && tt.times == 1 {
				t.Skip("reads everything twice")
			}
			var asked atomic.Int64
			client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithRetryPolicy(erp.RetryPolicy{}),
				erp.WithTransport(refusing{http.DefaultTransport, func(r *http.Request) int {
					if strings.HasSuffix(r.URL.Path, "/models/"+tt.table) && asked.Add(1) <= int64(tt.times) {
						return tt.status
					}
					return 0
				}}))
			require.NoError(t, err)
			source := restdict.NewSource(client, nil)
			for _, want := range tt.loads {
				catalog, err := registry.LoadCatalog(t.Context(), source)
				if want != nil {
					require.ErrorIs(t, err, want)
					continue
				}
				require.NoError(t, err)
				_, err = catalog.Table(t.Context(), "C_Order")
				require.NoError(t, err)
			}
		})
	}
}

// BenchmarkSource reads dictionaries through the API, that of the demo and one of real
// size, and the same records by plain requests that decode nothing but the list.
func BenchmarkSource(b *testing.B) {
	for _, bb := range []struct {
		name string
		erp  func(*testing.B) *erp.Client
	}{
		{"demo", func(b *testing.B) *erp.Client {
			_, client := start(b)
			return client
		}},
		{"real size", func(b *testing.B) *erp.Client {
			_, client, _ := erpBeside(b, synthdict.New(synthdict.Options{Tables: 600, Columns: 17_000}), nil)
			return client
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { readSource(b, bb.erp(b)) })
	}
}

func readSource(b *testing.B, client *erp.Client) {
	var loaded registry.Statistics
	var ours, raw, used time.Duration
	for b.Loop() {
		begin, before := time.Now(), cputime.Used(b)
		catalog, err := registry.LoadCatalog(b.Context(), restdict.NewSource(client, nil))
		require.NoError(b, err)
		ours, used = ours+time.Since(begin), used+cputime.Used(b)-before
		loaded, err = catalog.Statistics(b.Context())
		require.NoError(b, err)

		begin = time.Now()
		readRaw(b, client)
		raw += time.Since(begin)
	}
	b.ReportMetric(float64(loaded.Tables), "tables")
	b.ReportMetric(float64(loaded.Columns), "columns")
	b.ReportMetric(float64(ours)/float64(b.N)/1e6, "ms/load")
	b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms/load") // of both sides
	b.ReportMetric(float64(raw)/float64(ours), "raw/ours")
}

// readRaw reads the same tables and columns page by page, four at a time.
func readRaw(b *testing.B, client *erp.Client) {
	token := login(b, strings.TrimSuffix(client.BaseURL(), "/api/v1"))
	slots := make(chan struct{}, 4)
	var work sync.WaitGroup
	for _, table := range registry.SourceTables() {
		work.Go(func() {
			page := func(skip int) (rows, size int) {
				slots <- struct{}{}
				defer func() { <-slots }()
				q := url.Values{"$orderby": {table.Key}, "$filter": {"IsActive neq null"}, "$top": {"1000"}, "$skip": {itoa(skip)}}
				var names []string
				for _, c := range table.Columns {
					if !strings.EqualFold(c.Name, table.Name+"_ID") && !strings.EqualFold(c.Name, table.Name+"_UU") {
						names = append(names, c.Name)
					}
				}
				q.Set("$select", strings.Join(names, ","))
				req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, client.BaseURL()+"/models/"+table.Name+"?"+q.Encode(), nil)
				if !assert.NoError(b, err) {
					return 0, 0
				}
				req.Header.Set("Authorization", "Bearer "+token)
				resp, err := http.DefaultClient.Do(req)
				if !assert.NoError(b, err) {
					return 0, 0
				}
				defer resp.Body.Close()
				data, err := io.ReadAll(resp.Body)
				if !assert.NoError(b, err) || !assert.Equal(b, 200, resp.StatusCode, string(data)) {
					return 0, 0
				}
				var list struct {
					Rows    int              `json:"row-count"`
					Size    int              `json:"records-size"`
					Records []map[string]any `json:"records"`
				}
				assert.NoError(b, json.Unmarshal(data, &list))
				return list.Rows, list.Size
			}
			rows, size := page(0)
			var pages sync.WaitGroup
			for skip := size; size > 0 && skip < rows; skip += size {
				pages.Go(func() { page(skip) })
			}
			pages.Wait()
		})
	}
	work.Wait()
}

func itoa(n int) string { return erp.IntID(int64(n)).String() }

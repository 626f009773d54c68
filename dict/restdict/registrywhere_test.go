package restdict_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/testkit/registrytest"
)

// watched is a client whose requests are seen before they go out.
func watched(t *testing.T, client *erp.Client, see func(*http.Request)) *erp.Client {
	t.Helper()
	reader, err := erp.New(client.BaseURL(), erp.WithTransport(&between{RoundTripper: http.DefaultTransport, do: see}),
		erp.WithTokenSource(erp.StaticToken(login(t, strings.TrimSuffix(client.BaseURL(), "/api/v1")))))
	require.NoError(t, err)
	return reader
}

// A part of the dictionary takes few requests, and none with an address that a
// server could find too long, however many tables it is about.
func TestScopeRequests(t *testing.T) {
	t.Parallel()
	_, client, beside := erpBeside(t, nil, nil)
	whole, err := registry.LoadCatalog(t.Context(), beside)
	require.NoError(t, err)
	list, err := whole.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	var many []string
	for _, table := range list.Items[:120] {
		many = append(many, table.Name)
	}
	for name, tt := range map[string]struct {
		scope    registry.Scope
		requests int // at 100 records each; the whole dictionary takes several hundred
		searches int // of all columns for those with a flag
	}{
		"a table":     {registry.Scope{Tables: []string{"C_Order"}}, 80, 0},
		"with window": {registry.Scope{Tables: []string{"C_Order"}, TableWindows: true}, 100, 0},
		"many tables": {registry.Scope{Tables: many}, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests, searches, longest := 0, 0, 0
			reader := watched(t, client, func(r *http.Request) {
				requests++
				if filter := r.URL.Query().Get("$filter"); strings.Contains(filter, "IsEncrypted eq") && !strings.Contains(filter, "_ID in (") {
					searches++
				}
				longest = max(longest, len(r.URL.RequestURI()))
			})
			got, err := registry.LoadScope(t.Context(), restdict.NewSource(reader, nil), tt.scope)
			require.NoError(t, err)
			assert.LessOrEqual(t, longest, 4000, "bytes of an address")
			assert.LessOrEqual(t, requests, tt.requests)
			assert.LessOrEqual(t, searches, tt.searches)
			registrytest.AgreeWithin(t, whole, got, tt.scope)
		})
	}
}

// Rows that come while a part is read page by page are seen, and no row twice.
func TestConditionWhileRowsChange(t *testing.T) {
	t.Parallel()
	_, client, beside := erpBeside(t, nil, nil)
	changes := 0
	reader := watched(t, client, func(r *http.Request) {
		if changes > 0 || !strings.HasSuffix(r.URL.Path, "/models/AD_Element") || !strings.Contains(r.URL.Query().Get("$filter"), " gt ") {
			return
		}
		changes++
		meddle(t, client, changes)
	})
	var ids []int
	for id := 100; id < 700; id++ {
		ids = append(ids, id)
	}
	var table registry.SourceTable
	for _, s := range registry.SourceTables() {
		if s.Name == "AD_Element" {
			table = s
		}
	}
	table.Where = []registry.SourceCondition{{Column: "AD_Element_ID", Ints: ids}, {Column: "ColumnName", Texts: []string{"Name", "DocumentNo"}}}
	read := func(source registry.Source) map[int64]string {
		rows := &elementRows{names: map[int64]string{}}
		_, err := source.Read(t.Context(), []registry.SourceTable{table}, rows)
		require.NoError(t, err)
		assert.Zero(t, rows.twice)
		return rows.names
	}
	got := read(restdict.NewSource(reader, &restdict.SourceOptions{PageSize: 50, Concurrency: 2}))
	require.Positive(t, changes, "nothing changed while reading")
	assert.Equal(t, read(beside), got)
}

// elementRows keeps the second column of rows by the first.
type elementRows struct {
	mu    sync.Mutex // guards what follows
	names map[int64]string
	twice int
}

func (e *elementRows) Begin(int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.names)
}

func (e *elementRows) Row(_ int, values []registry.SourceValue) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.names[values[0].Int]; ok {
		e.twice++
	}
	e.names[values[0].Int] = values[2].Text
	return nil
}

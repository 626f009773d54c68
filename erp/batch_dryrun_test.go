package erp_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

// A dry run changes nothing, and says what the same batch would do.
func TestBatchDryRun(t *testing.T) {
	t.Parallel()
	_, client := embedded(t)
	ctx := t.Context()
	joe := erp.BatchCreate("C_BPartner", map[string]any{"Value": "dry", "Name": "Joe", "C_BP_Group_ID": 103})
	partners := func() int {
		page, err := client.Query(ctx, "C_BPartner", &erp.Query{Top: 1})
		require.NoError(t, err)
		return page.Rows
	}
	spare, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "spare", "Name": "Spare", "C_BP_Group_ID": 103})
	require.NoError(t, err)
	before := partners()
	for name, tc := range map[string]struct {
		requests []erp.BatchRequest
		fails    error
		check    func(t *testing.T, results []erp.BatchResult)
	}{
		"a creation, with what the ERP fills": {[]erp.BatchRequest{joe}, nil, func(t *testing.T, results []erp.BatchResult) {
			rec, err := results[0].Record()
			require.NoError(t, err)
			active, ok := rec.Bool("IsActive")
			assert.True(t, ok && active)
			name, _ := rec.Text("Name")
			assert.Equal(t, "Joe", name)
		}},
		"a change and a deletion": {[]erp.BatchRequest{
			erp.BatchUpdate("C_BPartner", erp.IntID(118), map[string]any{"Name": "Changed"}),
			erp.BatchDelete("C_BPartner", spare.ID()),
		}, nil, func(t *testing.T, results []erp.BatchResult) {
			rec, err := results[0].Record()
			require.NoError(t, err)
			name, _ := rec.Text("Name")
			assert.Equal(t, "Changed", name)
		}},
		"a value that the ERP refuses": {[]erp.BatchRequest{joe, erp.BatchCreate("C_BPartner", map[string]any{"NoSuchColumn": 1})}, erp.ErrValidation,
			func(t *testing.T, results []erp.BatchResult) { assert.True(t, results[0].OK()) }},
		"a deletion that the ERP refuses": {[]erp.BatchRequest{erp.BatchDelete("C_BPartner", erp.IntID(118))}, erp.ErrServer, nil},
		"a record that is not there":      {[]erp.BatchRequest{erp.BatchDelete("C_BPartner", erp.IntID(999_999))}, erp.ErrNotFound, nil},
		"an address that is none":         {[]erp.BatchRequest{{Method: "POST", Path: "/v1/models/C_BPartner"}}, erp.ErrInvalid, nil},
	} {
		t.Run(name, func(t *testing.T) {
			results, err := client.Batch(ctx, tc.requests, erp.BatchOptions{DryRun: true})
			if require.ErrorIs(t, err, tc.fails); tc.check != nil {
				tc.check(t, results)
			}
			assert.Equal(t, before, partners())
			rec, err := client.Get(ctx, "C_BPartner", erp.IntID(118), nil)
			require.NoError(t, err)
			kept, _ := rec.Text("Name")
			assert.NotEqual(t, "Changed", kept)
		})
	}
	_, err = client.Batch(ctx, []erp.BatchRequest{joe}, erp.BatchOptions{DryRun: true, PerRequest: true})
	require.ErrorIs(t, err, erp.ErrInvalid)
}

// A dry run stores nothing, even if its response is lost.
func TestBatchDryRunIsLost(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]http.HandlerFunc{
		"the connection breaks": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a proxy gives up":      always(504, ``),
		"half a response":       always(200, `[{"status":"Created"`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			_, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if requests.Add(1) > 1 {
					lose(w, r)
					return
				}
				always(400, `[{"status":"Not Found","statusCode":404,"body":null}]`)(w, r)
			})
			_, err := client.Batch(t.Context(), []erp.BatchRequest{erp.BatchCreate("A", nil)}, erp.BatchOptions{DryRun: true})
			require.Error(t, err)
			require.NotErrorIs(t, err, erp.ErrOutcomeUnknown)
			assert.NotContains(t, err.Error(), "may have carried out")
			var conn *erp.ConnError
			assert.Equal(t, name == "the connection breaks", errors.As(err, &conn))
		})
	}
}

// A server that would keep the batch gets nothing but a request for a record that is
// not there.
func TestBatchDryRunIsNotTried(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   string
		says   string
	}{
		"it keeps what is before a failure": {200, `[{"status":"Not Found","statusCode":404,"body":null}]`, "does not undo"},
		"it deletes what is not there":      {200, `[{"status":"OK","statusCode":200,"body":null}]`, "does not undo"},
		"it has no batches":                 {404, `{"title":"Not Found","status":404}`, "too old"},
		"it is down":                        {503, ``, "dry run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec, client := serve(t, always(tc.status, tc.body))
			_, err := client.Batch(t.Context(), []erp.BatchRequest{erp.BatchCreate("A", nil)}, erp.BatchOptions{DryRun: true})
			require.ErrorContains(t, err, tc.says)
			for _, r := range rec.seen() {
				assert.NotContains(t, r.Body, "POST")
			}
		})
	}
}

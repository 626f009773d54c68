package erp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `[{"status":"Created","statusCode":201,"body":{"id":1000004.0,"Big":1.0000004E7,"Qty":12.5,"Name":"1.0"}},`+
		`{"status":"OK","statusCode":200,"body":{"id":5.0}},{"status":"OK","statusCode":200,"body":{"msg":"Deleted"}}]`))
	requests := []erp.BatchRequest{
		erp.BatchCreate("C_BPartner", map[string]any{"Name": "Joe"}),
		erp.BatchUpdate("Größe x", erp.IntID(5), nil),
		erp.BatchDelete("C_BPartner", erp.UUID("5b0c6f2a-0000-4000-8000-000000000001")),
	}
	results, err := client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/batch?transaction=true", rec.last(t).URI)
	assert.Equal(t, `[{"method":"POST","path":"v1/models/C_BPartner","body":{"Name":"Joe"}},`+
		`{"method":"PUT","path":"v1/models/Gr%C3%B6%C3%9Fe%20x/5","body":{}},`+
		`{"method":"DELETE","path":"v1/models/C_BPartner/5b0c6f2a-0000-4000-8000-000000000001"}]`, rec.last(t).Body)
	assert.JSONEq(t, `{"id":1000004,"Big":10000004,"Qty":12.5,"Name":"1.0"}`, string(results[0].Body))
	assert.Contains(t, string(results[0].Body), `"id":1000004,`)
	record, err := results[0].Record()
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(1000004), record.ID())
	assert.True(t, results[2].OK())

	results, err = client.Batch(t.Context(), nil, erp.BatchOptions{})
	require.NoError(t, err)
	assert.Empty(t, results)
	assert.Len(t, rec.seen(), 1, "nothing to do is not sent")
}

func TestBatchFailures(t *testing.T) {
	t.Parallel()
	requests := []erp.BatchRequest{erp.BatchCreate("A", nil), erp.BatchCreate("B", nil), erp.BatchCreate("C", nil)}
	partial := `[{"status":"Created","statusCode":201,"body":{"id":1.0}},{"status":"Bad Request","statusCode":400,"body":{"title":"Validation error","status":400.0,"detail":"Column Foo does not exist"}}]`
	_, client := serve(t, always(400, partial))
	results, err := client.Batch(t.Context(), requests, erp.BatchOptions{})
	var failed *erp.BatchError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, erp.ErrValidation)
	assert.Equal(t, 1, failed.Index)
	assert.EqualError(t, err, "batch: request 2 failed and all was rolled back: POST /api/v1/models/B: 400 Validation error: Column Foo does not exist")
	assert.Len(t, results, 2)

	_, client = serve(t, always(200, `[{"status":"Internal Server Error","statusCode":500,"body":"boom"},{"status":"Bad Request","statusCode":400,"body":"Unsupported Method: GET"},{"status":"No Content","statusCode":204,"body":null}]`))
	results, err = client.Batch(t.Context(), requests, erp.BatchOptions{PerRequest: true})
	require.NoError(t, err)
	require.ErrorIs(t, results[0].Err(), erp.ErrServer)
	assert.EqualError(t, results[0].Err(), "POST /api/v1/models/A: 500 Internal Server Error: boom")
	assert.EqualError(t, erp.BatchResult{Status: "Bad Request", StatusCode: 400}.Err(), "400 Bad Request")
	require.Error(t, results[2].Err(), "the server counts 204 as a failure")

	_, client = serve(t, always(400, `{"title":"x","status":400}`))
	_, err = client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.ErrorIs(t, err, erp.ErrValidation)
	_, client = serve(t, always(200, `[{"status":"Created","statusCode":201}]`))
	_, err = client.Batch(t.Context(), requests, erp.BatchOptions{})
	require.ErrorIs(t, err, erp.ErrBadResponse)

	rec, client := serve(t, always(200, `[]`))
	for name, r := range map[string]erp.BatchRequest{
		"GET": {Method: "GET", Path: "v1/models/A"}, "no method": {Path: "v1/models/A"}, "absolute": {Method: "POST", Path: "/v1/models/A"},
		"elsewhere": {Method: "POST", Path: "http://evil/v1"}, "dots": {Method: "POST", Path: "v1/models/../x"}, "escaped dots": {Method: "POST", Path: "v1/%2e%2e/x"},
		"empty": {Method: "POST"}, "bad escape": {Method: "POST", Path: "v1/%zz"}, "table": erp.BatchCreate("..", nil), "id": erp.BatchDelete("A", erp.ID{}),
		"body": erp.BatchCreate("A", 5),
	} {
		_, err := client.Batch(t.Context(), []erp.BatchRequest{r}, erp.BatchOptions{})
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	assert.Empty(t, rec.seen())
}

package erp_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestCreateUpdateDeleteOnTheWire(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			respond(w, 201, `{"id":1000004,"uid":"u","Environment":"test","model-name":"xx_deploy_log"}`)
		case http.MethodDelete:
			respond(w, 200, `{"msg":"Deleted"}`)
		case http.MethodPatch:
			w.Header().Set("Allow", "GET,PUT,DELETE")
			w.WriteHeader(405)
		default:
			respond(w, 200, `{"id":1000004,"Progress":40,"model-name":"xx_deploy_log"}`)
		}
	})
	record, err := client.Create(t.Context(), "xx_deploy_log", map[string]any{"Environment": "test", "Status": "B", "DateStarted": "2026-03-09T13:05:06Z"})
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(1000004), record.ID())
	got := rec.last(t)
	assert.Equal(t, "POST /api/v1/models/xx_deploy_log", got.Method+" "+got.URI)
	assert.JSONEq(t, `{"Environment":"test","Status":"B","DateStarted":"2026-03-09T13:05:06Z"}`, got.Body)

	record, err = client.Update(t.Context(), "xx_deploy_log", erp.IntID(1000004), struct {
		Progress    int
		CurrentStep string
		Parent      int `json:"XX_Parent_ID"`
	}{40, "build", erp.NoRef})
	require.NoError(t, err)
	progress, _ := record.Int("Progress")
	assert.EqualValues(t, 40, progress)
	got = rec.last(t)
	assert.Equal(t, "PUT /api/v1/models/xx_deploy_log/1000004", got.Method+" "+got.URI)
	assert.Equal(t, `{"Progress":40,"CurrentStep":"build","XX_Parent_ID":-1}`, got.Body)

	_, err = client.Patch(t.Context(), "xx_deploy_log", erp.IntID(1000004), json.RawMessage(`{"Progress":50}`))
	require.ErrorIs(t, err, erp.ErrMethodNotAllowed)
	assert.Contains(t, err.Error(), "use Update")
	assert.Equal(t, `{"Progress":50}`, rec.last(t).Body)

	require.NoError(t, client.Delete(t.Context(), "xx_deploy_log", erp.IntID(1000004)))
	assert.Equal(t, "DELETE", rec.last(t).Method)

	_, err = client.Property(t.Context(), "xx_deploy_log", erp.IntID(1000004), "Progress")
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/models/xx_deploy_log/1000004/Progress", rec.last(t).URI)

	for _, body := range []any{nil, map[string]any(nil), []byte("{}")} {
		_, err = client.Create(t.Context(), "xx_deploy_log", body)
		require.NoError(t, err)
		assert.Equal(t, "{}", rec.last(t).Body, "an empty body would be a bare 500")
	}
	before := len(rec.seen())
	for name, body := range map[string]any{
		"list": []int{1}, "number": 5, "text": "x", "broken": json.RawMessage(`{"a":`), "func": func() {}, "NaN": map[string]any{"a": make(chan int)},
	} {
		_, err = client.Create(t.Context(), "xx_deploy_log", body)
		require.ErrorIs(t, err, erp.ErrInvalid, name)
	}
	_, err = client.Update(t.Context(), "xx_deploy_log", erp.IntID(1), record)
	require.ErrorIs(t, err, erp.ErrInvalid, "what was read cannot be sent back")
	_, err = client.Property(t.Context(), "xx_deploy_log", erp.IntID(1), "a-b")
	require.ErrorIs(t, err, erp.ErrInvalid)
	assert.Len(t, rec.seen(), before)
}

func TestCreateList(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"list": `[{"id":1},{"id":2}]`, "envelope": `{"records":[{"id":1},{"id":2}]}`} {
		rec, client := serve(t, always(201, body))
		records, err := client.CreateList(t.Context(), "AD_Column", map[string]int{"A": 1}, map[string]int{"A": 2})
		require.NoError(t, err, name)
		assert.Len(t, records, 2)
		assert.Equal(t, `[{"A":1},{"A":2}]`, rec.last(t).Body)
		_, err = client.CreateList(t.Context(), "AD_Column", nil, nil, nil)
		require.ErrorIs(t, err, erp.ErrBadResponse, "three were sent, two came back")
		records, err = client.CreateList(t.Context(), "AD_Column")
		require.NoError(t, err)
		assert.Empty(t, records)
	}
}

func TestCall(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, always(200, `{"caches":[]}`))
	data, err := client.Call(t.Context(), http.MethodGet, []string{"caches"}, url.Values{"table_name": {"C Order"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, `{"caches":[]}`, string(data))
	assert.Equal(t, "/api/v1/caches?table_name=C%20Order", rec.last(t).URI)
	_, err = client.Call(t.Context(), http.MethodPut, []string{"workflow", "approve", "5"}, nil, map[string]string{"message": "ok"})
	require.NoError(t, err)
	assert.Equal(t, `{"message":"ok"}`, rec.last(t).Body)
	_, err = client.Call(t.Context(), http.MethodGet, []string{"caches", ".."}, nil, nil)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, client = serve(t, always(304, ""))
	_, err = client.Call(t.Context(), http.MethodPut, []string{"workflow", "forward", "5"}, nil, nil)
	var refused *erp.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, 304, refused.Status)
}

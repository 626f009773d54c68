package erp_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestSchedulers(t *testing.T) {
	t.Parallel()
	const body = `{"id":100,"Name":"Alerts","model-name":"ad_scheduler","server-id":"Scheduler100","scheduler-state":"Started","node-port":8080}`
	registered := false
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			if registered {
				respond(w, 409, body)
				return
			}
			registered = true
			respond(w, 201, body)
		default:
			respond(w, 200, body)
		}
	})
	s, err := client.AddScheduler(t.Context(), 100)
	require.NoError(t, err)
	assert.Equal(t, "Scheduler100 Started Alerts 100", s.ServerID+" "+s.State+" "+s.Name()+" "+s.ID().String())
	assert.Equal(t, "POST /api/v1/servers/schedulers/100", rec.last(t).Method+" "+rec.last(t).URI)
	s, err = client.AddScheduler(t.Context(), 100)
	require.ErrorIs(t, err, erp.ErrConflict)
	require.ErrorIs(t, err, erp.ErrExists)
	require.NotNil(t, s, "the response to a conflict is the scheduler")
	assert.Equal(t, "Started", s.State)
	_, err = client.Scheduler(t.Context(), 100)
	require.NoError(t, err)
	_, err = client.RemoveScheduler(t.Context(), 100)
	require.NoError(t, err)
	assert.Equal(t, "DELETE", rec.last(t).Method)
	_, err = client.Scheduler(t.Context(), 0)
	require.ErrorIs(t, err, erp.ErrInvalid)
	_, client = serve(t, always(409, `{"title":"Other","status":409}`))
	s, err = client.AddScheduler(t.Context(), 100)
	require.ErrorIs(t, err, erp.ErrConflict)
	assert.Nil(t, s)
}

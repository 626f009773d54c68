package erp_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	rec, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("key") == "down":
			respond(w, 503, `{"status":"DOWN","database":"disconnected"}`)
		case r.URL.Query().Get("key") == "proxy":
			w.WriteHeader(503)
			_, _ = io.WriteString(w, "<html>maintenance</html>")
		case r.URL.Query().Get("key") == "wrong":
			w.WriteHeader(401)
		default:
			respond(w, 200, `{"status":"UP","database":"connected"}`)
		}
	})
	health, err := client.Health(t.Context(), &erp.HealthOptions{Database: true})
	require.NoError(t, err)
	assert.True(t, health.Up())
	assert.Equal(t, "/api/v1/health?db=true", rec.last(t).URI)
	before := len(rec.seen())
	health, err = client.Health(t.Context(), &erp.HealthOptions{Key: "down"})
	require.NoError(t, err, "a server that says it is down has responded")
	assert.False(t, health.Up())
	assert.Len(t, rec.seen(), before+1, "and is not called again")
	_, err = client.Health(t.Context(), &erp.HealthOptions{Key: "proxy"})
	require.ErrorIs(t, err, erp.ErrUnavailable)
	_, err = client.Health(t.Context(), &erp.HealthOptions{Key: "wrong"})
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	_, client = serve(t, always(200, `{"status":"pass"}`))
	_, err = client.Health(t.Context(), nil)
	require.ErrorIs(t, err, erp.ErrBadResponse)
}

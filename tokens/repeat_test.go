package tokens_test

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// A login is sent again when the first attempt met a busy server or a broken
// connection, as a reading is; what the server decided is not asked again, and a
// refresh token is sent once whatever happens.
func TestLoginIsRepeated(t *testing.T) {
	t.Parallel()
	success := say(200, `{"token":"`+valid+`","refresh_token":"r"}`)
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"token":"CANARYtoken`)
		panic(http.ErrAbortHandler)
	}
	after := func(seconds string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", seconds)
			say(503, ``)(w, r)
		}
	}
	tests := map[string]struct {
		first http.HandlerFunc
		sent  int
		is    error
	}{
		"502":                     {say(502, ``), 2, nil},
		"503":                     {say(503, ``), 2, nil},
		"504":                     {say(504, ``), 2, nil},
		"429":                     {say(429, ``), 2, nil},
		"503 for a moment":        {after("0"), 2, nil},
		"503 for an hour":         {after("3600"), 1, tokens.ErrUnreachable},
		"connection broken":       {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 2, nil},
		"half a response":         {half, 2, nil},
		"401":                     {say(401, ``), 1, tokens.ErrAuthentication},
		"404":                     {say(404, ``), 1, tokens.ErrUnreachable},
		"500":                     {say(500, ``), 1, tokens.ErrUnreachable},
		"a page for a response":   {say(200, `<html>`), 1, tokens.ErrUnreachable},
		"a redirect to elsewhere": {say(307, ``), 1, tokens.ErrUnreachable},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, stored := range []tokens.Stored{{}, {Access: tokens.NewSecret(expired), Refresh: tokens.NewSecret("CANARYrefresh")}} {
				var attempts atomic.Int64
				srv := newScript(t, func(w http.ResponseWriter, r *http.Request) {
					if attempts.Add(1) == 1 {
						tt.first(w, r)
						return
					}
					success(w, r)
				})
				opts := []tokens.Option{tokens.WithStore(tokens.NewMemoryStore(stored)), tokens.WithClock(fixed)}
				if stored.IsZero() {
					opts = append(opts, tokens.WithCredentials(user))
				}
				m, err := tokens.NewManager(srv.URL, opts...)
				require.NoError(t, err)
				_, err = m.Token(t.Context())
				if !stored.IsZero() {
					require.Error(t, err)
					assert.Len(t, srv.requests(), 1, "a refresh token is sent once")
					continue
				}
				require.ErrorIs(t, err, tt.is)
				assert.Len(t, srv.requests(), tt.sent)
			}
		})
	}
}

// A server that is away for good ends the login after some attempts.
func TestLoginGivesUp(t *testing.T) {
	t.Parallel()
	srv := newScript(t, say(503, ``))
	m, err := tokens.NewManager(srv.URL, tokens.WithCredentials(user))
	require.NoError(t, err)
	require.ErrorIs(t, m.Ready(t.Context()), tokens.ErrUnreachable)
	assert.Len(t, srv.requests(), 4)
}

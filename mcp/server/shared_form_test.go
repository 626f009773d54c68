package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/redisconn"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

// What is in the place of a session, and is none that this version can read, is no
// session: its client begins anew, and is not told to try again for as long as it lives.
func TestSessionsInAnotherForm(t *testing.T) {
	t.Parallel()
	redis := testredis.Start(t)
	in := sharing(t, redis, 1, nil)[0]
	pool, err := redisconn.Open(redis.URL())
	require.NoError(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	do := func(command string, args ...any) any {
		got, err := pool.Do(t.Context(), command, args...)
		require.NoError(t, err)
		return got
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	const session, owner = "erphub:mcp:2:http-session:", "erphub:mcp:2:http-sessions:"
	for name, spoil := range map[string]func(id string){
		"another type":                func(id string) { do("DEL", session+id); do("SET", session+id, "x") },
		"a state that cannot be read": func(id string) { do("HSET", session+id, "data", "{") },
		"of another version":          func(id string) { do("RENAME", session+id, "erphub:mcp:1:http-session:"+id) },
	} {
		s := open(t, in, alice)
		in.sessions.mu.Lock()
		k := in.sessions.open[s.id]
		in.sessions.endLocked(k) // as in another process
		in.sessions.mu.Unlock()
		spoil(s.id)
		for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodPost} {
			assert.Equal(t, http.StatusNotFound, s.do(t, method, in, ping).StatusCode, "%s, %s", name, method)
		}
		again := open(t, in, alice)
		assert.Equal(t, http.StatusOK, again.post(t, in, ping).StatusCode, name)
	}
	s := open(t, in, alice)
	user := in.sessions.open[s.id].user
	do("DEL", owner+user)
	do("SET", owner+user, "x")
	assert.Equal(t, http.StatusOK, s.post(t, in, ping).StatusCode, "a list of sessions in another form is begun anew")
	assert.Equal(t, http.StatusOK, open(t, in, alice).post(t, in, ping).StatusCode)
}

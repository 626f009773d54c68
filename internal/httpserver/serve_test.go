package httpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is still running after its time is cut off, cancelled before where the
// server says so.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  Shutdown
		want string // what the client reads; empty: its connection was closed
		log  []string
	}{
		"at once":                {Shutdown{}, "", []string{"cut off"}},
		"after a while":          {Shutdown{Drain: 10 * time.Millisecond}, "", []string{"cut off", "running=1"}},
		"cancelled before":       {Shutdown{Drain: 10 * time.Millisecond, Cancel: time.Minute}, "stopped", []string{"cancelled"}},
		"requests have the time": {Shutdown{Drain: time.Minute}, "finished", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inside, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
			srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(left)
				close(inside)
				select {
				case <-leave:
					_, _ = io.WriteString(w, "finished")
				case <-r.Context().Done():
					_, _ = io.WriteString(w, "stopped")
				}
			})}
			ln, err := Listen(t.Context(), "127.0.0.1:0")
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			var log bytes.Buffer
			tt.end.Logger = slog.New(slog.NewTextHandler(&log, nil))
			tt.end.Running = func() int { return 1 }
			tt.end.Begin = func() {
				if tt.want == "finished" {
					close(leave)
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- Serve(ctx, ln, srv, tt.end) }()
			read := make(chan string, 1)
			go func() {
				resp, err := http.Get(URL(ln.Addr())) //nolint:noctx // the server ends it
				if err != nil {
					read <- ""
					return
				}
				defer resp.Body.Close()
				body, _ := io.ReadAll(resp.Body)
				read <- string(body)
			}()
			<-inside
			cancel()
			require.NoError(t, <-ended)
			assert.Equal(t, tt.want, <-read)
			<-left
			for _, text := range tt.log {
				assert.Contains(t, log.String(), text)
			}
			if tt.log == nil {
				assert.NotContains(t, log.String(), "WARN")
			}
			assert.Positive(t, srv.ReadHeaderTimeout)
			assert.Positive(t, srv.IdleTimeout)
		})
	}
}

func TestServeSaysThatItCannot(t *testing.T) {
	t.Parallel()
	ln, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	require.Error(t, Serve(t.Context(), ln, &http.Server{}, Shutdown{}))
}

func TestSlots(t *testing.T) {
	t.Parallel()
	s := NewSlots(3)
	assert.True(t, s.TryAcquire(0))
	assert.True(t, s.TryAcquire(2))
	assert.False(t, s.TryAcquire(2), "all or none")
	assert.Len(t, s, 2)
	assert.True(t, s.TryAcquire(1))
	assert.False(t, s.TryAcquire(1))
	s.Release(3)
	assert.Empty(t, s)
	assert.False(t, s.TryAcquire(4), "more than there are")
	assert.Empty(t, s)
}

func TestRecovered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		value    any
		want, up bool // recovered, panicked again
	}{
		"nothing": {nil, false, false},
		"text":    {"a bug", true, false},
		"error":   {errors.New("a bug"), true, false},
		"abort":   {http.ErrAbortHandler, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			got := false
			handle := func() {
				defer func() {
					got = Recovered(t.Context(), recover(), slog.New(slog.NewTextHandler(&log, nil)), "it panicked", "path", "/x")
				}()
				if tt.value != nil {
					panic(tt.value)
				}
			}
			if tt.up {
				assert.PanicsWithValue(t, tt.value, handle)
			} else {
				assert.NotPanics(t, handle)
			}
			assert.Equal(t, tt.want, got)
			if !tt.want {
				assert.Empty(t, log.String())
				return
			}
			for _, text := range []string{"it panicked", "path=/x", "a bug", "serve_test.go"} {
				assert.Contains(t, log.String(), text)
			}
		})
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	draining := make(chan struct{})
	broken := errors.New("no database")
	fails := func(ctx context.Context) error {
		_, bounded := ctx.Deadline()
		assert.True(t, bounded)
		return broken
	}
	state, err := Readiness(t.Context(), draining, nil)
	assert.Equal(t, StateReady, state)
	require.NoError(t, err)
	state, err = Readiness(t.Context(), draining, fails)
	assert.Equal(t, StateNotReady, state)
	require.ErrorIs(t, err, broken)
	close(draining)
	state, err = Readiness(t.Context(), draining, fails)
	assert.Equal(t, StateEnding, state)
	require.NoError(t, err)
}

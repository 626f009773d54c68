package keyring_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/keyring"
	"github.com/erphub/erphub/internal/testkit/testkeyring"
)

// One after the other, for the client of the bus is one per process: a keyring
// that works, that is locked, that hangs, that is gone.
func TestSecretService(t *testing.T) {
	service := testkeyring.Start(t)
	for _, kv := range service.Env {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv(name, value)
	}
	k := keyring.New(os.Getenv, 0)
	require.NoError(t, k.Available())
	ctx := t.Context()

	got, err := k.Get(ctx, "a")
	require.NoError(t, err)
	assert.Empty(t, got)
	require.NoError(t, k.Delete(ctx, "a"))
	large := strings.Repeat("CANARY", 500)
	require.NoError(t, k.Set(ctx, "a", "first"))
	require.NoError(t, k.Set(ctx, "a", large))
	require.NoError(t, k.Set(ctx, "b", "other"))
	for name, want := range map[string]string{"a": large, "b": "other"} {
		got, err = k.Get(ctx, name)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	require.NoError(t, k.Delete(ctx, "b"))
	got, err = k.Get(ctx, "b")
	require.NoError(t, err)
	assert.Empty(t, got)

	// Many at once take turns.
	ended := make(chan error)
	for range 8 {
		go func() { _, err := k.Get(ctx, "a"); ended <- err }()
	}
	for range 8 {
		require.NoError(t, <-ended)
	}

	service.Lock(t)
	_, err = k.Get(ctx, "a")
	require.ErrorContains(t, err, "reading from the system's keyring")
	require.Error(t, k.Set(ctx, "a", "CANARY"))

	service.Hang(t)
	short := keyring.New(os.Getenv, 50*time.Millisecond)
	err = short.Set(ctx, "a", "CANARY")
	require.ErrorIs(t, err, keyring.ErrTimeout)
	assert.NotContains(t, err.Error(), "CANARY")
	// What hangs is not waited for again and again.
	_, err = short.Get(ctx, "a")
	require.ErrorIs(t, err, keyring.ErrTimeout)
	ended2, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, keyring.New(os.Getenv, 0).Delete(ended2, "a"), context.Canceled)
}

func TestNoSession(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"nothing":        {},
		"no bus there":   {"XDG_RUNTIME_DIR": t.TempDir()},
		"a bus to start": {"DBUS_SESSION_BUS_ADDRESS": "autolaunch:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := keyring.New(func(name string) string { return env[name] }, 0)
			require.ErrorIs(t, k.Available(), keyring.ErrNone)
			_, err := k.Get(t.Context(), "a")
			require.ErrorIs(t, err, keyring.ErrNone)
			require.ErrorIs(t, k.Set(t.Context(), "a", "b"), keyring.ErrNone)
			require.ErrorIs(t, k.Delete(t.Context(), "a"), keyring.ErrNone)
		})
	}
}

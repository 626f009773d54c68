package filestore_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// memory is a keyring of this process, which fails when it is told to.
type memory struct {
	mu      sync.Mutex // guards what follows
	entries map[string]string
	fails   error
}

func (m *memory) Get(_ context.Context, name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[name], m.fails
}

func (m *memory) Set(_ context.Context, name, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return m.fails
	}
	if m.entries == nil {
		m.entries = map[string]string{}
	}
	m.entries[name] = secret
	return nil
}

func (m *memory) Delete(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails == nil {
		delete(m.entries, name)
	}
	return m.fails
}

var errLocked = errors.New("it is locked")

func pair(name string) tokens.Stored {
	return tokens.Stored{
		Access: tokens.NewSecret("access-" + name), Refresh: tokens.NewSecret("refresh-" + name), ClientID: 11, UserID: 101,
		Server: "http://" + name, Names: tokens.Names{Client: "GardenWorld", Role: "Admin"},
	}
}

func open(t *testing.T, path string, opts ...filestore.Option) *filestore.Store {
	t.Helper()
	s, err := filestore.Open(path, opts...)
	require.NoError(t, err)
	return s
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// A login goes from the file to the keyring and back; what it is, stays, and it is
// in one place only.
func TestKeyring(t *testing.T) {
	t.Parallel()
	path, ring, ctx := filepath.Join(t.TempDir(), "config.yaml"), &memory{}, t.Context()
	plain := open(t, path, filestore.WithKeyring(ring))
	require.NoError(t, plain.Save(ctx, pair("a")))
	assert.Empty(t, ring.entries, "without a word it stays where it was")
	assert.NotContains(t, plain.Location(), "keyring")

	moving := open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InKeyring))
	require.NoError(t, moving.Save(ctx, pair("b")))
	assert.Len(t, ring.entries, 1)
	assert.NotContains(t, text(t, path), "access-")
	assert.NotContains(t, text(t, path), "refresh-")
	assert.Contains(t, text(t, path), "token.clientName: GardenWorld", "what may be shown, without a look into the keyring")
	assert.Contains(t, plain.Location(), "the system's keyring, for "+path)
	for _, s := range []*filestore.Store{plain, moving} {
		got, err := s.Load(ctx)
		require.NoError(t, err)
		assert.Equal(t, pair("b"), got)
	}

	// A refresh does not move it; the mark is in the file, for it changes with it.
	marked := pair("b")
	marked.Refreshing = "fingerprint"
	require.NoError(t, plain.Save(ctx, marked))
	got, err := plain.Load(ctx)
	require.NoError(t, err)
	assert.Equal(t, marked, got)
	assert.NotContains(t, strings.Join(values(ring.entries), ""), "fingerprint")
	require.NoError(t, plain.Save(ctx, pair("c")))
	assert.Len(t, ring.entries, 1)

	// Without a keyring it cannot be used, and says so.
	blind := open(t, path)
	_, err = blind.Load(ctx)
	require.ErrorIs(t, err, filestore.ErrInKeyring)
	require.ErrorIs(t, blind.Save(ctx, pair("d")), filestore.ErrInKeyring)
	require.ErrorIs(t, blind.Save(ctx, tokens.Stored{}), filestore.ErrInKeyring)

	// A token that somebody writes into the file by hand is used.
	require.NoError(t, config.NewFile(path).Update(ctx, func(d *config.Document) error { return d.Set("", "token", "by-hand") }))
	got, err = plain.Load(ctx)
	require.NoError(t, err)
	assert.Equal(t, "by-hand", got.Access.Reveal())

	require.NoError(t, open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InFile)).Save(ctx, pair("e")))
	assert.Empty(t, ring.entries)
	got, err = blind.Load(ctx)
	require.NoError(t, err)
	assert.Equal(t, pair("e"), got)

	require.NoError(t, moving.Save(ctx, pair("f")))
	require.NoError(t, plain.Save(ctx, tokens.Stored{}))
	assert.Empty(t, ring.entries)
	assert.Equal(t, "version: 1\n", text(t, path))
}

func values(m map[string]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// What the keyring refuses changes nothing, unless it may go into the file.
func TestKeyringRefuses(t *testing.T) {
	t.Parallel()
	path, ring, ctx := filepath.Join(t.TempDir(), "config.yaml"), &memory{}, t.Context()
	strict := open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InKeyring))
	require.NoError(t, strict.Save(ctx, pair("a")))
	before := text(t, path)
	ring.fails = errLocked
	for name, st := range map[string]tokens.Stored{"a new pair": pair("b"), "a removal": {}} {
		err := strict.Save(ctx, st)
		require.ErrorIs(t, err, errLocked, name)
		assert.NotContains(t, err.Error(), "access-")
		assert.Equal(t, before, text(t, path), name)
	}
	_, err := strict.Load(ctx)
	require.ErrorIs(t, err, errLocked)
	assert.ErrorContains(t, err, "--store file")

	// Who replaces it need not read it.
	var said []error
	either := open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InKeyring), filestore.OrInFile(func(err error) { said = append(said, err) }))
	for _, s := range []*filestore.Store{either, open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InFile))} {
		got, err := s.Load(ctx)
		require.NoError(t, err)
		assert.True(t, got.IsZero())
	}
	require.NoError(t, either.Save(ctx, pair("b")))
	require.Len(t, said, 1)
	require.ErrorIs(t, said[0], errLocked)
	got, err := open(t, path).Load(ctx)
	require.NoError(t, err)
	assert.Equal(t, pair("b"), got)

	// What is in there and is none of ours is not quoted.
	ring.fails = nil
	require.NoError(t, strict.Save(ctx, pair("c")))
	for name := range maps.Clone(ring.entries) {
		ring.entries[name] = "CANARY"
	}
	_, err = strict.Load(ctx)
	require.ErrorContains(t, err, "log in again")
	assert.NotContains(t, err.Error(), "CANARY")
	clear(ring.entries) // somebody has removed it
	got, err = strict.Load(ctx)
	require.NoError(t, err)
	assert.True(t, got.IsZero())
}

// A process that is killed between keyring and file leaves the old pair or the
// new one, whole: never the token of one server with the address of another.
func TestKilledBetweenKeyringAndFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		place filestore.Place
		next  tokens.Stored
		want  tokens.Stored
	}{
		"another login":        {filestore.InKeyring, pair("b"), pair("b")},
		"a login that is gone": {filestore.InPlace, tokens.Stored{}, tokens.Stored{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, ring, ctx := filepath.Join(t.TempDir(), "config.yaml"), &memory{}, t.Context()
			s := open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InKeyring))
			require.NoError(t, s.Save(ctx, pair("a")))
			before := text(t, path)
			require.NoError(t, open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(tt.place)).Save(ctx, tt.next))
			require.NoError(t, os.WriteFile(path, []byte(before), 0o600)) // the file was not written
			got, err := s.Load(ctx)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	// A first login: the file names nothing, or the pair.
	path, ring, ctx := filepath.Join(t.TempDir(), "config.yaml"), &memory{}, t.Context()
	s := open(t, path, filestore.WithKeyring(ring), filestore.SaveIn(filestore.InKeyring))
	require.NoError(t, open(t, path).Save(ctx, pair("a")))
	before := text(t, path)
	require.NoError(t, s.Save(ctx, pair("b")))
	require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
	got, err := s.Load(ctx)
	require.NoError(t, err)
	assert.Equal(t, pair("a"), got)
}

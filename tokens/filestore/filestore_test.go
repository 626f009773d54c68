package filestore_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

func TestSaveAndLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "config.yaml")
	full := tokens.Stored{Access: tokens.NewSecret("a.b.c"), Refresh: tokens.NewSecret("d.e.f"), ClientID: 0, UserID: 100,
		Server: "http://erp", Names: tokens.Names{Client: "GardenWorld", Role: "*", Organization: "HQ: 1", Warehouse: "# 1"}, Refreshing: "0123"}
	bare := tokens.Stored{Access: tokens.NewSecret("api"), Server: "http://erp"}
	def, err := filestore.Open(path)
	require.NoError(t, err)
	prod, err := filestore.Open(path, filestore.WithProfile("prod"))
	require.NoError(t, err)
	assert.Equal(t, path, def.Location())
	assert.Equal(t, path+" (profile prod)", prod.Location())

	got, err := prod.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.Stored{}, got)
	require.NoError(t, prod.Save(t.Context(), full))
	require.NoError(t, def.Save(t.Context(), bare))
	got, err = prod.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, full, got)
	got, err = def.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, bare, got)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, `profiles:
  prod:
    token: a.b.c
    refreshToken: d.e.f
    token.clientId: 0
    token.userId: 100
    token.url: http://erp
    token.clientName: GardenWorld
    token.roleName: '*'
    token.orgName: 'HQ: 1'
    token.warehouseName: '# 1'
    token.refreshing: "0123"
version: 1
token: api
token.url: http://erp
`, string(text))

	// Removing leaves the rest alone.
	require.NoError(t, config.NewFile(path).Update(t.Context(), func(d *config.Document) error { return d.Set("prod", "auth.username", "me") }))
	require.NoError(t, prod.Save(t.Context(), tokens.Stored{}))
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "profiles:\n  prod:\n    auth.username: me\nversion: 1\ntoken: api\ntoken.url: http://erp\n", string(text))
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"garbage", "token: [CANARY", 0o600, "not valid YAML"},
		{"bad id", "token: CANARY\ntoken.clientId: CANARY", 0o600, "token.clientId in"},
		{"negative id", "token.userId: -1", 0o600, "token.userId in"},
		{"readable by others", "token: CANARY", 0o644, "chmod 600"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.mode != 0o600 && runtime.GOOS == "windows" {
				t.Skip("no such modes here")
			}
			path := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tt.text), tt.mode))
			s, err := filestore.Open(path)
			require.NoError(t, err)
			_, err = s.Load(t.Context())
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "CANARY")

			m, err := tokens.NewManager("http://localhost:1", tokens.WithStore(s))
			require.NoError(t, err)
			err = m.Ready(t.Context())
			require.ErrorContains(t, err, "read the stored token")
			assert.NotContains(t, err.Error(), "CANARY")
			// And nothing was overwritten.
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, tt.text, string(text))
		})
	}
}

// TestWithAddress: a login completes a profile that has no address, and
// changes none that there is.
func TestWithAddress(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, profile, want string }{
		{"nothing there", "", "", "url: http://erp\n"},
		{"another address", "url: http://other\n", "", "url: http://other\n"},
		{"a profile that inherits another", "url: http://other\n", "p", "    url: http://erp\n"},
		{"a profile that inherits the same", "url: http://erp\n", "p", "url: http://erp\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tt.before), 0o600))
			s, err := filestore.Open(path, filestore.WithProfile(tt.profile), filestore.WithAddress())
			require.NoError(t, err)
			require.NoError(t, s.Save(t.Context(), tokens.Stored{Access: tokens.NewSecret("api"), Server: "http://erp"}))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Contains(t, string(text), tt.want)
			urls := 1 // of tt.before or of the profile
			if tt.name == "a profile that inherits another" {
				urls = 2
			}
			assert.Equal(t, urls, strings.Count(string(text), " url: ")+strings.Count("\n"+string(text), "\nurl: "))
			require.NoError(t, s.Save(t.Context(), tokens.Stored{})) // logged out
			text, err = os.ReadFile(path)
			require.NoError(t, err)
			assert.Contains(t, string(text), tt.want, "the address stays")
		})
	}
}

func TestDefaultPath(t *testing.T) {
	t.Setenv("ERPHUB_CONFIG", "/somewhere/config.yaml")
	s, err := filestore.Open("")
	require.NoError(t, err)
	assert.Equal(t, "/somewhere/config.yaml", s.Location())
}

// TestKeysAgree: the settings of package tokens are keys of the file, with
// the same environment variables and defaults.
func TestKeysAgree(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	_, err := tokens.ParseSettings(func(key string) string {
		asked[key] = true
		return config.Resolver{}.Lookup(key)
	})
	require.NoError(t, err)
	for key := range asked {
		k, ok := config.Lookup(key)
		require.True(t, ok, key)
		assert.Equal(t, tokens.EnvironmentVariable(key), k.Env, key)
	}
	for _, k := range config.Keys() {
		if strings.HasPrefix(k.Name, "auth.") || k.Name == "url" || k.Name == "token" {
			assert.True(t, asked[k.Name], "package tokens does not read %s", k.Name)
		}
	}
	byDefault, err := tokens.FromEnvironment(func(string) string { return "" })
	require.NoError(t, err)
	resolved, err := tokens.ParseSettings(config.Resolver{}.Lookup)
	require.NoError(t, err)
	assert.Equal(t, byDefault, resolved)
}

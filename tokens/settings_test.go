package tokens_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

func env(kv map[string]string) func(string) string { return func(k string) string { return kv[k] } }

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	s, err := tokens.FromEnvironment(env(map[string]string{
		"ERP_URL": "https://erp.example.com", "ERP_USERNAME": "u", "ERP_PASSWORD": "p", "ERP_CLIENT_ID": "11",
		"ERP_ROLE_ID": "102", "ERP_ORG_ID": "50", "ERP_TOKEN": "t",
	}))
	require.NoError(t, err)
	assert.Equal(t, tokens.Login{Username: "u", Password: tokens.NewSecret("p"), Client: "11", Role: "102", Organization: "50"}, s.Credentials())
	assert.Equal(t, "t", s.Token.Reveal())
	assert.True(t, s.AutoLogin)

	// Ids are 0 unless set, and durations have their defaults.
	s, err = tokens.FromEnvironment(env(map[string]string{"ERP_USERNAME": "u", "ERP_PASSWORD": "p"}))
	require.NoError(t, err)
	assert.Equal(t, "0", s.Client)
	assert.Equal(t, "0", s.Role)
	assert.Equal(t, "0", s.Organization)
	assert.Equal(t, time.Hour, s.TokenLifetime)
	assert.Equal(t, 5*time.Minute, s.RefreshBuffer)

	for _, half := range []string{"ERP_USERNAME", "ERP_PASSWORD"} {
		_, err = tokens.FromEnvironment(env(map[string]string{half: "CANARY"}))
		require.ErrorContains(t, err, "belong together")
		assert.NotContains(t, err.Error(), "CANARY")
	}
}

func TestParseSettings(t *testing.T) {
	t.Parallel()
	s, err := tokens.ParseSettings(env(map[string]string{
		"url": "u", "token": "t", "auth.username": "n", "auth.password": "p", "auth.auto-login": "False",
		"auth.token-lifetime": "2h", "auth.refresh-buffer": "90s", "auth.default-client-id": "Garden",
		"auth.default-role-id": "r", "auth.default-org-id": "o",
	}))
	require.NoError(t, err)
	assert.Equal(t, tokens.Settings{URL: "u", Token: tokens.NewSecret("t"), Username: "n", Password: tokens.NewSecret("p"),
		Client: "Garden", Role: "r", Organization: "o", TokenLifetime: 2 * time.Hour, RefreshBuffer: 90 * time.Second}, s)

	// All that is wrong is said at once.
	_, err = tokens.ParseSettings(env(map[string]string{"auth.auto-login": "maybe", "auth.token-lifetime": "1", "auth.refresh-buffer": "-1m"}))
	require.Error(t, err)
	for _, want := range []string{"auth.auto-login is neither", "auth.token-lifetime is not", "auth.refresh-buffer is not"} {
		assert.ErrorContains(t, err, want)
	}
	assert.Equal(t, "ERP_ORG_ID", tokens.EnvironmentVariable("auth.default-org-id"))
	assert.Empty(t, tokens.EnvironmentVariable("auth.auto-login"))
	assert.Empty(t, tokens.EnvironmentVariable("nonsense"))
}

// TestSourceRules is the table of the environment rules.
func TestSourceRules(t *testing.T) {
	t.Parallel()
	base := tokens.Settings{URL: "http://localhost:8080", AutoLogin: true}
	with := func(change func(*tokens.Settings)) tokens.Settings { s := base; change(&s); return s }
	tests := []struct {
		name  string
		s     tokens.Settings
		store tokens.Store
		want  any
	}{
		{"user and password: manager", with(func(s *tokens.Settings) { s.Username, s.Password = "u", tokens.NewSecret("p") }), nil, (*tokens.Manager)(nil)},
		{"they win over a token", with(func(s *tokens.Settings) {
			s.Username, s.Password, s.Token = "u", tokens.NewSecret("p"), tokens.NewSecret("t")
		}), nil, (*tokens.Manager)(nil)},
		{"only a token: as it is", with(func(s *tokens.Settings) { s.Token = tokens.NewSecret("t") }), nil, (*tokens.StaticSource)(nil)},
		{"a token wins over the store", with(func(s *tokens.Settings) { s.Token = tokens.NewSecret("t") }), &tokens.MemoryStore{}, (*tokens.StaticSource)(nil)},
		{"a user name alone does not count", with(func(s *tokens.Settings) { s.Username, s.Token = "u", tokens.NewSecret("t") }), nil, (*tokens.StaticSource)(nil)},
		{"a store: manager", base, &tokens.MemoryStore{}, (*tokens.Manager)(nil)},
		{"nothing: no authentication", base, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.s.Source(tt.store)
			require.NoError(t, err)
			if tt.want == nil {
				assert.True(t, got == nil, "%T", got)
				return
			}
			assert.IsType(t, tt.want, got)
		})
	}
}

func TestStatic(t *testing.T) {
	t.Parallel()
	src, err := tokens.Static(tokens.NewSecret("abc"))
	require.NoError(t, err)
	got, err := src.Token(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "abc", got)
	for _, bad := range []string{"", "CANARY x", "CANARY\n", "CANARYä", "\x00CANARY"} {
		_, err := tokens.Static(tokens.NewSecret(bad))
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "CANARY")
	}
}

func TestNewManagerRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, address string
		opt           tokens.Option
		want          string
	}{
		{"no address", "", nil, "set ERP_URL"},
		{"no scheme", "erp.example.com", nil, "must look like"},
		{"other scheme", "ftp://erp.example.com", nil, "must look like"},
		{"a password in it", "https://u:CANARY@erp.example.com", nil, "must not contain a user name"},
		{"a query", "https://erp.example.com?token=CANARY", nil, "must end with its path"},
		{"not parseable", "https://CANARY\x00", nil, "must look like"},
		{"nil store", "http://x", tokens.WithStore(nil), "must not be nil"},
		{"nil client", "http://x", tokens.WithHTTPClient(nil), "must not be nil"},
		{"nil clock", "http://x", tokens.WithClock(nil), "must not be nil"},
		{"negative buffer", "http://x", tokens.WithRefreshBuffer(-1), "refresh buffer"},
		{"no lifetime", "http://x", tokens.WithTokenLifetime(0), "token lifetime"},
		{"negative hold-off", "http://x", tokens.WithHoldOff(-1), "hold-off"},
		{"no timeout", "http://x", tokens.WithRefreshTimeout(0), "refresh timeout"},
		{"no user", "http://x", tokens.WithCredentials(tokens.Login{Password: tokens.NewSecret("CANARY")}), "user name"},
		{"no password", "http://x", tokens.WithCredentials(tokens.Login{Username: "u"}), "password"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var opts []tokens.Option
			if tt.opt != nil {
				opts = append(opts, tt.opt)
			}
			_, err := tokens.NewManager(tt.address, opts...)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "CANARY")
		})
	}
}

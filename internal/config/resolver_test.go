package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
)

func TestResolver(t *testing.T) {
	t.Parallel()
	d := parse(t, "url: http://top\nhub.artifacts.default-ttl-minutes: 5\ntoken: top-token\nprofiles: {p: {url: http://p, auth.username: ''}, bare: {colour: green}}\n")
	env := map[string]string{"ERP_USERNAME": "", "ERP_TOKEN": "env-token"}
	tests := []struct {
		name  string
		flags map[string]string
		env   map[string]string
		in    string // profile
		key   string
		want  string
		from  config.Origin
	}{
		{"flag wins", map[string]string{"url": "http://flag"}, map[string]string{"ERP_URL": "http://env"}, "p", "url", "http://flag", config.FromFlag},
		{"an empty flag wins, too", map[string]string{"url": ""}, map[string]string{"ERP_URL": "http://env"}, "p", "url", "", config.FromFlag},
		{"then the environment", nil, map[string]string{"ERP_URL": "http://env"}, "p", "url", "http://env", config.FromEnv},
		{"then the profile", nil, env, "p", "url", "http://p", config.FromProfile},
		{"the default profile", nil, env, "", "url", "http://top", config.FromProfile},
		{"a profile without an address has the default profile's", nil, env, "bare", "url", "http://top", config.FromProfile},
		{"a profile without a token has none", nil, nil, "bare", "token", "", config.Unset},
		{"then the default", nil, env, "p", "hub.artifacts.default-ttl-minutes", "60", config.FromDefault},
		{"empty values count as unset", nil, env, "p", "auth.username", "", config.Unset},
		{"environment without file", nil, env, "p", "token", "env-token", config.FromEnv},
		{"unknown key", nil, env, "p", "colour", "", config.Unset},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := config.Resolver{Flags: tt.flags, Getenv: func(k string) string { return tt.env[k] }, Document: d, Profile: tt.in}
			v := r.Value(tt.key)
			assert.Equal(t, tt.want, v.Text())
			assert.Equal(t, tt.from, v.Origin)
			assert.Equal(t, tt.want, r.Lookup(tt.key))
		})
	}
	assert.Equal(t, "1h", config.Resolver{}.Lookup("auth.token-lifetime"))
}

func TestValueHidesSecrets(t *testing.T) {
	t.Parallel()
	const canary = "CANARYsecret"
	v := config.Resolver{Flags: map[string]string{"auth.password": canary}}.Value("auth.password")
	type inside struct{ v config.Value }
	data, err := json.Marshal(map[string]any{"v": v})
	require.NoError(t, err)
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v, "in", inside{v})
	all := fmt.Sprintf("%v %+v %#v %s %q %d %x %v %+v %#v", v, v, v, v, v, v, v, inside{v}, &inside{v}, inside{v}) + string(data) + b.String() + v.String()
	assert.NotContains(t, all, canary)
	assert.NotContains(t, all, fmt.Sprintf("%x", canary))
	assert.Contains(t, all, "[redacted]")
	assert.Equal(t, canary, v.Text())
}

func TestKeys(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range config.Keys() {
		assert.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		assert.NotEmpty(t, k.About, k.Name)
		if k.Default != "" {
			assert.NoError(t, k.Check(k.Default))
		}
	}
	tests := []struct{ name, key, value, want string }{
		{"number", "token.userId", "x", "whole number"},
		{"negative", "token.userId", "-1", "whole number"},
		{"boolean", "auth.auto-login", "yes", "neither true nor false"},
		{"duration", "auth.refresh-buffer", "5", "not a duration"},
		{"negative duration", "auth.refresh-buffer", "-5m", "not a duration"},
		{"line break in a secret", "auth.password", "CANARY\n", "control character"},
		{"a word for an address", "url", "foo", "url must begin with the scheme http:// or https://"},
		{"another protocol", "url", "ftp://erp.example.com", "must begin with the scheme"},
		{"no host", "url", "http://", "has no host"},
		{"empty", "url", "", "must begin with the scheme"},
		{"a password in an address", "url", "http://me:CANARY@erp.example.com", "must not contain a user name or password"},
		{"a query in an address", "url", "http://erp.example.com/?x=CANARY", "must end with its path"},
		{"a port that is none", "url", "http://erp.example.com:0", "has a port"},
		{"an address", "url", "https://erp.example.com:8443/erp", ""},
		{"no such mode", "hub.generator.output-mode", "pigeon", `"pigeon" is none of filesystem, archive, url`},
		{"a mode in capitals", "hub.generator.output-mode", "URL", "is none of"},
		{"a mode", "hub.generator.output-mode", "url", ""},
		{"no such encryption", "hub.email.smtp-security", "ssl", "is none of starttls, tls, none"},
		{"no such forge", "hub.repository.kind", "svn", "is none of github, gitea"},
		{"no such port", "hub.email.smtp-port", "70000", "is not a port"},
		{"negative id", "auth.default-client-id", "-1", "ids are whole numbers of 0 or more"},
		{"fraction of an id", "auth.default-org-id", "1.5", "ids are whole numbers"},
		{"id too large", "auth.default-role-id", "99999999999", "ids are whole numbers"},
		{"id", "auth.default-role-id", "0", ""},
		{"id by name", "auth.default-role-id", "GardenWorld Admin", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k, err := config.Known(tt.key)
			require.NoError(t, err)
			err = k.Check(tt.value)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), "CANARY")
		})
	}
	_, err := config.Known("auth.userName")
	require.ErrorContains(t, err, "did you mean auth.username")
	_, err = config.Known("username")
	require.ErrorContains(t, err, "did you mean auth.username")
	_, err = config.Known("nonsense.")
	require.ErrorContains(t, err, "config list")
}

// A variable that others may have set for something else changes nothing: each begins
// with the name of the product or of the ERP, or is the specification's or the object
// store's own.
func TestVariablesBelongToTheProgram(t *testing.T) {
	t.Parallel()
	others := []string{
		"AI_API_URL", "AI_API_TOKEN", "AI_ROLE_ID", "BACKEND", "GENERATOR_OUTPUT_MODE", "ARTIFACTS_BASE_URL", "ARTIFACTS_TTL", "SMTP_HOST", "EMAIL_FROM",
		"AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	}
	names := []string{}
	for _, v := range config.Variables() {
		names = append(names, v.Name)
	}
	for _, k := range config.Keys() {
		names = append(names, k.Env)
	}
	for _, name := range names {
		if name != "" && !slices.Contains(others, name) {
			assert.Regexp(t, "^(ERPHUB|ERP)_", name)
		}
	}
}

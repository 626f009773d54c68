package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// listener is a server that accepts no login and keeps what it was sent.
type listener struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		l.mu.Lock()
		l.sent = append(l.sent, r.Header.Get("Authorization")+string(body))
		l.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(l.Close)
	return l
}

// took returns what was sent since the last call.
func (l *listener) took() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent := strings.Join(l.sent, "\n")
	l.sent = nil
	return sent
}

// source is a place that settings come from: what it says of a login, each value
// with the name of the source in it.
type source struct {
	name                                   string
	url, user, password, token, parameters bool
}

// id is the tenant, role and organization of a source, which no other source has.
func (s source) id() string {
	return map[string]string{"flag": "71", "env": "72", "profile": "73"}[s.name]
}

// all returns every source of that name which says one of the given things about
// a login, with and without an address and parameters.
func (s source) all(logins ...string) []source {
	var all []source
	for _, login := range logins {
		for bits := range 4 {
			v := source{name: s.name, url: bits&1 != 0, parameters: bits&2 != 0}
			v.user, v.password, v.token = strings.Contains(login, "user"), strings.Contains(login, "password"), strings.Contains(login, "token")
			all = append(all, v)
		}
	}
	return all
}

func (s source) String() string {
	return fmt.Sprintf("%s{url:%t user:%t password:%t token:%t parameters:%t}", s.name, s.url, s.user, s.password, s.token, s.parameters)
}

// Whatever flags, variables and profile say together: a password or token is sent to
// no other address than that of its source, and with no tenant, role or organization
// of another.
func TestLoginOfOneSource(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	at := map[string]*listener{"flag": newListener(t), "env": newListener(t), "profile": newListener(t)}
	dir := t.TempDir()
	tokenFile := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(tokenFile, []byte("flag-token"), 0o600))
	logins := 0
	for _, flag := range (source{name: "flag"}).all("", "token") {
		if flag.parameters {
			continue // no flag of all commands gives any
		}
		for _, env := range (source{name: "env"}).all("", "user password", "user", "password", "token", "user password token") {
			for _, profile := range (source{name: "profile"}).all("", "user password", "user", "token") {
				config := filepath.Join(dir, "config.yaml")
				require.NoError(t, os.WriteFile(config, []byte(profile.yaml(at["profile"].URL)), 0o600))
				environ := append(env.environ(at["env"].URL), "ERPHUB_CONFIG="+config)
				args := []string{"erphub"}
				if flag.url {
					args = append(args, "--url", at["flag"].URL)
				}
				if flag.token {
					args = append(args, "--token-file", tokenFile)
				}
				var printed bytes.Buffer
				code := execute(t.Context(), append(args, "record", "list", "AD_Org"), environ, shell.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed})
				name := fmt.Sprintf("%v, %v, %v: exit code %d: %s", flag, env, profile, code, &printed)
				assert.NotContains(t, printed.String(), "-password", name)
				assert.NotContains(t, printed.String(), "-token ", name)
				for where, l := range at {
					sent := l.took()
					for _, from := range []source{flag, env, profile} {
						if !strings.Contains(sent, from.name+"-password") && !strings.Contains(sent, from.name+"-token") {
							continue
						}
						logins++
						if from.url {
							assert.Equal(t, from.name, where, "a login was sent to another address: %s", name)
						}
						assert.True(t, from.url || from.name != "profile", "a profile without an address sent its login: %s", name)
						for _, other := range []source{flag, env, profile} {
							if other.name != from.name {
								assert.NotContains(t, sent, other.name+"-", name)
								assert.NotContains(t, sent, other.id(), name)
							}
						}
						if from.parameters && strings.Contains(sent, from.name+"-password") {
							assert.Contains(t, sent, `"roleId":`+from.id(), name)
						}
					}
				}
			}
		}
	}
	assert.Greater(t, logins, 100, "most combinations that are complete log in")
}

func (s source) environ(url string) []string {
	var env []string
	set := func(given bool, name, value string) {
		if given {
			env = append(env, name+"="+value)
		}
	}
	set(s.url, "ERP_URL", url)
	set(s.user, "ERP_USERNAME", "env-user")
	set(s.password, "ERP_PASSWORD", "env-password")
	set(s.token, "ERP_TOKEN", "env-token")
	for _, name := range []string{"ERP_CLIENT_ID", "ERP_ROLE_ID", "ERP_ORG_ID"} {
		set(s.parameters, name, s.id())
	}
	return env
}

func (s source) yaml(url string) string {
	var b strings.Builder
	set := func(given bool, key, value string) {
		if given {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	set(s.url, "url", url)
	set(s.user, "auth.username", "profile-user")
	set(s.password, "auth.password", "profile-password")
	set(s.token, "token", "profile-token")
	for _, key := range []string{"auth.default-client-id", "auth.default-role-id", "auth.default-org-id"} {
		set(s.parameters, key, s.id())
	}
	return b.String()
}

// What is refused says whose login it is, where it belongs, and what to do.
func TestLoginElsewhere(t *testing.T) {
	t.Parallel()
	erp, other := newListener(t), newListener(t)
	profile := "profiles: {garden: {url: " + erp.URL + ", auth.username: u, auth.password: profile-password, auth.default-role-id: 102}}\n"
	tests := map[string]struct {
		env    []string
		args   []string
		code   int
		says   string
		atErp  string // what is sent there
		silent bool   // nothing is sent
	}{
		"another address by flag": {nil, []string{"--url", other.URL, "--profile", "garden", "record", "list", "AD_Org"}, 3,
			"the login of profile garden is for " + erp.URL + ", and the request goes to " + other.URL + " (--url); set ERP_USERNAME and ERP_PASSWORD, or add a profile", "", true},
		"another address by variable": {[]string{"ERP_URL=" + other.URL}, []string{"--profile", "garden", "record", "list", "AD_Org"}, 3, "(ERP_URL)", "", true},
		"logging in there":            {nil, []string{"--url", other.URL, "--profile", "garden", "auth", "login"}, 3, "the login of profile garden is for " + erp.URL, "", true},
		"the same address in other words": {[]string{"ERP_URL=" + erp.URL + "/api/v1/"}, []string{"--profile", "garden", "record", "list", "AD_Org"}, 3,
			"the server responded with 401", `"roleId":102`, false},
		"a user of the environment has no role of the profile": {[]string{"ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"},
			[]string{"--profile", "garden", "record", "list", "AD_Org"}, 3, "the server responded with 401", `"roleId":0`, false},
		"a role alone": {[]string{"ERP_ROLE_ID=103"}, []string{"--profile", "garden", "record", "list", "AD_Org"}, 2,
			"the login is that of profile garden, and ERP_ROLE_ID would change a part of it: unset it, or set ERP_USERNAME and ERP_PASSWORD as well", "", true},
		"what needs no login": {nil, []string{"--url", other.URL, "--profile", "garden", "config", "get", "url"}, 0, other.URL, "", true},
	}
	for name, tt := range tests {
		config := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(config, []byte(profile), 0o600))
		var printed bytes.Buffer
		code := execute(t.Context(), append([]string{"erphub"}, tt.args...), append(tt.env, "ERPHUB_CONFIG="+config),
			shell.Streams{In: strings.NewReader(""), Out: &printed, Err: &printed})
		assert.Equal(t, tt.code, code, "%s: %s", name, &printed)
		assert.Contains(t, printed.String(), tt.says, name)
		assert.NotContains(t, printed.String(), "profile-password", name)
		sent := erp.took()
		assert.Empty(t, other.took(), name)
		assert.Equal(t, tt.silent, sent == "", "%s: %s", name, sent)
		assert.Contains(t, sent, tt.atErp, name)
		if sent != "" {
			assert.True(t, json.Valid([]byte(sent)), "%s: %s", name, sent)
		}
	}
}

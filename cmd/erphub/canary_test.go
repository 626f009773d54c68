package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// What is planted. The quote and the percent sign make each look different
// when it is escaped.
const (
	canaryPassword = `Canary"pass%word-7261`
	canaryToken    = "eyJhbGciOiJIUzUxMiJ9.eyJDYW5hcnkiOiI3MjYxIn0.Q2FuYXJ5LXRva2VuLTcyNjE"
	canaryRefresh  = "Canary-refresh-token-7261"
	canaryDatabase = "Canary-database-7261"
)

// spy stands before an embedded ERP, remembers every token that passes and
// responds as badly as its mode says.
type spy struct {
	erp *erptest.Server

	mu   sync.Mutex
	mode string
	seen map[string]bool
}

func (s *spy) set(mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

func (s *spy) note(secret string) {
	if len(secret) >= 16 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen[secret] = true
	}
}

func (s *spy) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []string{canaryPassword, canaryToken, canaryRefresh, canaryDatabase}
	for secret := range s.seen {
		list = append(list, secret)
	}
	return list
}

func (s *spy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.note(bearer)
	s.mu.Lock()
	mode := s.mode
	s.mu.Unlock()
	login := strings.Contains(r.URL.Path, "/auth/")
	told := fmt.Sprintf("refused %s with %s", bearer, body)
	switch {
	case mode == "works", strings.HasPrefix(mode, "later") && login:
		rec := httptest.NewRecorder()
		s.erp.ServeHTTP(rec, r)
		var response struct {
			Token   string `json:"token"`
			Refresh string `json:"refresh_token"`
		}
		if login && json.Unmarshal(rec.Body.Bytes(), &response) == nil {
			s.note(response.Token)
			s.note(response.Refresh)
		}
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	case strings.HasSuffix(mode, "html"):
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "<html><body>%s</body></html>", told)
	case strings.HasSuffix(mode, "redirect"):
		w.Header().Set("Location", "http://127.0.0.1:1/?token="+url.QueryEscape(bearer+string(body)))
		w.WriteHeader(http.StatusFound)
	case strings.HasSuffix(mode, "broken"):
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"token": %q, "refresh_token": %q, "x": `, canaryToken, canaryRefresh)
	default: // "401", "400", "500", also after "later "
		status := map[string]int{"401": 401, "400": 400, "500": 500}[mode[len(mode)-3:]]
		text, _ := json.Marshal(map[string]any{"title": told, "status": status, "detail": told})
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}
}

// forms are the ways a secret may be written.
func forms(secret string) []string {
	quoted, _ := json.Marshal(secret)
	return []string{
		secret, strings.Trim(string(quoted), `"`), strings.Trim(fmt.Sprintf("%q", string(quoted)), `"`),
		url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		fmt.Sprint([]byte(secret)),
	}
}

// TestNothingPrintsASecret runs the commands with secrets at every place that
// takes one, against servers that send back what they were sent, and looks
// through all that is printed, requests logged.
func TestNothingPrintsASecret(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands that the scripts run")
	}
	s := &spy{erp: erptest.New(t), mode: "works", seen: map[string]bool{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	passwordFile, tokenFile := write("password", canaryPassword), write("token", canaryToken+"\n")
	profile := func() string {
		return write("config.yaml", fmt.Sprintf("url: %s\ntoken: %s\nrefreshToken: %s\ntoken.clientId: 11\ntoken.userId: 101\nauth:\n  username: SuperUser\n  password: '%s'\n  pasword: '%[4]s'\n",
			srv.URL, canaryToken, canaryRefresh, canaryPassword))
	}
	environments := map[string][]string{
		"login":       {"ERP_USERNAME=SuperUser", "ERP_PASSWORD=System"},
		"wrong login": {"ERP_USERNAME=SuperUser", "ERP_PASSWORD=" + canaryPassword},
		"token":       {"ERP_TOKEN=" + canaryToken},
		"odd token":   {"ERP_TOKEN=" + canaryRefresh + "\r\nX-Injected: 1"},
		"profile":     {},
		"database":    {"ERP_TOKEN=" + canaryToken, "ERP_DATABASE_URL=postgres://u:" + canaryDatabase + "@127.0.0.1:1/x"},
		"address":     {"ERP_URL=http://u:" + canaryToken + "@127.0.0.1:1", "ERP_TOKEN=" + canaryToken},
		"odd address": {"ERP_URL=http://u:" + canaryToken + "@127.0.0.1:port/%zz", "ERP_TOKEN=" + canaryToken},
	}
	asking := [][]string{
		{"doctor"},
		{"record", "list", "C_BPartner", "--top", "1"},
		{"record", "create", "C_BPartner", "Value=1"},
		{"process", "run", "no-such-process"},
		{"auth", "refresh"},
		{"auth", "status"},
	}
	once := [][]string{
		{"--token-file", tokenFile, "record", "get", "C_BPartner", "118"},
		{"--token-file", dir, "record", "get", "C_BPartner", "118"},
		{"auth", "login", "--username", "SuperUser", "--password", canaryPassword},
		{"auth", "login", "--username", "SuperUser", "--password-file", passwordFile},
		{"auth", "login", "--username", "SuperUser", "--password", "-"},
		{"auth", "login", "--username", "SuperUser", canaryPassword},
		{"auth", "login", "--username", "SuperUser", "--pasword", canaryPassword},
		{"auth", "login", "--username", "SuperUser", "--pasword=" + canaryPassword},
		{"auth", "logout"},
		{"config", "--token", canaryToken},
		{"config", "--token", canaryToken, canaryRefresh},
		{"config", "--token", canaryToken + "\n" + canaryRefresh},
		{"config", "--token", "-"},
		{"config", "list"},
		{"profile", "list"},
		{"profile", "show"},
		{"profile", "rename", "default", "x"},
		{"config", "test"},
		{"config", "get", "token"},
		{"config", "get", "refreshToken"},
		{"config", "get", "auth.password"},
		{"config", "set", "auth.password", canaryPassword},
		{"config", "set", "token", canaryToken},
		{"config", "set", "auth.password", "-"},
		{"config", "set", "url", "http://u:" + canaryToken + "@127.0.0.1"},
		{"doctor", "--database", "postgres://u:" + canaryDatabase + "@127.0.0.1:1/x"},
		{"doctor", "--database", "host=127.0.0.1 port=1 password=" + canaryDatabase},
		{"doctor", "--database", "postgres://u:" + canaryDatabase + "@127.0.0.1:x/%zz"},
		{"add", "table", "XX_Canary", "--no-sync", "--checkpoint", filepath.Join(dir, "checkpoint.json")},
		{"record", "list", "No_Such_Table"},
		{"server", "health"},
		{"workflow", "list"},
		{"cache", "list"},
	}
	runs := 0
	run := func(mode, name string, args []string) string {
		s.set(mode)
		config := profile()
		environ := append([]string{"ERP_URL=" + srv.URL, "ERPHUB_CONFIG=" + config, "ERPHUB_TOKEN_STORE=file"}, environments[name]...)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var out bytes.Buffer
		execute(ctx, append([]string{"erphub", "--debug"}, args...), environ, shell.Streams{In: strings.NewReader(canaryPassword + "\n"), Out: &out, Err: &out})
		runs++
		text := out.String()
		for _, secret := range s.secrets() {
			for _, form := range forms(secret) {
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("%q, server %q, environment %q: a secret behind %q", args, mode, name, text[max(0, i-150):i])
				}
			}
		}
		return text
	}
	modes := []string{"works", "401", "400", "500", "html", "redirect", "broken", "later 400", "later html", "later redirect", "later broken"}
	for _, mode := range modes {
		for name := range environments {
			if mode != "works" && strings.HasPrefix(name, "odd ") {
				continue // nothing is sent
			}
			for i, args := range asking {
				run(mode, name, args)
				if mode == "works" || i == 0 {
					run(mode, name, slices.Concat([]string{"--json"}, args))
				}
			}
		}
		for _, name := range []string{"profile", "login"} {
			for _, args := range once {
				run(mode, name, args)
				if mode == "works" {
					run(mode, name, slices.Concat([]string{"--json"}, args))
				}
			}
		}
	}
	assert.Contains(t, run("works", "login", asking[1]), "/models/C_BPartner", "requests are logged, so this looks through something")
	assert.Greater(t, len(s.secrets()), 10, "real tokens have passed, too")
	t.Logf("%d runs", runs)
}

// TestDemoPrintsNoToken: the demo's passwords are known to everyone, the
// tokens its server signs are not.
func TestDemoPrintsNoToken(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	code := execute(t.Context(), []string{"erphub", "--debug", "demo"}, []string{"ERPHUB_CONFIG=" + filepath.Join(t.TempDir(), "c.yaml")},
		shell.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	require.Zero(t, code)
	assert.NotContains(t, out.String(), "eyJ")
	assert.Contains(t, out.String(), "level=DEBUG")
}

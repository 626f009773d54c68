//go:build unix

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const signingSecret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// signedFor is a token of a user, as the ERP makes them.
func signedFor(t *testing.T, user int) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "sub": "GardenAdmin", "exp": time.Now().Add(time.Hour).Unix(),
		"AD_Client_ID": 11, "AD_User_ID": user, "AD_Role_ID": 102, "AD_Org_ID": 11}).SignedString([]byte(signingSecret))
	require.NoError(t, err)
	return text
}

// servingAPI starts `erphub server api`, which keeps plugins in a folder. The ERP
// is away: tokens are checked without it.
func servingAPI(t *testing.T, artifacts string) (signal func(syscall.Signal), url string, end func() int) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(signingSecret), 0o600))
	ready := filepath.Join(t.TempDir(), "ready")
	cmd, _, end := servingIn(t, []string{"ERPHUB_ARTIFACTS_DIRECTORY=" + artifacts},
		"server", "api", "--url", "http://127.0.0.1:1", "--jwt-secret-file", secret, "--listen", "127.0.0.1:0", "--ready-file", ready)
	var started struct{ URL string }
	require.Eventually(t, func() bool { // what it says first may be about the ERP
		text, err := os.ReadFile(ready)
		return err == nil && json.Unmarshal(text, &started) == nil
	}, 20*time.Second, 5*time.Millisecond)
	return func(s syscall.Signal) { require.NoError(t, cmd.Process.Signal(s)) }, started.URL, end
}

// held is a request of which the server has a part.
type held struct {
	conn net.Conn
	rest string
	want string // in the response
}

// hold sends a request for a plugin but for the end of its body.
func hold(t *testing.T, base string, user int, accept, want string) *held {
	t.Helper()
	body := fmt.Sprintf(`{"artifactId":"com.example.held%d","output":"url"}`, user)
	u, err := url.Parse(base)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/generate/plugin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s", signedFor(t, user), accept, len(body), body[:10])
	require.NoError(t, err)
	return &held{conn, body[10:], want}
}

// release sends the rest and holds the response against what is wanted.
func (h *held) release(t *testing.T, when string) {
	t.Helper()
	_, err := io.WriteString(h.conn, h.rest)
	if !assert.NoError(t, err, when) {
		return
	}
	resp, err := http.ReadResponse(bufio.NewReader(h.conn), nil)
	if !assert.NoError(t, err, "%s: the request was cut off", when) {
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	assert.NoError(t, err, when)
	assert.Equal(t, http.StatusOK, resp.StatusCode, when)
	assert.Contains(t, string(text), h.want, when)
}

var openRequests = regexp.MustCompile(`(?m)^http_requests_open (\d+)`)

// Signals cut no request off: SIGHUP changes nothing, SIGTERM and SIGINT end the
// server when what it has begun is done.
func TestSignalsCutNothingOff(t *testing.T) {
	t.Parallel()
	for _, last := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(last.String(), func(t *testing.T) {
			t.Parallel()
			signal, base, end := servingAPI(t, t.TempDir())
			var requests []*held
			for user := range 6 {
				requests = append(requests, hold(t, base, 2*user+1, "application/json", `"download_url"`), hold(t, base, 2*user+2, "text/event-stream", "event: result"))
			}
			require.Eventually(t, func() bool { // and the one that asks
				m := openRequests.FindStringSubmatch(get(t, base+"/metrics"))
				n, _ := strconv.Atoi(m[1])
				return n > len(requests)
			}, 20*time.Second, 5*time.Millisecond)
			for range 3 {
				signal(syscall.SIGHUP)
			}
			for _, h := range requests[:6] {
				h.release(t, "after SIGHUP")
			}
			assert.Equal(t, "ok\n", get(t, base+"/healthz"))
			signal(last)
			host := strings.TrimPrefix(base, "http://")
			require.Eventually(t, func() bool {
				conn, err := net.Dial("tcp", host)
				return err != nil || conn.Close() != nil
			}, 20*time.Second, 5*time.Millisecond, "it stops listening")
			for _, h := range requests[6:] {
				h.release(t, "after "+last.String())
			}
			assert.Zero(t, end())
		})
	}
}

// The other servers ignore SIGHUP, too.
func TestServersIgnoreHangup(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(signingSecret), 0o600))
	for name, args := range map[string][]string{
		"sandbox":    {"sandbox"},
		"server mcp": {"server", "mcp", "--url", "http://127.0.0.1:1", "--jwt-secret-file", secret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ready := filepath.Join(t.TempDir(), "ready")
			cmd, _, end := serving(t, append(args, "--listen", "127.0.0.1:0", "--ready-file", ready)...)
			require.Eventually(t, func() bool {
				_, err := os.Stat(ready)
				return err == nil
			}, 20*time.Second, 5*time.Millisecond)
			require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			assert.Zero(t, end(), "it ends in order")
		})
	}
}

// get asks for a page.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url) //nolint:noctx // a page of a test's server
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}

// keptPlugin is a plugin that the server said it keeps.
type keptPlugin struct {
	user          int
	key, link, id string
}

// What the server said it keeps is there after kill -9, whole, and once for each
// key, while several clients ask.
func TestKilledServerKeepsWhatItPromised(t *testing.T) {
	t.Parallel()
	const rounds, clients, each = 3, 4, 6
	dir := t.TempDir()
	var mu sync.Mutex // guards kept
	var kept []keptPlugin
	for round := range rounds {
		signal, base, end := servingAPI(t, dir)
		for _, k := range kept {
			checkKept(t, base, k)
		}
		enough := make(chan struct{})
		var once sync.Once
		var all sync.WaitGroup
		for client := range clients {
			user := round*clients + client + 1
			token := signedFor(t, user)
			all.Go(func() {
				for n := range each {
					k := keptPlugin{user: user, key: fmt.Sprint("key", n), id: fmt.Sprintf("com.example.user%d.n%d", user, n)}
					for retry := range 2 {
						link, err := order(base, token, k)
						if err != nil {
							return // it is dead
						}
						if retry == 1 && !assert.Equal(t, k.link, link, "a retry gets the first response") {
							return
						}
						k.link = link
						mu.Lock()
						if retry == 0 {
							kept = append(kept, k)
						}
						if len(kept) >= (round+1)*clients*each/2 {
							once.Do(func() { close(enough) })
						}
						mu.Unlock()
					}
				}
			})
		}
		<-enough
		signal(syscall.SIGKILL)
		assert.NotZero(t, end())
		all.Wait()
	}
	_, base, _ := servingAPI(t, dir)
	links := map[string]bool{}
	for _, k := range kept {
		checkKept(t, base, k)
		assert.False(t, links[k.link], "each key has an artifact of its own")
		links[k.link] = true
	}
	stored, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	// What was stored when the server died, and not said any more, may be there.
	assert.GreaterOrEqual(t, len(stored), len(kept))
	assert.LessOrEqual(t, len(stored), len(kept)+rounds*clients)
}

// order asks for a plugin under a link.
func order(base, token string, k keptPlugin) (string, error) {
	req, err := http.NewRequest(http.MethodPost, base+"/api/generate/plugin", strings.NewReader(fmt.Sprintf(`{"artifactId":%q,"output":"url"}`, k.id))) //nolint:noctx // it ends with the server
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", k.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var receipt struct {
		Link string `json:"download_url"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&receipt); err != nil {
		return "", err
	}
	if receipt.Link == "" {
		return "", fmt.Errorf("%s: no link", resp.Status)
	}
	return receipt.Link, nil
}

// checkKept downloads a plugin from the server that runs now.
func checkKept(t *testing.T, base string, k keptPlugin) {
	t.Helper()
	link, err := url.Parse(k.link)
	require.NoError(t, err)
	data := get(t, base+link.Path)
	z, err := zip.NewReader(bytes.NewReader([]byte(data)), int64(len(data)))
	if !assert.NoError(t, err, k.id) {
		return
	}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, r) // which compares checksums
		assert.NoError(t, err, f.Name)
		assert.True(t, strings.HasPrefix(f.Name, k.id), "%s is of another plugin", f.Name)
	}
}

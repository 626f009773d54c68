package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/tokens"
)

// tokenSecret is what the tests sign tokens with.
const tokenSecret = "a secret of the ERP for signing tokens, long enough for HS512 to be content with it"

// signed is a token as the ERP makes them.
func signed(t testing.TB, user, role int) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{
		"sub": fmt.Sprint("user", user), "iss": tokens.DefaultIssuer, "exp": time.Now().Add(24 * time.Hour).Unix(), "iat": time.Now().UnixNano(),
		"AD_Client_ID": aitest.Tenant, "AD_User_ID": user, "AD_Role_ID": role, "AD_Org_ID": 0, "AD_Session_ID": 1000,
	}).SignedString([]byte(tokenSecret))
	require.NoError(t, err)
	return text
}

// overPostgres starts a binary of the program on a PostgreSQL database alone,
// with everything enabled.
func overPostgres(t testing.TB, binary string, args ...string) *program {
	t.Helper()
	address := aitest.Postgres(t)
	db, err := postgres.Open(t.Context(), address, nil)
	require.NoError(t, err)
	require.NoError(t, aiquery.Install(t.Context(), db))
	require.NoError(t, db.Close())
	file := filepath.Join(t.TempDir(), "database")
	require.NoError(t, os.WriteFile(file, []byte(address), 0o600))
	args = append([]string{"--database-file", file, "--toolsets", "all", "--calls-per-minute", "0"}, args...)
	// Files that tools made go after a minute, so that a soak sees them go; they would
	// stay for an hour, and take 20 MiB of each user, 64 of all.
	return measured(t, binary, []string{"ERP_TOKEN_SECRET=" + tokenSecret, "ARTIFACTS_TTL=1"}, args...)
}

// measured is runBinary of a program that tells its figures.
func measured(t testing.TB, binary string, env []string, args ...string) *program {
	t.Helper()
	p := runBinary(t, binary, env, append(args, "--metrics-listen", "127.0.0.1:0")...)
	where := regexp.MustCompile(`http://\S+/metrics`)
	require.Eventually(t, func() bool { // what it writes comes later than the ready file
		p.metrics = where.FindString(p.log.String())
		return p.metrics != ""
	}, time.Minute, time.Millisecond)
	return p
}

// rawClient speaks the protocol by hand, which is what a test with a thousand
// sessions can afford.
type rawClient struct {
	url, token string
	version    string // of the protocol; empty: 2025-11-25
	session    string
	http       *http.Client
}

// do sends a request and returns the status and the messages in the response.
func (c *rawClient) do(ctx context.Context, method string, body io.Reader) (int, []json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url+"/mcp", body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+c.token)
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("Mcp-Protocol-Version", c.protocol())
	}
	client := c.http
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(res.Body)
		return res.StatusCode, []json.RawMessage{text}, err
	}
	var messages []json.RawMessage
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			messages = append(messages, json.RawMessage(data))
		}
	}
	return res.StatusCode, messages, lines.Err()
}

func (c *rawClient) protocol() string {
	if c.version == "" {
		return "2025-11-25"
	}
	return c.version
}

// post sends one message, or a batch, and returns what is in the response.
func (c *rawClient) post(ctx context.Context, body string) ([]json.RawMessage, error) {
	status, messages, err := c.do(ctx, http.MethodPost, strings.NewReader(body))
	if err == nil && status >= 300 {
		err = fmt.Errorf("%.80s: status %d: %s", body, status, messages)
	}
	return messages, err
}

// open begins a session.
func (c *rawClient) open(ctx context.Context) error {
	c.session = ""
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, c.protocol())
	if _, err := c.post(ctx, body); err != nil {
		return err
	}
	if c.session == "" {
		return fmt.Errorf("the server gave no session")
	}
	_, err := c.post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return err
}

// drop ends the session.
func (c *rawClient) drop(ctx context.Context) error {
	status, text, err := c.do(ctx, http.MethodDelete, nil)
	if err == nil && status >= 300 {
		err = fmt.Errorf("ending a session: status %d: %s", status, text)
	}
	return err
}

// toolCall is the message that calls a tool.
func toolCall(id int, tool string, arguments args) string {
	raw, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		panic(err) // the tests write the arguments
	}
	return string(raw)
}

// figure is a number without labels among the metrics, and whether it is there.
func (p *program) figure(ctx context.Context, name string) (float64, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.metrics, nil)
	if err != nil {
		return 0, false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, false
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		var f float64
		if _, err := fmt.Sscanf(lines.Text(), name+" %g", &f); err == nil {
			return f, true
		}
	}
	return 0, false
}

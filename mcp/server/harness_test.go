package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

const secret = "a secret of the ERP for signing tokens, long enough for HS512 to be content with it"

// user is who a token of the tests stands for.
type user struct{ client, id, role, org int }

var (
	alice = user{11, 100, 102, 11}
	bob   = user{11, 200, 103, 11}
)

// token is one as the ERP signs them.
func (u user) token(t testing.TB) string {
	t.Helper()
	return u.tokenUntil(t, time.Now().Add(time.Hour))
}

func (u user) tokenUntil(t testing.TB, end time.Time) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{
		"sub": fmt.Sprintf("user%d", u.id), "iss": tokens.DefaultIssuer, "exp": end.Unix(), "iat": time.Now().UnixNano(),
		"AD_Client_ID": u.client, "AD_User_ID": u.id, "AD_Role_ID": u.role, "AD_Org_ID": u.org, "AD_Session_ID": 1000 + u.id,
	}).SignedString([]byte(secret))
	require.NoError(t, err)
	return text
}

// instance is a server that responds.
type instance struct {
	*Server
	url  string
	log  *syncbuffer.Buffer
	stop func() error // ends it and waits
}

// start serves with changes to what tests need.
func start(t testing.TB, change func(*Options, *mcp.BoundaryOptions)) *instance {
	t.Helper()
	in := &instance{log: &syncbuffer.Buffer{}}
	verifier, err := tokens.NewSecretVerifier([]byte(secret))
	require.NoError(t, err)
	metrics := NewMetrics()
	logger := slog.New(slog.NewTextHandler(in.log, nil))
	opts := Options{Catalog: testCatalog(), Verifier: verifier, Name: "test", Version: "1.0.0", Metrics: metrics, Logger: logger}
	limits := mcp.BoundaryOptions{Metrics: metrics.Boundary(), Logger: logger}
	if change != nil {
		change(&opts, &limits)
	}
	if opts.Boundary == nil {
		opts.Boundary, err = mcp.NewBoundary(&limits)
		require.NoError(t, err)
	}
	in.Server, err = New(opts)
	require.NoError(t, err)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	in.url = httpserver.URL(ln.Addr())
	in.serve(t, ln)
	return in
}

func (in *instance) serve(t testing.TB, ln net.Listener) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- in.Serve(ctx, ln) }()
	in.stop = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() { _ = in.stop() }) // tests of the end look at it
}

// bearer sends the token, which may change, with every request.
type bearer struct {
	mu    sync.Mutex
	token string
}

func (b *bearer) set(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.token = token
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	b.mu.Lock()
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	b.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// The ways to connect.
const (
	modernHTTP = "streamable, no sessions"
	legacyHTTP = "streamable, sessions"
	legacySSE  = "server-sent events"
)

// connect is a session of the SDK's client.
func (in *instance) connect(t testing.TB, how, token string, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return in.connectAs(t, how, &bearer{token: token}, opts)
}

func (in *instance) connectAs(t testing.TB, how string, b *bearer, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	cs, err := dial(t.Context(), in.url, how, b, opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() }) // the server may be gone first
	return cs
}

func dial(ctx context.Context, url, how string, b *bearer, opts *sdk.ClientOptions) (*sdk.ClientSession, error) {
	return dialWith(ctx, url, how, b, opts)
}

func dialWith(ctx context.Context, url, how string, rt http.RoundTripper, opts *sdk.ClientOptions) (*sdk.ClientSession, error) {
	client := &http.Client{Transport: rt}
	var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: client, MaxRetries: -1}
	version := "2025-11-25"
	switch how {
	case modernHTTP:
		version = modernVersion
	case legacySSE:
		transport = &sdk.SSEClientTransport{Endpoint: url + "/mcp/sse", HTTPClient: client}
	}
	return sdk.NewClient(&sdk.Implementation{Name: "go-test", Version: "1"}, opts).
		Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
}

// call is the result of a tool: its text, decoded if it is an error.
func call(t testing.TB, cs *sdk.ClientSession, name string, arguments any) (text string, failed *mcpError) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(t, err)
	require.Len(t, res.Content, 1)
	text = res.Content[0].(*sdk.TextContent).Text
	if res.IsError {
		failed = &mcpError{}
		require.NoError(t, json.Unmarshal([]byte(text), failed), text)
	}
	return text, failed
}

type mcpError struct {
	Code, Message, Hint string
	RetryAfterSeconds   int
}

// whoami is what the test tool of that name returns.
type whoami struct {
	ID      string `json:"id"`
	Role    int    `json:"role"`
	Token   string `json:"token"` // its signature: tests may know it
	Session string `json:"session"`
	Program string `json:"program"`
}

// testCatalog has small tools that exist in test binaries only.
func testCatalog() mcp.Catalog {
	type echo struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	read := mcp.Hints{ReadOnly: true, Idempotent: true}
	tools := mcp.Set{
		mcp.New(mcp.Tool{Name: "echo", Description: "Says what you say.", Sets: []string{"query"}, Hints: read},
			func(_ context.Context, _ *mcp.Call, in echo) (echo, error) { return in, nil }),
		mcp.New(mcp.Tool{Name: "whoami", Description: "Tells who calls.", Sets: []string{"query"}, Hints: read},
			func(_ context.Context, c *mcp.Call, _ struct{}) (whoami, error) {
				token := c.Caller.Token.Reveal()
				return whoami{c.Caller.ID, c.Caller.RoleID, token[strings.LastIndex(token, ".")+1:], c.Caller.Session, c.Caller.Program}, nil
			}),
		mcp.New(mcp.Tool{Name: "panic", Description: "Panics.", Sets: []string{"query"}, Hints: read},
			func(context.Context, *mcp.Call, struct{}) (any, error) { panic("boom") }),
		mcp.New(mcp.Tool{Name: "fail", Description: "Fails.", Sets: []string{"query"}, Hints: read},
			func(context.Context, *mcp.Call, struct{}) (any, error) {
				return nil, &mcp.Error{Code: mcp.CodeNotFound, Message: "no table C_Ordr", Hint: `did you mean "C_Order"?`}
			}),
		mcp.New(mcp.Tool{Name: "count", Description: "Counts, with progress.", Sets: []string{"query"}, Hints: read},
			func(_ context.Context, c *mcp.Call, _ struct{}) (any, error) {
				for i := range 3 {
					c.Progress(float64(i+1), 3, fmt.Sprintf("step %d", i+1))
					c.Progress(float64(i), 3, "backwards")
				}
				return map[string]int{"counted": 3}, nil
			}),
		mcp.New(mcp.Tool{Name: "big", Description: "Returns a lot.", Sets: []string{"query"}, Hints: read},
			func(context.Context, *mcp.Call, struct{}) (any, error) {
				return map[string]string{"text": strings.Repeat("x", 200_000)}, nil
			}),
		mcp.New(mcp.Tool{Name: "drop", Description: "Drops a table.", Sets: []string{"table"}, Hints: mcp.Hints{Destructive: true}, Confirms: true},
			func(ctx context.Context, c *mcp.Call, in struct {
				Table string `json:"table" jsonschema:"name of the table"`
			}) (map[string]any, error) {
				if err := c.Confirmed(ctx, mcp.Ask("Drop %s?", mcp.Name(in.Table))); err != nil {
					return nil, err
				}
				return map[string]any{"dropped": in.Table}, nil
			}),
	}
	return mcp.Catalog{
		Tools: tools, Instructions: "Ask whoami first.",
		Prompts: []mcp.Prompt{{
			Name: "explore", Description: "Explores a table.",
			Arguments: []mcp.PromptArgument{{Name: "table", Description: "name of the table", Required: true, Complete: complete}},
			Get: func(_ context.Context, _ *mcp.Call, a map[string]string) ([]mcp.Message, error) {
				if a["table"] == "PANIC" {
					panic("boom")
				}
				return []mcp.Message{{Content: mcp.Text("Describe " + a["table"])}, {Role: "assistant", Content: mcp.Text("Gladly.")}}, nil
			},
		}},
		Resources: []mcp.Resource{{
			URI: "erp://guide", Name: "guide", Description: "The guide.", MIMEType: "text/markdown",
			Read: func(context.Context, *mcp.Call) (mcp.ResourceContent, error) {
				return mcp.ResourceContent{Text: "# Guide"}, nil
			},
		}},
		Templates: []mcp.ResourceTemplate{{
			URITemplate: "erp://table/{table}", Name: "table", Description: "A table.", MIMEType: "application/json",
			Read: func(_ context.Context, c *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
				if v["table"] == "C_Ordr" {
					return mcp.ResourceContent{}, mcp.NoResource(uri)
				}
				return mcp.ResourceContent{Text: fmt.Sprintf(`{"table":%q,"for":%q}`, v["table"], c.Caller.ID)}, nil
			},
			Complete: map[string]mcp.Completer{"table": complete},
		}},
	}
}

func complete(_ context.Context, _ *mcp.Call, typed string, _ map[string]string) (mcp.Completion, error) {
	var out mcp.Completion
	for i := range 150 {
		if name := fmt.Sprintf("C_Order%d", i); strings.HasPrefix(name, typed) {
			out.Values = append(out.Values, name)
		}
	}
	return out, nil
}

// send makes a request by hand.
func send(t testing.TB, method, url string, body io.Reader, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	for k, v := range header {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func text(t testing.TB, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}

// initialize is the first message of a session.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// accepting are the headers of a message.
func accepting(token string, more ...string) map[string]string {
	h := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	if token != "" {
		h["Authorization"] = "Bearer " + token
	}
	for i := 0; i+1 < len(more); i += 2 {
		h[more[i]] = more[i+1]
	}
	return h
}

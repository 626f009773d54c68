package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
)

var system = user{0, 10, 0, 0}

// switching has tools of four sets, of which "switch" switches on any.
func switching(o *Options, b *mcp.BoundaryOptions) {
	read := mcp.Hints{ReadOnly: true, Idempotent: true}
	tools := mcp.Set{
		mcp.New(mcp.Tool{Name: "switch", Description: "Switches on a tool set.", Sets: []string{"query"}, Hints: read},
			func(ctx context.Context, c *mcp.Call, in struct {
				Set string `json:"set" jsonschema:"the set"`
			}) (map[string]any, error) {
				return map[string]any{"set": in.Set}, c.SwitchOn(ctx, in.Set)
			}),
	}
	for name, set := range map[string]string{"list": "query", "change": "table", "look": "table", "build": "generator", "hide": "secret"} {
		t := mcp.Tool{Name: name, Description: "Does something.", Sets: []string{set}, Hints: read}
		if name == "change" || name == "build" {
			t.Hints, t.Unasked = mcp.Hints{}, "a test"
		}
		tools = append(tools, mcp.New(t, func(context.Context, *mcp.Call, struct{}) (map[string]any, error) { return map[string]any{}, nil }))
	}
	o.Catalog = mcp.Catalog{Tools: tools}
	b.Toolsets = []string{"query", "table", "generator"}
	b.DefaultToolsets = func(c mcp.Caller) []string {
		if c.ClientID == 0 {
			return []string{"query", "table"}
		}
		return []string{"query"}
	}
}

func listed(t *testing.T, cs *sdk.ClientSession) []string {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	return toolNames(list)
}

// A session switches a tool set on for itself, and its client learns that the list
// changed. Others have what they had.
func TestASessionSwitchesOnASet(t *testing.T) {
	t.Parallel()
	in := start(t, switching)
	for _, how := range []string{legacyHTTP, legacySSE} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			heard, disturbed := make(chan struct{}, 1), make(chan struct{}, 1)
			hear := func(to chan struct{}) *sdk.ClientOptions {
				return &sdk.ClientOptions{ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { to <- struct{}{} }}
			}
			cs := in.connect(t, how, alice.token(t), hear(heard))
			other := in.connect(t, how, alice.token(t), hear(disturbed))
			assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, cs))
			_, failed := call(t, cs, "look", nil)
			require.NotNil(t, failed)
			assert.Equal(t, mcp.CodePermissionDenied, failed.Code)

			_, failed = call(t, cs, "switch", map[string]any{"set": "table"})
			require.Nil(t, failed)
			<-heard
			assert.ElementsMatch(t, []string{"switch", "list", "change", "look"}, listed(t, cs))
			_, failed = call(t, cs, "look", nil)
			assert.Nil(t, failed)

			assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, other))
			_, failed = call(t, other, "look", nil)
			assert.NotNil(t, failed)
			assert.Empty(t, disturbed)
			assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, in.connect(t, how, alice.token(t), nil)), "a session begins with the default")
		})
	}
}

// A client that has no session, or that chose its sets, cannot switch one on.
func TestWhoCannotSwitch(t *testing.T) {
	t.Parallel()
	in := start(t, switching)
	modern := in.connect(t, modernHTTP, alice.token(t), nil)
	_, failed := call(t, modern, "switch", map[string]any{"set": "table"})
	require.NotNil(t, failed)
	assert.Equal(t, mcp.CodeUnsupported, failed.Code)
	assert.Contains(t, failed.Hint, "?toolsets=")
	assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, modern))

	chosen, err := dialWith(t.Context(), in.url, legacyHTTP, asking{&bearer{token: alice.token(t)}, map[string]string{toolsetsHeader: "query"}, ""}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = chosen.Close() })
	_, failed = call(t, chosen, "switch", map[string]any{"set": "table"})
	require.NotNil(t, failed)
	assert.Equal(t, mcp.CodePermissionDenied, failed.Code)
	assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, chosen))
}

// A set that is switched on at one replica is on at the others, and stays on where a
// session is taken over.
func TestASwitchHoldsAtEveryReplica(t *testing.T) {
	t.Parallel()
	replicas := sharing(t, testredis.Start(t), 2, switching)
	proxy := inTurns(t, replicas)
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "go-test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: proxy.url + "/mcp", HTTPClient: &http.Client{Transport: &bearer{token: alice.token(t)}},
	}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close() }) // a replica may be gone
	for range 2 {                        // both have it in memory
		assert.ElementsMatch(t, []string{"switch", "list"}, listed(t, cs))
	}
	_, failed := call(t, cs, "switch", map[string]any{"set": "table"})
	require.Nil(t, failed)
	for range 2 {
		assert.ElementsMatch(t, []string{"switch", "list", "change", "look"}, listed(t, cs))
	}
	proxy.gone.Store(0)
	require.NoError(t, replicas[0].stop())
	_, failed = call(t, cs, "look", nil)
	assert.Nil(t, failed)
}

// However a client asks, by role, header, address and switch, it gets no tool that the
// operator does not allow; and what it is not offered is refused.
func TestNothingGivesWhatTheOperatorForbids(t *testing.T) {
	t.Parallel()
	writes := []string{"change", "build"}
	bySet := map[string][]string{"query": {"switch", "list"}, "table": {"change", "look"}, "generator": {"build"}, "secret": {"hide"}}
	every := slices.Concat(bySet["query"], bySet["table"], bySet["generator"], bySet["secret"])
	for name, tc := range map[string]struct {
		operator func(*mcp.BoundaryOptions)
		allowed  func(u user, tool string) bool
	}{
		"some sets": {func(*mcp.BoundaryOptions) {}, func(user, string) bool { return true }},
		"reading":   {func(b *mcp.BoundaryOptions) { b.ReadOnly = true }, func(_ user, tool string) bool { return !slices.Contains(writes, tool) }},
		"a set is forbidden": {
			func(b *mcp.BoundaryOptions) { b.Rules = []mcp.Rule{{Deny: []string{"set:table"}}} },
			func(_ user, tool string) bool { return !slices.Contains(bySet["table"], tool) },
		},
		"a tool is forbidden to tenants": {
			func(b *mcp.BoundaryOptions) {
				b.Rules = []mcp.Rule{{ExceptRoles: []int{0}, Deny: []string{"look"}}}
			},
			func(u user, tool string) bool { return u.role == 0 || tool != "look" },
		},
		"one set is enabled, and the default names others": {
			func(b *mcp.BoundaryOptions) { b.Toolsets = []string{"query"} },
			func(_ user, tool string) bool { return slices.Contains(bySet["query"], tool) },
		},
		"no default": {func(b *mcp.BoundaryOptions) { b.DefaultToolsets = nil }, func(user, string) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := start(t, func(o *Options, b *mcp.BoundaryOptions) { switching(o, b); tc.operator(b) })
			for _, u := range []user{alice, system} {
				for _, header := range []string{"", "all", "table", "secret", "query,table,generator,secret"} {
					for _, query := range []string{"", "toolsets=all", "toolsets=secret,table&readonly=false", "readonly=true"} {
						headers := map[string]string{readOnlyHeader: "false"}
						if header != "" {
							headers[toolsetsHeader] = header
						}
						about := fmt.Sprintf("role %d, header %q, address %q", u.role, header, query)
						cs, err := dialWith(t.Context(), in.url, legacyHTTP, asking{&bearer{token: u.token(t)}, headers, query}, nil)
						if err != nil { // header and address name no set in common
							require.Contains(t, err.Error(), http.StatusText(http.StatusBadRequest), about)
							continue
						}
						for _, set := range []string{"secret", "all", "table", "generator", "nothing"} {
							_, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "switch", Arguments: map[string]any{"set": set}})
							require.NoError(t, err, about)
						}
						offered := listed(t, cs)
						for _, tool := range every {
							if slices.Contains(offered, tool) {
								assert.True(t, tool != "hide" && tc.allowed(u, tool), "%s: %s is offered", about, tool)
								assert.False(t, query == "readonly=true" && slices.Contains(writes, tool), "%s: %s is offered", about, tool)
							} else {
								_, failed := call(t, cs, tool, map[string]any{})
								require.NotNil(t, failed, "%s: %s is not offered, and works", about, tool)
								assert.Equal(t, mcp.CodePermissionDenied, failed.Code, about)
							}
						}
						require.NoError(t, cs.Close())
					}
				}
			}
		})
	}
}

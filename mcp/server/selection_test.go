package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// asking sends headers, and what it adds to the address, with every request.
type asking struct {
	next   http.RoundTripper
	header map[string]string
	query  string
}

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	if a.query != "" {
		r.URL.RawQuery = strings.Trim(r.URL.RawQuery+"&"+a.query, "&")
	}
	return a.next.RoundTrip(r)
}

// Each request selects tools by header or address, in every way to connect,
// within what the operator allows.
func TestSelection(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, b *mcp.BoundaryOptions) {
		o.Catalog.Tools = o.Catalog.Tools.Filter(nil, func(t mcp.Tool) bool {
			return t.Name != "panic" && t.Name != "big" && t.Name != "count" && t.Name != "fail"
		})
		hidden := o.Catalog.Tools[0]
		hidden.Name, hidden.Sets = "hidden", []string{"secret"}
		o.Catalog.Tools = append(o.Catalog.Tools, hidden)
		b.Toolsets, b.DefaultToolsets = []string{"query", "table"}, func(mcp.Caller) []string { return []string{"query"} }
	})
	query, all := []string{"echo", "whoami"}, []string{"drop", "echo", "whoami"}
	for name, tc := range map[string]struct {
		header map[string]string
		query  string
		want   []string
	}{
		"nothing":                         {nil, "", query},
		"a set by header":                 {map[string]string{toolsetsHeader: "table"}, "", []string{"drop"}},
		"a set by address":                {nil, "toolsets=table", []string{"drop"}},
		"all is what the operator allows": {map[string]string{toolsetsHeader: "all"}, "", all},
		"what is not allowed stays so":    {map[string]string{toolsetsHeader: "secret"}, "", nil},
		"read-only":                       {map[string]string{toolsetsHeader: "all", readOnlyHeader: "true"}, "", query},
		"read-only by address":            {nil, "toolsets=query,table&readonly=TRUE", query},
		"read-only is not lifted":         {map[string]string{readOnlyHeader: "false", toolsetsHeader: "all"}, "readonly=1", query},
		"both":                            {map[string]string{toolsetsHeader: "query, table"}, "toolsets=table", []string{"drop"}},
		"all and one":                     {map[string]string{toolsetsHeader: "all"}, "toolsets=table", []string{"drop"}},
	} {
		for _, how := range []string{modernHTTP, legacyHTTP, legacySSE} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				b := &bearer{token: alice.token(t)}
				cs, err := dialWith(t.Context(), in.url, how, asking{b, tc.header, tc.query}, nil)
				require.NoError(t, err)
				t.Cleanup(func() { _ = cs.Close() })
				list, err := cs.ListTools(t.Context(), nil)
				require.NoError(t, err)
				assert.ElementsMatch(t, tc.want, toolNames(list))
				for _, tool := range []string{"drop", "whoami", "hidden"} {
					arguments := map[string]any{}
					if tool != "whoami" {
						arguments = map[string]any{"table": "X", "text": "x"}
					}
					res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
					require.NoError(t, err)
					denied := res.IsError && strings.Contains(res.Content[0].(*sdk.TextContent).Text, mcp.CodePermissionDenied)
					assert.Equal(t, !slices.Contains(tc.want, tool), denied, tool)
				}
			})
		}
	}
}

func toolNames(list *sdk.ListToolsResult) []string {
	var out []string
	for _, tool := range list.Tools {
		out = append(out, tool.Name)
	}
	return out
}

// A session may be used by requests that select different tools.
func TestSelectionOfEachRequest(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	res := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(initialize), accepting(alice.token(t), toolsetsHeader, "query"))
	require.Equal(t, http.StatusOK, res.StatusCode, text(t, res))
	list := func(more ...string) string {
		more = append(more, sessionHeader, res.Header.Get(sessionHeader))
		got := send(t, http.MethodPost, in.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), accepting(alice.token(t), more...))
		return text(t, got)
	}
	assert.NotContains(t, list(toolsetsHeader, "query"), `"drop"`)
	assert.Contains(t, list(), `"drop"`)
	assert.NotContains(t, list(readOnlyHeader, "true"), `"drop"`)
}

func TestSelectionRefused(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	for name, tc := range map[string]struct{ header, value, query, want string }{
		"an unknown set":        {toolsetsHeader, "tabel", "", `did you mean \"table\"`},
		"an unknown set in URL": {"", "", "toolsets=nothing", `there is no tool set \"nothing\"`},
		"no truth":              {readOnlyHeader, "perhaps", "", "true or false"},
		"no truth in URL":       {"", "", "readonly=2", "true or false"},
		"no common set":         {toolsetsHeader, "table", "toolsets=query", "one of the two"},
		"an unreadable address": {"", "", "toolsets=%zz", "cannot be read"},
		"long":                  {toolsetsHeader, strings.Repeat("query,", 500), "", "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := accepting(alice.token(t))
			if tc.header != "" {
				h[tc.header] = tc.value
			}
			res := send(t, http.MethodPost, in.url+"/mcp?"+tc.query, strings.NewReader(initialize), h)
			assert.Equal(t, http.StatusBadRequest, res.StatusCode)
			assert.Contains(t, text(t, res), tc.want)
		})
	}
}

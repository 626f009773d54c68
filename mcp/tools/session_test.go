package tools_test

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/mcp/tools"
)

// refusing is a backend that may be there and refuses every statement.
type refusing struct{ there atomic.Bool }

func presence(there bool) *refusing {
	r := &refusing{}
	r.there.Store(there)
	return r
}

func (*refusing) Name() backend.Name                                { return backend.AI }
func (r *refusing) Present() bool                                   { return r.there.Load() }
func (*refusing) Check(context.Context, mcp.Caller) (string, error) { return "here", nil }
func (*refusing) Query(context.Context, mcp.Caller, backend.Query) (*api.Result, error) {
	return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: `the table "c_ordr" is not available`}
}

func (*refusing) Explain(context.Context, mcp.Caller, backend.Query) (*api.Explanation, error) {
	return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: `the column "nam" is not available`}
}

// session is a client of a tool server over the kit's ERP.
type session struct {
	*sdk.ClientSession
	catalog *mcp.Catalog
	server  *server.Server
}

func (k *kit) session(t *testing.T, ai *refusing, limits mcp.BoundaryOptions, opts *sdk.ClientOptions) *session {
	t.Helper()
	return k.sessionAs(t, admin, ai, limits, opts)
}

func (k *kit) sessionAs(t *testing.T, who login, ai *refusing, limits mcp.BoundaryOptions, opts *sdk.ClientOptions) *session {
	t.Helper()
	pool, err := backend.NewPool("", k.rest, ai)
	require.NoError(t, err)
	s := &session{catalog: tools.New(tools.Options{Pool: pool}).Catalog()}
	b, err := mcp.NewBoundary(&limits)
	require.NoError(t, err)
	s.server, err = server.New(server.Options{Catalog: *s.catalog, Boundary: b, Local: k.as(t, who)})
	require.NoError(t, err)
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- s.server.ServeStdio(ctx, toServer, fromServer) }()
	s.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opts).
		Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = s.ClientSession.Close()
		cancel()
		assert.NoError(t, <-served)
	})
	return s
}

func (s *session) listed(t *testing.T) (names []string, definitions string) {
	t.Helper()
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	raw, err := json.Marshal(list.Tools)
	require.NoError(t, err)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, string(raw)
}

// Whatever a session is offered: what it is told, as instructions, definitions,
// prompts, resources and errors, names no other tool.
func TestSessionsNameOnlyTheirTools(t *testing.T) {
	t.Parallel()
	k := shared(t)
	deny := func(names ...string) []mcp.Rule { return []mcp.Rule{{Deny: names}} }
	for _, c := range []struct {
		name   string
		ai     bool
		limits mcp.BoundaryOptions
		want   int // tools
	}{
		{"a tenant's default without an AI API", false, mcp.BoundaryOptions{DefaultToolsets: tools.DefaultSets}, 19},
		{"a tenant's default with one", true, mcp.BoundaryOptions{DefaultToolsets: tools.DefaultSets}, 24},
		{"System's default with an AI API", true, mcp.BoundaryOptions{DefaultToolsets: func(mcp.Caller) []string { return tools.DefaultSets(systemUser) }}, 34},
		{"the specification", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetSpec}}, 27},
		{"all", true, mcp.BoundaryOptions{}, 57},
		{"all without an AI API", false, mcp.BoundaryOptions{}, 52},
		{"only reading", false, mcp.BoundaryOptions{ReadOnly: true}, 30},
		{"registry", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetRegistry}}, 8},
		{"query", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetQuery}}, 8},
		{"query without an AI API", false, mcp.BoundaryOptions{Toolsets: []string{tools.SetQuery}}, 5},
		{"chat", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetChat}}, 13},
		{"metrics", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetMetrics}}, 3},
		{"records", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetRecords}}, 10},
		{"table and generator", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetTable, tools.SetGenerator}}, 13},
		{"deploy", true, mcp.BoundaryOptions{Toolsets: []string{tools.SetDeploy}}, 5},
		{"some forbidden", true, mcp.BoundaryOptions{Rules: deny("describe*", "search*", "run*", "get*", "explainQuery", "syncTable")}, 41},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := k.session(t, presence(c.ai), c.limits, nil)
			names, definitions := s.listed(t)
			assert.Len(t, names, c.want, "%v", names)
			told := func(where, text string) {
				for _, name := range s.catalog.Tools.Mentioned(text) {
					assert.Contains(t, names, name, "%s: %s", where, clipped(text, name))
				}
			}
			told("instructions", s.InitializeResult().Instructions)
			told("definitions", definitions)
			s.tellPrompts(t, told)
			s.tellResources(t, told)
			for _, name := range names {
				tool, _ := s.catalog.Tools.Tool(name)
				for _, arguments := range wrongArguments(&tool) {
					res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
					require.NoError(t, err)
					if !res.IsError {
						continue
					}
					told(name, res.Content[0].(*sdk.TextContent).Text)
				}
			}
			for _, tool := range s.catalog.Tools {
				if slices.Contains(names, tool.Name) {
					continue
				}
				res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool.Name, Arguments: map[string]any{}})
				require.NoError(t, err)
				assert.True(t, res.IsError, tool.Name)
				told("a call of "+tool.Name, strings.ReplaceAll(res.Content[0].(*sdk.TextContent).Text, tool.Name, "it"))
			}
		})
	}
}

// clipped is the text around a name.
func clipped(text, name string) string {
	at := strings.Index(text, name)
	return text[max(0, at-100):min(len(text), at+100)]
}

func (s *session) tellPrompts(t *testing.T, told func(where, text string)) {
	t.Helper()
	prompts, err := s.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	for _, p := range prompts.Prompts {
		told("prompt "+p.Name, p.Description)
		arguments := map[string]string{}
		for _, a := range p.Arguments {
			arguments[a.Name] = "C_Order"
			if a.Name == "column" {
				arguments[a.Name] = "DocStatus"
			}
		}
		for _, table := range []string{"C_Order", "C_Ordr"} {
			for name := range arguments {
				if strings.HasPrefix(name, "table") || name == "parent" {
					arguments[name] = table
				}
			}
			got, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: arguments})
			if err != nil {
				told("prompt "+p.Name, err.Error())
				continue
			}
			raw, err := json.Marshal(got)
			require.NoError(t, err)
			told("prompt "+p.Name, string(raw))
		}
	}
	for _, p := range s.catalog.Prompts {
		if !slices.ContainsFunc(prompts.Prompts, func(d *sdk.Prompt) bool { return d.Name == p.Name }) {
			_, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: p.Name, Arguments: map[string]string{"table": "C_Order", "question": "x", "purpose": "x"}})
			require.Error(t, err, p.Name)
			told("a hidden prompt", err.Error())
		}
	}
}

func (s *session) tellResources(t *testing.T, told func(where, text string)) {
	t.Helper()
	list, err := s.ListResources(t.Context(), nil)
	require.NoError(t, err)
	uris := []string{"erp://table/C_Order", "erp://table/C_Order/column/DocStatus", "erp://table/C_Ordr"}
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
		told(r.URI, r.Description)
	}
	for _, uri := range uris {
		got, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			told(uri, err.Error())
			continue
		}
		told(uri, got.Contents[0].Text)
	}
}

// wrongArguments are arguments that a tool refuses, or fails with. None changes
// anything.
func wrongArguments(t *mcp.Tool) []map[string]any {
	out := []map[string]any{{"nonsense": 1}}
	if len(t.Input.Required) > 0 {
		out = append(out, map[string]any{})
	}
	wrong := map[string]any{}
	for _, name := range t.Input.Required {
		switch p := t.Input.Properties[name]; {
		case name == "sql":
			wrong[name] = "SELECT nam FROM c_ordr"
		case p.Type == "integer":
			wrong[name] = 999999999
		case p.Type == "object":
			wrong[name] = map[string]any{"Nonsense": "x"}
		case p.Type == "array":
			wrong[name] = []string{"C_Ordr"}
		case p.Type == "boolean":
			wrong[name] = true
		default:
			wrong[name] = "C_Ordr"
		}
	}
	if len(wrong) > 0 && (t.Hints.ReadOnly || t.Name != "createTable") {
		out = append(out, wrong)
	}
	if t.Name == "searchRecords" {
		out = append(out, map[string]any{"tableName": "C_Order", "filter": "Nam eq 'x'"}, map[string]any{"tableName": "C_Order", "columns": []string{"Nam"}})
	}
	if t.Name == "getRecord" {
		out = append(out, map[string]any{"tableName": "C_Order", "id": "999999999"})
	}
	return out
}

// When an AI API comes or goes, clients are told that the list changed, and the
// next list is another.
func TestTheListChanges(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{}, 1)
	ai := presence(false)
	s := shared(t).session(t, ai, mcp.BoundaryOptions{Toolsets: []string{tools.SetQuery}}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { heard <- struct{}{} },
	})
	assert.True(t, s.InitializeResult().Capabilities.Tools.ListChanged)
	names, _ := s.listed(t)
	assert.NotContains(t, names, "executeQuery")
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "executeQuery", Arguments: map[string]any{"sql": "SELECT 1"}})
	require.NoError(t, err)
	assert.Contains(t, res.Content[0].(*sdk.TextContent).Text, `"unsupported"`)
	ai.there.Store(true)
	s.server.ToolsChanged()
	<-heard
	names, _ = s.listed(t)
	assert.Contains(t, names, "executeQuery")
}

// Output schemas are for those who name tool sets.
func TestOutputSchemasAreForThoseWhoNameSets(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		limits mcp.BoundaryOptions
		want   bool
	}{
		"the default of a role":  {mcp.BoundaryOptions{DefaultToolsets: tools.DefaultSets}, false},
		"sets of the operator's": {mcp.BoundaryOptions{Toolsets: []string{tools.SetSpec}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shared(t).session(t, presence(true), tc.limits, nil)
			list, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.NotEmpty(t, list.Tools)
			for _, tool := range list.Tools {
				assert.Equal(t, tc.want, tool.OutputSchema != nil, tool.Name)
				assert.NotNil(t, tool.InputSchema, tool.Name)
			}
			res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "describeTable", Arguments: map[string]any{"table": "C_Order"}})
			require.NoError(t, err)
			assert.NotNil(t, res.StructuredContent, "results are structured all the same")
		})
	}
}

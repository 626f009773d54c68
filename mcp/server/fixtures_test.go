package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
)

// The published conformance suite wants tools, prompts and resources with fixed
// names, which exist in this test binary only. Those that a tool of ours can
// be are made as such; what only the protocol has, such as sampling, is added
// to the same server behind the same handlers and middleware.

// fixtureVariable names the ready file of a server of the fixtures; without it
// the test only looks whether they are there.
const fixtureVariable = "ERPHUB_FIXTURES"

// The ready file holds the token that requests must bring.
type fixtureReady struct {
	URL   string `json:"url"`
	PID   int    `json:"pid"`
	Token string `json:"token"`
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.Catalog = fixtures(t) })
	protocolFixtures(t, in.Server)
	cs := in.connect(t, modernHTTP, alice.token(t), nil)
	text, failed := call(t, cs, "test_simple_text", nil)
	require.Nil(t, failed)
	assert.Equal(t, "This is a simple text response for testing.", text)
	tools, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, tool := range tools.Tools {
		names[tool.Name] = true
	}
	for _, want := range []string{"test_image_content", "test_sampling", "test_input_required_result_multi_round"} {
		assert.True(t, names[want], want)
	}

	path := os.Getenv(fixtureVariable)
	if path == "" {
		return
	}
	// The suite runs against this server until it is told to end.
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ready, err := json.Marshal(fixtureReady{in.url, os.Getpid(), alice.token(t)})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".tmp", ready, 0o600))
	require.NoError(t, os.Rename(path+".tmp", path))
	<-ctx.Done()
	require.NoError(t, in.stop())
	require.NoError(t, httpserver.ReadyFile(path).Clear())
}

const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func decoded(t testing.TB, text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return data
}

// fixtures are those that packages like ours can offer.
func fixtures(t testing.TB) mcp.Catalog {
	image := mcp.Content{Data: decoded(t, pixel), MIMEType: "image/png"}
	audio := mcp.Content{Data: decoded(t, silence), MIMEType: "audio/wav"}
	embedded := func(uri string) mcp.Content {
		return mcp.Content{Embedded: &mcp.ResourceContent{URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content."}}
	}
	says := func(name string, content ...mcp.Content) mcp.Tool {
		return mcp.New(mcp.Tool{Name: name, Description: "Fixture of the conformance suite.", Hints: mcp.Hints{ReadOnly: true}},
			func(context.Context, *mcp.Call, struct{}) (mcp.Result, error) {
				return mcp.Result{Content: content}, nil
			})
	}
	schema := &jsonschema.Schema{}
	require.NoError(t, json.Unmarshal([]byte(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
		},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]}, "else": {"required": ["email"]},
		"additionalProperties": false
	}`), schema))
	mirrored := &jsonschema.Schema{}
	require.NoError(t, json.Unmarshal([]byte(`{"type": "object", "properties": {
		"region": {"type": "string", "description": "a header says it, too", "x-mcp-header": "Region"}, "level": {"type": "integer", "description": "a number"}
	}}`), mirrored))
	return mcp.Catalog{
		Tools: mcp.Set{
			says("test_simple_text", mcp.Text("This is a simple text response for testing.")),
			says("test_image_content", image),
			says("test_audio_content", audio),
			says("test_embedded_resource", embedded("test://embedded-resource")),
			says("test_multiple_content_types", mcp.Text("Multiple content types test:"), image, embedded("test://mixed-content-resource")),
			says("test_streaming_elicitation", mcp.Text("there is nothing to ask")),
			mcp.New(mcp.Tool{Name: "test_tool_with_progress", Description: "Fixture of the conformance suite.", Hints: mcp.Hints{ReadOnly: true}},
				func(_ context.Context, c *mcp.Call, _ struct{}) (mcp.Result, error) {
					for _, done := range []float64{0, 50, 100} {
						c.Progress(done, 100, fmt.Sprintf("%v of 100", done))
					}
					return mcp.Result{Content: []mcp.Content{mcp.Text("done")}}, nil
				}),
			mcp.New(mcp.Tool{Name: "test_error_handling", Description: "Fixture of the conformance suite.", Hints: mcp.Hints{ReadOnly: true}},
				func(context.Context, *mcp.Call, struct{}) (mcp.Result, error) {
					return mcp.Result{}, &mcp.Error{Code: mcp.CodeRefused, Message: "This tool intentionally returns an error for testing"}
				}),
			mcp.New(mcp.Tool{Name: "json_schema_2020_12_tool", Description: "Fixture of the conformance suite.", Hints: mcp.Hints{ReadOnly: true}, Input: schema},
				func(_ context.Context, _ *mcp.Call, in map[string]any) (mcp.Result, error) {
					return mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprint(len(in), " arguments"))}}, nil
				}),
			mcp.New(mcp.Tool{Name: "test_x_mcp_header", Description: "Fixture of the conformance suite.", Hints: mcp.Hints{ReadOnly: true}, Input: mirrored},
				func(_ context.Context, _ *mcp.Call, in struct {
					Region string `json:"region"`
				}) (mcp.Result, error) {
					return mcp.Result{Content: []mcp.Content{mcp.Text("region=" + in.Region)}}, nil
				}),
		},
		Prompts: []mcp.Prompt{
			fixturePrompt("test_simple_prompt", func(map[string]string) []mcp.Content {
				return []mcp.Content{mcp.Text("This is a simple prompt for testing.")}
			}),
			fixturePrompt("test_prompt_with_arguments", func(a map[string]string) []mcp.Content {
				return []mcp.Content{mcp.Text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
			}, "arg1", "arg2"),
			fixturePrompt("test_prompt_with_embedded_resource", func(a map[string]string) []mcp.Content {
				return []mcp.Content{embedded(a["resourceUri"]), mcp.Text("Please process the embedded resource above.")}
			}, "resourceUri"),
			fixturePrompt("test_prompt_with_image", func(map[string]string) []mcp.Content {
				return []mcp.Content{image, mcp.Text("Please analyze the image above.")}
			}),
		},
		Resources: []mcp.Resource{
			{
				URI: "test://static-text", Name: "static-text", Description: "A text.", MIMEType: "text/plain",
				Read: func(context.Context, *mcp.Call) (mcp.ResourceContent, error) {
					return mcp.ResourceContent{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}, nil
				},
			},
			{
				URI: "test://static-binary", Name: "static-binary", Description: "A picture.", MIMEType: "image/png",
				Read: func(context.Context, *mcp.Call) (mcp.ResourceContent, error) {
					return mcp.ResourceContent{URI: "test://static-binary", MIMEType: "image/png", Data: image.Data}, nil
				},
			},
		},
		Templates: []mcp.ResourceTemplate{{
			URITemplate: "test://template/{id}/data", Name: "template", Description: "A template.", MIMEType: "application/json",
			Read: func(_ context.Context, _ *mcp.Call, uri string, v map[string]string) (mcp.ResourceContent, error) {
				return mcp.ResourceContent{URI: uri, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, v["id"], v["id"])}, nil
			},
		}},
	}
}

// fixturePrompt has arguments that are needed, of which the first can be
// completed.
func fixturePrompt(name string, get func(map[string]string) []mcp.Content, arguments ...string) mcp.Prompt {
	p := mcp.Prompt{
		Name: name, Description: "Fixture of the conformance suite.",
		Get: func(_ context.Context, _ *mcp.Call, a map[string]string) ([]mcp.Message, error) {
			var messages []mcp.Message
			for _, c := range get(a) {
				messages = append(messages, mcp.Message{Content: c})
			}
			return messages, nil
		},
	}
	for _, a := range arguments {
		p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: a, Description: "Argument of the fixture.", Required: true, Complete: complete})
	}
	return p
}

// addRaw adds a tool of the protocol, without the boundary in front of it.
func addRaw(s *Server, name string, properties map[string]*jsonschema.Schema, h sdk.ToolHandler) {
	yes := true
	s.sdk.AddTool(&sdk.Tool{
		Name: name, Description: "Fixture of the conformance suite.", InputSchema: &jsonschema.Schema{Type: "object", Properties: properties},
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes},
	}, h)
}

func rawText(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

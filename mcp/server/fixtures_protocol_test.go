//lint:file-ignore SA1019 the conformance suite still uses what the protocol gave up

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// protocolFixtures are those that need what tools of ours do not use.
func protocolFixtures(t testing.TB, s *Server) {
	text := map[string]*jsonschema.Schema{"type": {Type: "string"}}
	addRaw(s, "test_tool_with_logging", nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, said := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			_ = req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: said})
		}
		return rawText("logged"), nil
	})
	addRaw(s, "test_logging_tool", nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "dropped unless asked for"})
		return rawText("done"), nil
	})
	addRaw(s, "test_trigger_tool_change", nil, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		s.ToolsChanged()
		return rawText("changed"), nil
	})
	addRaw(s, "test_sampling", map[string]*jsonschema.Schema{"prompt": text["type"]}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var in struct{ Prompt string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		res, err := req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
			MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: in.Prompt}}},
		})
		if err != nil {
			return nil, err
		}
		said, _ := res.Content.(*sdk.TextContent)
		return rawText("LLM response: " + said.Text), nil
	})
	asks := func(name string, properties map[string]*jsonschema.Schema, question func(args json.RawMessage) *sdk.ElicitParams) {
		addRaw(s, name, properties, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			res, err := req.Session.Elicit(ctx, question(req.Params.Arguments))
			if err != nil {
				return nil, err
			}
			return rawText(fmt.Sprintf("User response: action=%s, content=%v", res.Action, res.Content)), nil
		})
	}
	asks("test_elicitation", map[string]*jsonschema.Schema{"message": text["type"]}, func(args json.RawMessage) *sdk.ElicitParams {
		var in struct{ Message string }
		_ = json.Unmarshal(args, &in) // an empty question is one, too
		return &sdk.ElicitParams{Message: in.Message, RequestedSchema: form("username", "email")}
	})
	for name, schema := range map[string]string{
		"test_elicitation_sep1034_defaults": `{"type":"object","properties":{
			"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`,
		"test_elicitation_sep1330_enums": `{"type":"object","properties":{
			"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`,
	} {
		var form map[string]any
		require.NoError(t, json.Unmarshal([]byte(schema), &form))
		asks(name, nil, func(json.RawMessage) *sdk.ElicitParams {
			return &sdk.ElicitParams{Message: "Fill in the form", RequestedSchema: form}
		})
	}
	addRaw(s, "test_reconnection", nil, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		select {
		case <-time.After(100 * time.Millisecond): // the client comes back meanwhile
		case <-ctx.Done():
		}
		return rawText("the client came back"), nil
	})
	addRaw(s, "test_missing_capability", nil, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if caps := req.ClientCapabilities(); caps != nil && caps.Sampling != nil {
			return rawText("it is there"), nil
		}
		data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{
			RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}},
		})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
	})
	inputFixtures(s)
}

// form asks for texts, all of which are needed.
func form(names ...string) *jsonschema.Schema {
	f := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, Required: names}
	for _, n := range names {
		f.Properties[n] = &jsonschema.Schema{Type: "string"}
	}
	return f
}

// accepted is what the user filled in, nil if they did not.
func accepted(responses sdk.InputResponseMap, key string) map[string]any {
	if res, ok := responses[key].(*sdk.ElicitResult); ok && res != nil && res.Action == "accept" {
		return res.Content
	}
	return nil
}

// sampled is the text a model made.
func sampled(responses sdk.InputResponseMap, key string) (string, bool) {
	res, ok := responses[key].(*sdk.CreateMessageWithToolsResult)
	if !ok || res == nil {
		return "", false
	}
	for _, c := range res.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			return text.Text, true
		}
	}
	return "", true
}

// inputFixtures are tools whose result is a question, in the newer era.
func inputFixtures(s *Server) {
	question := func(message string, names ...string) *sdk.ElicitParams {
		return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: form(names...)}
	}
	sampling := func(message string) *sdk.CreateMessageParams {
		return &sdk.CreateMessageParams{MaxTokens: 50, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: message}}}}
	}
	asks := func(requests sdk.InputRequestMap, state string) *sdk.CallToolResult {
		return &sdk.CallToolResult{InputRequests: requests, RequestState: state}
	}
	// State travels under the seal that confirmations have.
	sealed := func(ctx context.Context, req *sdk.CallToolRequest) (string, error) {
		return s.opts.Boundary.Seal(ctx, s.fixtureCall(ctx, req), "fixture")
	}
	genuine := func(ctx context.Context, req *sdk.CallToolRequest) bool {
		return s.opts.Boundary.Unseal(ctx, s.fixtureCall(ctx, req), "fixture", req.Params.RequestState) == nil
	}
	tool := func(name string, h sdk.ToolHandler) { addRaw(s, "test_input_required_result_"+name, nil, h) }

	tool("elicitation", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return rawText("Hello, " + name + "!"), nil
		}
		return asks(sdk.InputRequestMap{"user_name": question("What is your name?", "name")}, ""), nil
	})
	tool("sampling", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if said, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
			return rawText("Sampling response: " + said), nil
		}
		return asks(sdk.InputRequestMap{"capital_question": sampling("What is the capital of France?")}, ""), nil
	})
	tool("list_roots", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if roots, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); ok && roots != nil {
			return rawText(fmt.Sprintf("%d roots", len(roots.Roots))), nil
		}
		return asks(sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}, ""), nil
	})
	for _, name := range []string{"request_state", "tampered_state"} {
		tool(name, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if req.Params.RequestState != "" {
				if !genuine(ctx, req) {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the state is not the one that was given out"}
				}
				if accepted(req.Params.InputResponses, "confirm") != nil {
					return rawText("state-ok: the state came back as it was"), nil
				}
			}
			state, err := sealed(ctx, req)
			if err != nil {
				return nil, err
			}
			return asks(sdk.InputRequestMap{"confirm": &sdk.ElicitParams{
				Mode: "form", Message: "Please confirm",
				RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"ok": {Type: "boolean"}}, Required: []string{"ok"}},
			}}, state), nil
		})
	}
	tool("multiple_inputs", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string)
		greeting, greeted := sampled(req.Params.InputResponses, "greeting")
		roots, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult)
		if name != "" && greeted && ok && roots != nil {
			return rawText(fmt.Sprintf("%s %s, %d roots", greeting, name, len(roots.Roots))), nil
		}
		return asks(sdk.InputRequestMap{
			"user_name": question("What is your name?", "name"), "greeting": sampling("Greet somebody"), "client_roots": &sdk.ListRootsParams{},
		}, "first round"), nil
	})
	tool("multi_round", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		switch req.Params.RequestState {
		case "":
			return asks(sdk.InputRequestMap{"step1": question("Step 1: What is your name?", "name")}, "round 1"), nil
		case "round 1":
			return asks(sdk.InputRequestMap{"step2": question("Step 2: What is your favorite color?", "color")}, "round 2"), nil
		}
		return rawText(fmt.Sprint("both rounds are done: ", accepted(req.Params.InputResponses, "step2")["color"])), nil
	})
	tool("capabilities", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if len(req.Params.InputResponses) > 0 {
			return rawText("answered"), nil
		}
		requests := sdk.InputRequestMap{}
		if caps := req.ClientCapabilities(); caps != nil {
			if caps.Elicitation != nil {
				requests["user_name"] = question("What is your name?", "name")
			}
			if caps.Sampling != nil {
				requests["greeting"] = sampling("Greet somebody")
			}
			if caps.RootsV2 != nil {
				requests["client_roots"] = &sdk.ListRootsParams{}
			}
		}
		if len(requests) == 0 {
			return rawText("the client can answer nothing"), nil
		}
		return asks(requests, ""), nil
	})
	s.sdk.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "Fixture of the conformance suite."},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			if said := accepted(req.Params.InputResponses, "user_context"); said != nil {
				return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: fmt.Sprint("Context: ", said["context"])}}}}, nil
			}
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": question("Please provide context for the prompt", "context")}}, nil
		})
}

// fixtureCall is a call as tools of ours see it, to bind a seal to.
func (s *Server) fixtureCall(ctx context.Context, req *sdk.CallToolRequest) *mcp.Call {
	return &mcp.Call{Tool: req.Params.Name, Arguments: req.Params.Arguments, Caller: s.caller(ctx, req.Session, req.Extra, req.ClientInfo())}
}

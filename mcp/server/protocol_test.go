package server

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// overAll runs a test over every way to connect.
func overAll(t *testing.T, test func(t *testing.T, how string)) {
	t.Helper()
	for _, how := range []string{modernHTTP, legacyHTTP, legacySSE} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			test(t, how)
		})
	}
}

func TestToolsOverEveryTransport(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		cs := in.connect(t, how, alice.token(t), nil)
		list, err := cs.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Tools, 7)
		for _, d := range list.Tools {
			require.NotNil(t, d.Annotations, d.Name)
			require.NotNil(t, d.Annotations.DestructiveHint, d.Name)
			require.NotNil(t, d.Annotations.OpenWorldHint, d.Name)
			assert.Equal(t, d.Name != "drop", d.Annotations.ReadOnlyHint, d.Name)
			assert.Equal(t, d.Name == "drop", *d.Annotations.DestructiveHint, d.Name)
		}
		res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "ä<b>"}})
		require.NoError(t, err)
		assert.False(t, res.IsError)
		assert.JSONEq(t, `{"text":"ä<b>"}`, res.Content[0].(*sdk.TextContent).Text)
		assert.Equal(t, map[string]any{"text": "ä<b>"}, res.StructuredContent)

		var me whoami
		text, _ := call(t, cs, "whoami", nil)
		require.NoError(t, json.Unmarshal([]byte(text), &me))
		assert.Equal(t, "11/100", me.ID)
		assert.Equal(t, 102, me.Role)
		assert.Equal(t, "go-test/1", me.Program)
		assert.NotEmpty(t, me.Session)
	})
}

// A mistake in the arguments is a response the model can act on, an unknown tool
// one of the protocol.
func TestMistakesOfCallers(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		cs := in.connect(t, how, alice.token(t), nil)
		_, failed := call(t, cs, "echo", map[string]any{"txt": "a"})
		require.NotNil(t, failed)
		assert.Equal(t, mcpError{Code: mcp.CodeInvalidArguments, Message: `echo: there is no argument "txt"`, Hint: `did you mean "text"? echo takes: text (required)`}, *failed)
		_, failed = call(t, cs, "echo", nil)
		require.NotNil(t, failed)
		assert.Equal(t, `echo: argument "text" is missing (what to say)`, failed.Message)
		_, failed = call(t, cs, "fail", nil)
		require.NotNil(t, failed)
		assert.Equal(t, mcpError{Code: mcp.CodeNotFound, Message: "no table C_Ordr", Hint: `did you mean "C_Order"?`}, *failed)
		_, failed = call(t, cs, "big", nil)
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeTooLarge, failed.Code)

		_, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "ecoh"})
		var wire *jsonrpc.Error
		require.ErrorAs(t, err, &wire)
		assert.EqualValues(t, jsonrpc.CodeInvalidParams, wire.Code)
		assert.Equal(t, `there is no tool "ecoh"; did you mean "echo"?`, wire.Message)
		text, _ := call(t, cs, "echo", map[string]any{"text": "still here"})
		assert.Contains(t, text, "still here")
	})
}

// The SDK does not recover: a panic would end the process, and the test.
func TestPanicsEndOnlyTheirCall(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		cs := in.connect(t, how, alice.token(t), nil)
		_, failed := call(t, cs, "panic", nil)
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeInternal, failed.Code)
		assert.NotContains(t, failed.Message, "boom")
		_, err := cs.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "explore", Arguments: map[string]string{"table": "PANIC"}})
		var wire *jsonrpc.Error
		require.ErrorAs(t, err, &wire)
		assert.EqualValues(t, jsonrpc.CodeInternalError, wire.Code)
		assert.Contains(t, wire.Message, "reference")
		_, failed = call(t, cs, "whoami", nil)
		assert.Nil(t, failed)
	})
}

func TestPromptsResourcesAndCompletion(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		ctx := t.Context()
		cs := in.connect(t, how, alice.token(t), nil)
		prompt, err := cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: "explore", Arguments: map[string]string{"table": "C_Order"}})
		require.NoError(t, err)
		require.Len(t, prompt.Messages, 2)
		assert.Equal(t, "Describe C_Order", prompt.Messages[0].Content.(*sdk.TextContent).Text)
		assert.EqualValues(t, "assistant", prompt.Messages[1].Role)
		_, err = cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: "explore"})
		require.ErrorContains(t, err, `the prompt explore needs the argument "table": name of the table`)

		guide, err := cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: "erp://guide"})
		require.NoError(t, err)
		assert.Equal(t, "# Guide", guide.Contents[0].Text)
		assert.Equal(t, "text/markdown", guide.Contents[0].MIMEType)
		table, err := cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: "erp://table/C_Order%20Line"})
		require.NoError(t, err)
		assert.JSONEq(t, `{"table":"C_Order Line","for":"11/100"}`, table.Contents[0].Text)
		for _, uri := range []string{"erp://table/C_Ordr", "erp://other"} {
			_, err = cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
			var wire *jsonrpc.Error
			require.ErrorAs(t, err, &wire, uri)
			assert.EqualValues(t, jsonrpc.CodeInvalidParams, wire.Code, uri)
		}

		for _, ref := range []*sdk.CompleteReference{{Type: "ref/prompt", Name: "explore"}, {Type: "ref/resource", URI: "erp://table/{table}"}} {
			got, err := cs.Complete(ctx, &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: "table", Value: "C_Order1"}})
			require.NoError(t, err)
			assert.Equal(t, "C_Order1", got.Completion.Values[0])
			assert.Equal(t, 61, got.Completion.Total)
			got, err = cs.Complete(ctx, &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: "table"}})
			require.NoError(t, err)
			assert.Len(t, got.Completion.Values, 100)
			assert.Equal(t, 150, got.Completion.Total)
			assert.True(t, got.Completion.HasMore)
		}
		_, err = cs.Complete(ctx, &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "none"}, Argument: sdk.CompleteParamsArgument{Name: "x"}})
		require.ErrorContains(t, err, "no such prompt")
	})
}

func TestCapabilitiesAreThoseThereAre(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	cs := in.connect(t, legacyHTTP, alice.token(t), nil)
	got := cs.InitializeResult()
	assert.Equal(t, "Ask whoami first.", got.Instructions)
	//lint:ignore SA1019 that it is not announced is the point
	assert.Nil(t, got.Capabilities.Logging, "nothing is logged to clients")
	require.NotNil(t, got.Capabilities.Tools)
	assert.True(t, got.Capabilities.Tools.ListChanged, "sessions switch tool sets on")
	assert.False(t, got.Capabilities.Prompts.ListChanged)
	assert.False(t, got.Capabilities.Resources.Subscribe)
	assert.NotNil(t, got.Capabilities.Completions)
	require.NoError(t, cs.Ping(t.Context(), nil))
}

// What one user sees is not for a cache others read.
func TestListsAreCachedPrivately(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	cs := in.connect(t, modernHTTP, alice.token(t), nil)
	list, err := cs.ListTools(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "private", list.GetCacheScope())
	assert.Equal(t, 5_000, list.GetTTLMs(), "lists change")
	res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "erp://guide"})
	require.NoError(t, err)
	assert.Equal(t, "private", res.GetCacheScope())
	assert.Equal(t, 60_000, res.GetTTLMs())
}

func TestEachCallerSeesTheirTools(t *testing.T) {
	t.Parallel()
	in := start(t, func(_ *Options, b *mcp.BoundaryOptions) {
		b.Rules = []mcp.Rule{{ReadOnly: true, ExceptRoles: []int{alice.role}}}
	})
	overAll(t, func(t *testing.T, how string) {
		list, err := in.connect(t, how, alice.token(t), nil).ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Tools, 7)
		his := in.connect(t, how, bob.token(t), nil)
		list, err = his.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, list.Tools, 6)
		_, failed := call(t, his, "drop", map[string]any{"table": "XX_A"})
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodePermissionDenied, failed.Code)
		_, err = his.CallTool(t.Context(), &sdk.CallToolParams{Name: "dorp"})
		require.ErrorContains(t, err, `there is no tool "dorp"`)
		assert.NotContains(t, err.Error(), "did you mean", "what he may not use is not named")
	})
}

// A limit is a response of the tool, also in the newer protocol, where a result
// made in the wrong place would break its schema.
func TestLimitsAreToolResponses(t *testing.T) {
	t.Parallel()
	overAll(t, func(t *testing.T, how string) {
		in := start(t, func(_ *Options, b *mcp.BoundaryOptions) { b.Limits.CallsPerMinute = 1 })
		cs := in.connect(t, how, alice.token(t), nil)
		_, failed := call(t, cs, "whoami", nil)
		require.Nil(t, failed)
		_, failed = call(t, cs, "whoami", nil)
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeRateLimitExceeded, failed.Code)
		assert.InDelta(t, 60, failed.RetryAfterSeconds, 2)
		_, failed = call(t, in.connect(t, how, bob.token(t), nil), "whoami", nil)
		assert.Nil(t, failed)
	})
}

func TestProgressArrivesInOrder(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		var mu sync.Mutex
		var got []string
		all := make(chan struct{})
		cs := in.connect(t, how, alice.token(t), &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				mu.Lock()
				defer mu.Unlock()
				if got = append(got, r.Params.Message); len(got) == 3 {
					close(all)
				}
			},
		})
		params := &sdk.CallToolParams{Name: "count"}
		params.SetProgressToken("p1")
		_, err := cs.CallTool(t.Context(), params)
		require.NoError(t, err)
		<-all
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, []string{"step 1", "step 2", "step 3"}, got)
	})
}

func TestCancellationReachesTheTool(t *testing.T) {
	t.Parallel()
	entered, ended := make(chan struct{}, 3), make(chan error, 3)
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		o.Catalog.Tools = append(o.Catalog.Tools, mcp.New(mcp.Tool{Name: "wait", Description: "Waits.", Hints: mcp.Hints{ReadOnly: true}},
			func(ctx context.Context, _ *mcp.Call, _ struct{}) (any, error) {
				entered <- struct{}{}
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			}))
	})
	for _, how := range []string{modernHTTP, legacyHTTP, legacySSE} {
		cs := in.connect(t, how, alice.token(t), nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-entered; cancel() }()
		start := time.Now()
		_, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "wait"})
		require.ErrorIs(t, err, context.Canceled, how)
		require.ErrorIs(t, <-ended, context.Canceled, how)
		assert.Less(t, time.Since(start), 5*time.Second, how)
	}
}

func TestATokenThatWasRefreshed(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		first, second := alice.token(t), alice.tokenUntil(t, time.Now().Add(2*time.Hour))
		b := &bearer{token: first}
		cs := in.connectAs(t, how, b, nil)
		for _, token := range []string{first, second} {
			b.set(token)
			text, failed := call(t, cs, "whoami", nil)
			require.Nil(t, failed)
			var me whoami
			require.NoError(t, json.Unmarshal([]byte(text), &me))
			assert.Equal(t, token[strings.LastIndex(token, ".")+1:], me.Token, "the token of this call, not of the one that opened the session")
		}
	})
}

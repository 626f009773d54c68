package mcp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

// Whose login has ended calls nothing, not even what needs no ERP; and it is counted.
func TestWhoseLoginHasEnded(t *testing.T) {
	t.Parallel()
	refused := map[string]int{}
	b := newBoundary(t, mcp.BoundaryOptions{
		Admit: func(_ context.Context, c mcp.Caller) error {
			if c.ID == reader.ID {
				return &mcp.Error{Code: mcp.CodeUnauthorized, Message: "it has ended", Hint: mcp.LogInAgain}
			}
			return nil
		},
		Metrics: mcp.BoundaryMetrics{Refused: func(reason string) { refused[reason]++ }},
	})
	echo := tool("echo", mcp.Hints{ReadOnly: true}, "x", nil)
	_, err := b.Call(t.Context(), echo, &mcp.Call{Caller: reader})
	assert.Equal(t, mcp.CodeUnauthorized, code(err))
	require.Error(t, b.Admit(t.Context(), reader))
	_, err = b.Call(t.Context(), echo, &mcp.Call{Caller: admin})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"login": 2}, refused)
}

// Text of a result cannot control a terminal, or hide from who reads it; JSON has its
// own escapes.
func TestTextOfResultsIsPlain(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{})
	tl := tool("say", mcp.Hints{ReadOnly: true}, "x", func(context.Context, *mcp.Call, echoInput) (any, error) {
		return mcp.Result{Structured: map[string]string{"a": "x\u202e\u009b"}, Content: []mcp.Content{mcp.Text("x\n\u202e\x1b[31m")}}, nil
	})
	reply, err := b.Call(t.Context(), tl, &mcp.Call{Caller: reader})
	require.NoError(t, err)
	assert.Equal(t, "x\n\uFFFD\uFFFD[31m", reply.Content[0].Text)
	assert.Equal(t, `{"a":"x\u202e\u009b"}`, string(reply.JSON))
}

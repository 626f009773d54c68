package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/mcp"
)

func TestSealedQuestions(t *testing.T) {
	t.Parallel()
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSealed(t, open(t))
		})
	}
}

func testSealed(t *testing.T, store mcp.LimitStore) {
	at := testclock.New(time.Now())
	b := newBoundary(t, mcp.BoundaryOptions{Store: store, Now: at.Now})
	replica := newBoundary(t, mcp.BoundaryOptions{Store: store, Now: at.Now})
	const question, arguments = "Delete XX_A with 5 rows?", `{"table":"XX_A","force":true}`
	call := func(c mcp.Caller, tool, arguments string) *mcp.Call {
		return &mcp.Call{Tool: tool, Caller: c, Arguments: json.RawMessage(arguments)}
	}
	asked := call(reader, "deleteTable", arguments)
	token, err := b.Seal(t.Context(), asked, question)
	require.NoError(t, err)
	for _, plain := range []string{"XX_A", "deleteTable"} {
		assert.NotContains(t, token, plain)
	}
	changed := func(change func(*mcp.Caller)) *mcp.Call {
		c := reader
		change(&c)
		return call(c, "deleteTable", arguments)
	}
	flipped := []byte(token)
	flipped[20] ^= 1
	for name, tc := range map[string]struct {
		call     *mcp.Call
		question string
		token    string
	}{
		"another user":         {call(admin, "deleteTable", arguments), question, token},
		"another role":         {changed(func(c *mcp.Caller) { c.RoleID = 103 }), question, token},
		"another organization": {changed(func(c *mcp.Caller) { c.OrgID = 12 }), question, token},
		"another session":      {changed(func(c *mcp.Caller) { c.Session = "s2" }), question, token},
		"no session":           {changed(func(c *mcp.Caller) { c.Session = "" }), question, token},
		"another tool":         {call(reader, "dropTable", arguments), question, token},
		"another table":        {call(reader, "deleteTable", `{"table":"XX_B","force":true}`), question, token},
		"an argument less":     {call(reader, "deleteTable", `{"table":"XX_A"}`), question, token},
		"an argument more":     {call(reader, "deleteTable", `{"table":"XX_A","force":true,"x":1}`), question, token},
		"changed":              {asked, question, string(flipped)},
		"no token at all":      {asked, question, "yes"},
		"nothing":              {asked, question, ""},
		"too long":             {asked, question, strings.Repeat("A", 5000)},
		"not even base64":      {asked, question, "!!!!"},
		"cut":                  {asked, question, token[:8]},
	} {
		assert.ErrorIs(t, b.Unseal(t.Context(), tc.call, tc.question, tc.token), mcp.ErrConfirmation, name)
	}
	err = b.Unseal(t.Context(), asked, "Delete XX_A with 6 rows?", token)
	require.Equal(t, mcp.CodeConflict, code(err))
	assert.ErrorContains(t, err, "Delete XX_A with 5 rows? -> Delete XX_A with 6 rows?", "who agreed is told what changed")
	same := call(reader, "deleteTable", ` {"force" : true,"table":"XX_A"} `)
	require.NoError(t, replica.Unseal(t.Context(), same, question, token), "in another order it is the same call, at any replica")
	assert.ErrorIs(t, b.Unseal(t.Context(), asked, question, token), mcp.ErrConfirmation, "it is good for one use")

	late, err := b.Seal(t.Context(), asked, question)
	require.NoError(t, err)
	at.Advance(5*time.Minute + time.Second)
	assert.ErrorIs(t, b.Unseal(t.Context(), asked, question, late), mcp.ErrConfirmation)
}

// How users are asked is the affair of who calls. Nobody is asked by nobody.
func TestConfirmationIsTheCallers(t *testing.T) {
	t.Parallel()
	b := newBoundary(t, mcp.BoundaryOptions{})
	drop := tool("deleteTable", mcp.Hints{Destructive: true}, "x", func(ctx context.Context, c *mcp.Call, in echoInput) (any, error) {
		return in, c.Confirmed(ctx, mcp.Ask("Delete %s?", mcp.Name(in.Text)))
	})
	call := &mcp.Call{Caller: reader, Arguments: json.RawMessage(`{"text":"XX_A"}`)}
	_, err := b.Call(t.Context(), drop, call)
	var ask *mcp.ConfirmationRequired
	require.ErrorAs(t, err, &ask)
	assert.Equal(t, "Delete XX_A?", ask.Message)
	call.Confirm = func(context.Context, string) (bool, error) { return true, nil }
	_, err = b.Call(t.Context(), drop, call)
	require.NoError(t, err)
}

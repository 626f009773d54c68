package server

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

func TestConfirmationByQuestion(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		answers := map[string]*sdk.ElicitResult{
			"XX_Yes":    {Action: "accept", Content: map[string]any{"confirm": true}},
			"XX_No":     {Action: "accept", Content: map[string]any{"confirm": false}},
			"XX_Refuse": {Action: "decline"},
			"XX_Cancel": {Action: "cancel"},
		}
		cs := in.connect(t, how, alice.token(t), &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				table := strings.TrimSuffix(strings.TrimPrefix(r.Params.Message, "Drop "), "?")
				return answers[table], nil
			},
		})
		for table := range answers {
			text, failed := call(t, cs, "drop", map[string]any{"table": table})
			if table == "XX_Yes" {
				require.Nil(t, failed, "%v", failed)
				assert.JSONEq(t, `{"dropped":"XX_Yes"}`, text)
				continue
			}
			require.NotNil(t, failed, table)
			assert.Equal(t, mcp.CodeDeclined, failed.Code, table)
		}
	})
}

// A client that cannot ask its user changes nothing: neither anything in the
// response nor another session helps its assistant to agree by itself.
func TestAClientThatCannotAsk(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	overAll(t, func(t *testing.T, how string) {
		cs := in.connect(t, how, alice.token(t), nil)
		res, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop", Arguments: map[string]any{"table": "XX_A"}})
		require.NoError(t, err)
		assert.True(t, res.IsError)
		assert.Empty(t, res.RequestState)
		assert.False(t, res.NeedsInput())
		_, failed := call(t, cs, "drop", map[string]any{"table": "XX_A"})
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeConfirmationRequired, failed.Code)
		assert.Contains(t, failed.Message, "Drop XX_A?")
		assert.Contains(t, failed.Hint, "--confirm client")
		_, failed = call(t, cs, "drop", map[string]any{"table": "XX_A", "confirmation": "yes"})
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeInvalidArguments, failed.Code)
	})
}

// An operator can take the call of a client for its user's agreement.
func TestTheClientAnswersForItsUser(t *testing.T) {
	t.Parallel()
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) { o.Confirm = ConfirmClient })
	overAll(t, func(t *testing.T, how string) {
		for name, opts := range map[string]*sdk.ClientOptions{
			"cannot ask": nil,
			"could ask": {ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return nil, errors.New("nobody is to be asked")
			}},
		} {
			text, failed := call(t, in.connect(t, how, alice.token(t), opts), "drop", map[string]any{"table": "XX_A"})
			require.Nil(t, failed, "%s: %v", name, failed)
			assert.JSONEq(t, `{"dropped":"XX_A"}`, text)
		}
	})
	limits, err := mcp.NewBoundary(nil)
	require.NoError(t, err)
	_, err = New(Options{Catalog: testCatalog(), Boundary: limits, Confirm: "nobody"})
	require.ErrorContains(t, err, "user or client")
}

// The state of a question comes back from the client: it is believed only for
// the call it was made for.
func TestAForgedAnswerConfirmsNothing(t *testing.T) {
	t.Parallel()
	in := start(t, nil)
	opts := &sdk.ClientOptions{
		Capabilities:       &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}},
		MultiRoundTrip:     &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { panic("nobody asks") },
	}
	cs := in.connect(t, modernHTTP, alice.token(t), opts)
	yes := sdk.InputResponseMap{confirmKey: &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}}
	ask := func(table, state string) *sdk.CallToolResult {
		t.Helper()
		p := &sdk.CallToolParams{Name: "drop", Arguments: map[string]any{"table": table}, RequestState: state}
		if state != "" {
			p.InputResponses = yes
		}
		res, err := cs.CallTool(t.Context(), p)
		require.NoError(t, err)
		return res
	}
	first := ask("XX_A", "")
	require.True(t, first.NeedsInput())
	require.NotEmpty(t, first.RequestState)
	other := cs
	as := func(u user, how string, do func() *sdk.CallToolResult) *sdk.CallToolResult {
		cs = in.connect(t, how, u.token(t), opts)
		defer func() { cs = other }()
		return do()
	}
	stolen := func() *sdk.CallToolResult { return ask("XX_A", first.RequestState) }
	for what, res := range map[string]*sdk.CallToolResult{
		"of another table":   ask("XX_B", first.RequestState),
		"made up":            ask("XX_A", "yes"),
		"of another user":    as(bob, modernHTTP, stolen),
		"of another session": as(alice, legacyHTTP, stolen),
	} {
		assert.True(t, res.IsError, what)
		assert.False(t, res.NeedsInput(), what)
	}
	assert.False(t, ask("XX_A", first.RequestState).IsError)
	assert.True(t, ask("XX_A", first.RequestState).IsError, "it is good for one use")
}

// What changed while the user was asked is refused, and told, over every transport.
func TestWhatChangedMeanwhileIsTold(t *testing.T) {
	t.Parallel()
	var changed sync.Map // transports over which it did
	var done atomic.Int64
	in := start(t, func(o *Options, _ *mcp.BoundaryOptions) {
		o.Catalog.Tools = append(o.Catalog.Tools, mcp.New(mcp.Tool{Name: "credit", Description: "Changes a limit.", Confirms: true},
			func(ctx context.Context, c *mcp.Call, in struct {
				Of string `json:"of"`
			}) (any, error) {
				limit := 5000
				if _, ok := changed.Load(in.Of); ok {
					limit = 7777
				}
				if err := c.Confirmed(ctx, mcp.Ask("Change it?").Change("limit", limit, 9000)); err != nil {
					return nil, err
				}
				done.Add(1)
				return nil, nil
			}))
	})
	overAll(t, func(t *testing.T, how string) {
		cs := in.connect(t, how, alice.token(t), &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				changed.Store(how, true)
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
			},
		})
		_, failed := call(t, cs, "credit", map[string]any{"of": how})
		require.NotNil(t, failed)
		assert.Equal(t, mcp.CodeConflict, failed.Code)
		assert.Contains(t, failed.Message, "limit: from 5000 to 9000 -> limit: from 7777 to 9000")
		assert.Zero(t, done.Load())
	})
}

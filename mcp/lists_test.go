package mcp

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type inner struct {
	Names []string `json:"names"`
	More  []string `json:"more,omitempty"`
}

type base struct {
	Notes []string `json:"notes"`
}

type listing struct {
	Items  []inner         `json:"items"`
	Grid   [][]any         `json:"grid"`
	Point  *inner          `json:"point,omitempty"`
	Map    map[string]int  `json:"map,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Bytes  []byte          `json:"bytes"`
	Many   []*inner        `json:"many,omitempty"`
	hidden []string        // not encoded
	base
}

// A list is never null on the wire, its schema says so, and what the tool
// returned is not changed, because others may hold it, too.
func TestListsAreNeverNull(t *testing.T) {
	t.Parallel()
	shared := &listing{Items: []inner{{}, {Names: []string{"a"}}}, Grid: [][]any{nil, {1}}, Point: &inner{}, Many: []*inner{{}, nil}}
	tool := New(Tool{Name: "list", Description: "Lists.", Hints: Hints{ReadOnly: true}}, func(context.Context, *Call, struct{}) (*listing, error) { return shared, nil })
	value, err := tool.Invoke(t.Context(), &Call{})
	require.NoError(t, err)
	raw, err := Encode(value)
	require.NoError(t, err)
	assert.JSONEq(t, `{"items":[{"names":[]},{"names":["a"]}],"grid":[[],[1]],"point":{"names":[]},"bytes":null,"many":[{"names":[]},null],"notes":[]}`, string(raw))
	assert.Nil(t, shared.Items[0].Names)
	assert.Nil(t, shared.Grid[0])
	assert.Nil(t, shared.Point.Names)
	assert.Nil(t, shared.Notes)
	assert.Empty(t, shared.hidden)

	schema, err := json.Marshal(tool.Output)
	require.NoError(t, err)
	assert.NotContains(t, string(schema), `"array"]`)
	assert.NotContains(t, string(schema), `["null","array"`)
	assert.NotContains(t, string(schema), `"items":true`)
}

func TestAFullValueIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	whole := &base{Notes: []string{"x"}}
	tool := New(Tool{Name: "whole", Description: "Returns it.", Hints: Hints{ReadOnly: true}}, func(context.Context, *Call, struct{}) (*base, error) { return whole, nil })
	value, err := tool.Invoke(t.Context(), &Call{})
	require.NoError(t, err)
	assert.Same(t, whole, value)
}

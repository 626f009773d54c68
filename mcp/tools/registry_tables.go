package tools

import (
	"context"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

var readOnly = mcp.Hints{ReadOnly: true, Idempotent: true}

type listTablesIn struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the name in any case: % any text, _ one character; C_Order% finds C_Order and C_OrderLine; without % it is searched within if no name is just so. Empty: all"`
	CustomOnly bool   `json:"customOnly,omitempty" jsonschema:"only tables made here, with the prefix XX_"`
	Limit      int    `json:"limit,omitempty" jsonschema:"most tables to return"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

type tableLine struct {
	Name        string `json:"name"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	View        bool   `json:"view,omitempty"`
	Columns     int    `json:"columns"`
}

type listTablesOut struct {
	Tables []tableLine `json:"tables"`
	paged
}

func (b *Toolbox) listTables() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listTables", Title: "List tables", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Lists tables and views of the dictionary by a pattern of their names. When you know what a table is about but not its name, use searchRegistry; for columns, describeTable.",
		Input:       input[listTablesIn](between("limit", 1, 500, 50), shorter(200, "pattern")),
	}, func(ctx context.Context, c *mcp.Call, in listTablesIn) (*listTablesOut, error) {
		cursor := in.Cursor
		in.Cursor = ""
		return b.tables(ctx, c, cursor, in, registry.ListQuery{Pattern: in.Pattern, CustomOnly: in.CustomOnly, Limit: in.Limit})
	})
}

// tables lists tables for listTables and listTablesByEntity.
func (b *Toolbox) tables(ctx context.Context, c *mcp.Call, cursor string, question any, q registry.ListQuery) (*listTablesOut, error) {
	offset, err := offsetOf(cursor, c.Tool, question)
	if err != nil {
		return nil, err
	}
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	q.Offset = offset
	list, err := orWithin(q, func(q registry.ListQuery) (registry.Listing[registry.Table], error) { return reg.Tables(ctx, q) })
	if err != nil {
		return nil, err
	}
	lines := make([]tableLine, len(list.Items))
	for i, t := range list.Items {
		lines[i] = tableLine{Name: t.Name, Label: differs(t.Label, t.Name), Description: clip(t.Description, 100), View: t.View, Columns: t.ColumnCount}
	}
	out := &listTablesOut{}
	out.Tables, out.paged = page(c.Tool, question, lines, offset, list.Total)
	return out, nil
}

// orWithin lists what a pattern finds. A pattern without % that finds nothing is
// searched for within the names.
func orWithin[T any](q registry.ListQuery, list func(registry.ListQuery) (registry.Listing[T], error)) (registry.Listing[T], error) {
	found, err := list(q)
	if err != nil || found.Total > 0 || within(q.Pattern) == q.Pattern {
		return found, err
	}
	q.Pattern = within(q.Pattern)
	return list(q)
}

// differs is the label, unless it is the same as the name.
func differs(label, name string) string {
	if label == name {
		return ""
	}
	return label
}

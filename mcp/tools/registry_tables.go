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
	turning
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
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listTablesIn, p pager) (*listTablesOut, error) {
		return tables(ctx, reg, p, registry.ListQuery{Pattern: in.Pattern, CustomOnly: in.CustomOnly, Limit: in.Limit})
	}))
}

// tables lists tables for listTables and listTablesByEntity.
func tables(ctx context.Context, reg registry.Registry, p pager, q registry.ListQuery) (out *listTablesOut, err error) {
	out = &listTablesOut{}
	out.Tables, out.paged, err = listing(ctx, p, q, reg.Tables, func(t *registry.Table) tableLine {
		return tableLine{Name: t.Name, Label: differs(t.Label, t.Name), Description: clip(t.Description, 100), View: t.View, Columns: t.ColumnCount}
	})
	return out, err
}

// differs is the label, unless it is the same as the name.
func differs(label, name string) string {
	if label == name {
		return ""
	}
	return label
}

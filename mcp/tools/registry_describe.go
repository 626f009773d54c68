package tools

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

type describeTableIn struct {
	Table  string `json:"table" jsonschema:"name of a table or view in any case, such as C_Order"`
	Detail string `json:"detail,omitempty" jsonschema:"lines: all columns in short; names: names only; summary: one object a column; full: with descriptions, defaults and rules"`
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page of columns"`
}

type indexLine struct {
	Name    string   `json:"name"`
	Unique  bool     `json:"unique,omitempty"`
	Columns []string `json:"columns"`
}

type describeTableOut struct {
	Name        string       `json:"name"`
	Label       string       `json:"label,omitempty"`
	Description string       `json:"description,omitempty"`
	Help        string       `json:"help,omitempty"`
	View        bool         `json:"view,omitempty"`
	AccessLevel string       `json:"accessLevel" jsonschema:"whose data it holds: Organization, Client+Organization, System …"`
	EntityType  string       `json:"entityType"`
	ChangeLog   bool         `json:"changeLog" jsonschema:"whether changes of its records are kept in AD_ChangeLog"`
	Window      string       `json:"window,omitempty" jsonschema:"window that shows its records"`
	Lines       []string     `json:"lines,omitempty" jsonschema:"columns by type, lists with code=name, tables around; ! mandatory, >T points to table T"`
	Columns     []columnLine `json:"columns,omitempty"`
	Indexes     []indexLine  `json:"indexes,omitempty"`
	paged
}

// ResultText is part of [mcp.Texter].
func (o *describeTableOut) ResultText() string {
	if len(o.Lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(o.Name)
	if o.Label != "" {
		b.WriteString(" (" + o.Label + ")")
	}
	if o.View {
		b.WriteString(", a view")
	}
	if o.Description != "" {
		b.WriteString(": " + o.Description)
	}
	b.WriteString("\naccess level " + o.AccessLevel + ", entity type " + o.EntityType + ", change log " + map[bool]string{true: "yes", false: "no"}[o.ChangeLog])
	if o.Window != "" {
		b.WriteString(", window " + o.Window)
	}
	b.WriteString("\n! mandatory, >T: points to table T\n")
	b.WriteString(strings.Join(o.Lines, "\n"))
	if o.Truncated {
		b.WriteString("\nmore follow: call again with the cursor " + o.NextCursor)
	}
	for _, note := range o.Notes {
		b.WriteString("\nnote: " + note)
	}
	return b.String()
}

func (b *Toolbox) describeTable() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "describeTable", Title: "Describe a table", Sets: []string{SetRegistry, SetQuery}, Hints: readOnly,
		Description: "Describes one table: its columns with types, keys, list values, the tables they point to and those that point to it. Call it before you write SQL or filters.",
		Input:       input[describeTableIn](oneOf("detail", "lines", "names", "summary", "full"), shorter(120, "table")),
	}, ofDictionary(b, func(ctx context.Context, c *mcp.Call, reg registry.Registry, in describeTableIn) (*describeTableOut, error) {
		cursor := in.Cursor
		in.Cursor = ""
		p, err := pagerFor(c, cursor, in)
		if err != nil {
			return nil, err
		}
		state := registry.State(reg)
		t, err := state.Table(ctx, in.Table, registry.WithoutColumns)
		if err != nil {
			return nil, err
		}
		d, err := registry.Derive(state, described{t.ID, in.Detail}, func() (*tableDescription, error) {
			return describeTableOf(ctx, state, t.ID, in.Detail)
		})
		if err != nil {
			return nil, err
		}
		out := d.head
		if in.Detail == "lines" {
			out.Lines, out.paged = d.lines.page(p)
		} else {
			out.Columns, out.paged = d.columns.page(p)
		}
		return &out, nil
	}))
}

// described is what a description depends on, besides the dictionary.
type described struct {
	table  int
	detail string
}

// tableDescription is a description before it is cut into pages.
type tableDescription struct {
	head    describeTableOut // all but columns and pages
	lines   whole[string]
	columns whole[columnLine]
}

// whole is a list of a description, and how much of it fits into the first page.
type whole[T any] struct {
	items []T
	first int
}

func wholeOf[T any](items []T) whole[T] { return whole[T]{items, len(fitting(items))} }

func (w whole[T]) page(p pager) ([]T, paged) {
	if p.offset == 0 {
		return cut(p, w.items[:w.first:w.first], len(w.items))
	}
	return page(p, from(w.items, p.offset), len(w.items))
}

func describeTableOf(ctx context.Context, reg registry.Registry, id int, detail string) (*tableDescription, error) {
	t, err := reg.Table(ctx, strconv.Itoa(id))
	if err != nil {
		return nil, err
	}
	d := &tableDescription{head: describeTableOut{
		Name: t.Name, Label: differs(t.Label, t.Name), Description: clip(t.Description, 400), View: t.View,
		AccessLevel: t.AccessLevel.String(), EntityType: t.EntityType, ChangeLog: t.ChangeLog,
	}}
	if detail == "full" {
		d.head.Help = clip(t.Help, 2000)
		for _, x := range t.Indexes[:min(len(t.Indexes), 50)] {
			line := indexLine{Name: x.Name, Unique: x.Unique}
			for _, col := range x.Columns {
				line.Columns = append(line.Columns, col.Column)
			}
			d.head.Indexes = append(d.head.Indexes, line)
		}
	}
	if t.WindowID > 0 {
		d.head.Window = registry.WindowName(ctx, reg, t.WindowID)
	}
	if detail == "lines" {
		var lines []string
		lines, err = registry.DescribeTable(ctx, reg, &t)
		d.lines = wholeOf(lines)
	} else {
		d.columns = wholeOf(linesOf(t.Columns, detail))
	}
	return d, errors.Join(err, ctx.Err()) // what a context that ended left out is not kept
}

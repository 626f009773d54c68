package tools

import (
	"context"
	"strings"

	"github.com/erphub/erphub/dict/describe"
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
	b.WriteString("\naccess level " + o.AccessLevel + ", entity type " + o.EntityType)
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
		Name: "describeTable", Title: "Describe a table", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Describes one table: its columns with types, keys, list values, the tables they point to and those that point to it. Call it before you write SQL or filters.",
		Input:       input[describeTableIn](oneOf("detail", "lines", "names", "summary", "full"), shorter(120, "table")),
	}, func(ctx context.Context, c *mcp.Call, in describeTableIn) (*describeTableOut, error) {
		cursor := in.Cursor
		in.Cursor = ""
		offset, err := offsetOf(cursor, "describeTable", in)
		if err != nil {
			return nil, err
		}
		reg, err := b.registry(ctx, c)
		if err != nil {
			return nil, err
		}
		t, err := reg.Table(ctx, in.Table)
		if err != nil {
			return nil, fromDict(err)
		}
		out := &describeTableOut{
			Name: t.Name, Label: differs(t.Label, t.Name), Description: clip(t.Description, 400), View: t.View,
			AccessLevel: t.AccessLevel.String(), EntityType: t.EntityType,
		}
		if in.Detail == "full" {
			out.Help = clip(t.Help, 2000)
			for _, x := range t.Indexes[:min(len(t.Indexes), 50)] {
				line := indexLine{Name: x.Name, Unique: x.Unique}
				for _, col := range x.Columns {
					line.Columns = append(line.Columns, col.Column)
				}
				out.Indexes = append(out.Indexes, line)
			}
		}
		if t.WindowID > 0 {
			out.Window = describe.WindowName(ctx, reg, t.WindowID)
		}
		if in.Detail == "lines" {
			lines, err := describe.Lines(ctx, reg, &t)
			if err != nil {
				return nil, fromDict(err)
			}
			out.Lines, out.paged = page("describeTable", in, from(lines, offset), offset, len(lines))
			return out, nil
		}
		out.Columns, out.paged = page("describeTable", in, linesOf(from(t.Columns, offset), in.Detail), offset, len(t.Columns))
		return out, nil
	})
}

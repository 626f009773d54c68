package tools

import (
	"context"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// columnLine is a column in a few words. Flags that are false and texts that
// are empty are left out.
type columnLine struct {
	Name        string `json:"name"`
	Table       string `json:"table,omitempty"`
	Type        string `json:"type,omitempty" jsonschema:"display type, such as Table Direct"`
	Label       string `json:"label,omitempty"`
	References  string `json:"references,omitempty" jsonschema:"table it points to"`
	List        string `json:"list,omitempty" jsonschema:"see listReferences"`
	Length      int    `json:"length,omitempty"`
	Key         bool   `json:"key,omitempty"`
	Parent      bool   `json:"parent,omitempty"`
	Mandatory   bool   `json:"mandatory,omitempty"`
	Virtual     bool   `json:"virtual,omitempty" jsonschema:"computed: not for SQL"`
	Hidden      bool   `json:"hidden,omitempty" jsonschema:"masked in queries"`
	Description string `json:"description,omitempty"`
	Help        string `json:"help,omitempty"`
	Default     string `json:"default,omitempty"`
	Rule        string `json:"rule,omitempty"`
	ReadOnly    bool   `json:"readOnly,omitempty"`
}

func lineOf(col *registry.Column, detail string) columnLine {
	line := columnLine{Name: col.Name}
	if detail == "names" {
		return line
	}
	line.Type, line.Label, line.References, line.Key, line.Parent, line.Mandatory = col.TypeName, differs(col.Label, col.Name), col.ForeignTable, col.Key, col.Parent, col.Mandatory
	line.Virtual, line.Hidden = col.Virtual(), col.Encrypted || col.Secure
	if col.Type.IsList() {
		line.List = col.Reference
	}
	if col.Type.IsText() {
		line.Length = col.Length
	}
	if detail != "full" {
		return line
	}
	line.Description, line.Help = clip(col.Description, 200), clip(col.Help, 300)
	line.Default, line.Rule, line.ReadOnly = col.Default, col.ValRule, !col.Updateable
	return line
}

func linesOf(columns []registry.Column, detail string) []columnLine {
	lines := make([]columnLine, len(columns))
	for i := range columns {
		lines[i] = lineOf(&columns[i], detail)
	}
	return lines
}

// fewColumns are listed with what they mean.
const fewColumns = 10

type listColumnsIn struct {
	Table   string `json:"table,omitempty" jsonschema:"only of this table; empty: of all tables, then give a pattern"`
	Pattern string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the column name in any case, such as %BPartner%"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most columns to return"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

type listColumnsOut struct {
	Columns []columnLine `json:"columns"`
	paged
}

func (b *Toolbox) listColumns() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "listColumns", Title: "List columns", Sets: []string{SetRegistry}, Hints: readOnly,
		Description: "Lists columns by a pattern, of one table or of all: which tables have a column like %Discount%? For all columns of one table, describeTable tells more.",
		Input:       input[listColumnsIn](between("limit", 1, 500, 50), shorter(200, "pattern", "table")),
	}, func(ctx context.Context, c *mcp.Call, in listColumnsIn) (*listColumnsOut, error) {
		cursor := in.Cursor
		in.Cursor = ""
		if in.Table == "" && in.Pattern == "" {
			return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "listColumns needs a table or a pattern", Hint: `such as {"pattern": "%Discount%"}`}
		}
		offset, err := offsetOf(cursor, "listColumns", in)
		if err != nil {
			return nil, err
		}
		reg, err := b.registry(ctx, c)
		if err != nil {
			return nil, err
		}
		list, err := orWithin(registry.ListQuery{Pattern: in.Pattern, Limit: in.Limit, Offset: offset}, func(q registry.ListQuery) (registry.Listing[registry.Column], error) {
			return reg.Columns(ctx, in.Table, q)
		})
		if err != nil {
			return nil, fromDict(err)
		}
		lines := linesOf(list.Items, "summary")
		for i := range lines {
			if len(lines) <= fewColumns { // somebody wants to know what they are
				lines[i].Description = clip(list.Items[i].Description, 200)
			}
			if in.Table == "" {
				lines[i].Table = list.Items[i].Table
			}
		}
		out := &listColumnsOut{}
		out.Columns, out.paged = page("listColumns", in, lines, offset, list.Total)
		return out, nil
	})
}

type getTableColumnsIn struct {
	TableName string `json:"tableName" jsonschema:"name of a table in any case, such as C_BPartner"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

type getTableColumnsOut struct {
	TableName string       `json:"tableName"`
	Columns   []columnLine `json:"columns"`
	paged
}

func (b *Toolbox) getTableColumns() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getTableColumns", Title: "Columns of a table", Sets: []string{SetQuery, SetChat}, Hints: readOnly,
		Description: "The columns of a table, spelled as filters need them. Call it before searchRecords with a filter.",
		Input:       input[getTableColumnsIn](shorter(120, "tableName")),
	}, func(ctx context.Context, c *mcp.Call, in getTableColumnsIn) (*getTableColumnsOut, error) {
		cursor := in.Cursor
		in.Cursor = ""
		offset, err := offsetOf(cursor, "getTableColumns", in)
		if err != nil {
			return nil, err
		}
		name, lines, err := b.columnLines(ctx, c, in.TableName)
		if err != nil {
			return nil, err
		}
		out := &getTableColumnsOut{TableName: name}
		out.Columns, out.paged = page("getTableColumns", in, from(lines, offset), offset, len(lines))
		return out, nil
	})
}

// columnLines are the columns of a table: from the dictionary, or where no
// backend in use has one, from one that can describe single tables.
func (b *Toolbox) columnLines(ctx context.Context, c *mcp.Call, table string) (string, []columnLine, error) {
	t, err := b.table(ctx, c, table)
	if err != nil {
		return "", nil, err
	}
	if t != nil {
		return t.Name, linesOf(t.Columns, "summary"), nil
	}
	m, _, err := backend.Read(ctx, b.pool, "describe tables", func(ctx context.Context, d backend.Describer) (*api.TableMetadata, error) {
		return d.Describe(ctx, c.Caller, nil, table)
	})
	if err != nil {
		return "", nil, err
	}
	lines := make([]columnLine, 0, len(m.Columns))
	for _, col := range m.Columns {
		line := columnLine{
			Name: col.Name, Type: col.Type, Label: differs(col.Label, col.Name), References: col.References, Length: col.Length,
			Key: col.Key, Parent: col.Parent, Mandatory: col.Mandatory, Virtual: col.Virtual, Hidden: col.Redacted,
		}
		if len(col.Values) > 0 {
			line.List = col.Reference
		}
		lines = append(lines, line)
	}
	return m.Name, lines, nil
}

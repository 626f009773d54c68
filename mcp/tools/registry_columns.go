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
	return mapped(columns, func(col *registry.Column) columnLine { return lineOf(col, detail) })
}

// fewColumns are listed with what they mean.
const fewColumns = 10

type listColumnsIn struct {
	Table   string `json:"table,omitempty" jsonschema:"only of this table; empty: of all tables, then give a pattern"`
	Pattern string `json:"pattern,omitempty" jsonschema:"SQL LIKE pattern of the column name in any case, such as %BPartner%"`
	Limit   int    `json:"limit,omitempty" jsonschema:"most columns to return"`
	turning
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
	}, ofPages(b, func(ctx context.Context, reg registry.Registry, in listColumnsIn, p pager) (*listColumnsOut, error) {
		if in.Table == "" && in.Pattern == "" {
			return nil, fail(mcp.CodeInvalidArguments, `such as {"pattern": "%Discount%"}`, "listColumns needs a table or a pattern")
		}
		few := false // somebody wants to know what they are
		columns := func(ctx context.Context, q registry.ListQuery) (registry.Listing[registry.Column], error) {
			found, err := reg.Columns(ctx, in.Table, q)
			few = len(found.Items) <= fewColumns
			return found, err
		}
		out := &listColumnsOut{}
		var err error
		out.Columns, out.paged, err = listing(ctx, p, registry.ListQuery{Pattern: in.Pattern, Limit: in.Limit}, columns, func(col *registry.Column) columnLine {
			line := lineOf(col, "summary")
			if few {
				line.Description = clip(col.Description, 200)
			}
			if in.Table == "" {
				line.Table = col.Table
			}
			return line
		})
		return out, err
	}))
}

type getTableColumnsIn struct {
	TableName string `json:"tableName" jsonschema:"name of a table in any case, such as C_BPartner"`
	turning
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
		p, err := pagerOf(c, &in)
		if err != nil {
			return nil, err
		}
		name, lines, err := b.columnLines(ctx, c, in.TableName)
		if err != nil {
			return nil, err
		}
		out := &getTableColumnsOut{TableName: name}
		out.Columns, out.paged = page(p, from(lines, p.offset), len(lines))
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
	lines := mapped(m.Columns, func(col *api.ColumnMetadata) columnLine {
		line := columnLine{
			Name: col.Name, Type: col.Type, Label: differs(col.Label, col.Name), References: col.References, Length: col.Length,
			Key: col.Key, Parent: col.Parent, Mandatory: col.Mandatory, Virtual: col.Virtual, Hidden: col.Redacted,
		}
		if len(col.Values) > 0 {
			line.List = col.Reference
		}
		return line
	})
	return m.Name, lines, nil
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/mcp"
)

type columnIn struct {
	Name        string    `json:"name" jsonschema:"XX_Kind; C_BPartner_ID points to C_BPartner"`
	Type        string    `json:"type" jsonschema:"String, Text, Integer, Number, Amount, Quantity, Date, Date+Time, Yes-No, List, Table, Table Direct, Search, Button, or another display type"`
	Label       string    `json:"label,omitempty" jsonschema:"what people read"`
	Description string    `json:"description,omitempty" jsonschema:"one line about it"`
	Length      int       `json:"length,omitempty" jsonschema:"of texts: most characters"`
	Mandatory   bool      `json:"mandatory,omitempty" jsonschema:"must have a value"`
	Default     string    `json:"default,omitempty" jsonschema:"value of new records"`
	Unique      bool      `json:"unique,omitempty" jsonschema:"each value once"`
	Identifier  bool      `json:"identifier,omitempty" jsonschema:"part of how a record is shown"`
	Parent      bool      `json:"parent,omitempty" jsonschema:"the table this one belongs to"`
	PointsTo    string    `json:"pointsTo,omitempty" jsonschema:"of Table and Search"`
	Reference   string    `json:"reference,omitempty" jsonschema:"existing reference, such as _Document Status"`
	Values      []valueIn `json:"values,omitempty" jsonschema:"of a new List"`
}

type valueIn struct {
	Value string `json:"value" jsonschema:"code that is stored"`
	Name  string `json:"name" jsonschema:"what people read"`
}

// tableOf is the requested table.
func (b *Toolbox) tableOf(ctx context.Context, c *mcp.Call, in *createTableIn) (dict.Table, error) {
	t := dict.NewTable(in.Table).WithLabel(in.Label).WithDescription(in.Description).WithHelp(in.Help).
		WithAccessLevel(dict.AccessLevel(in.AccessLevel)).WithEntityType(in.EntityType)
	t.Replication = dict.Replication(in.Replication)
	t.ChangeLog, t.HighVolume, t.NotDeleteable, t.Security = in.ChangeLog, in.HighVolume, in.NoDelete, in.Security
	t.View, t.Partition, t.Drill = in.View, in.Partition, in.Drill
	if !in.NoStandardColumns {
		t = t.With(dict.Standard)
	}
	for _, name := range in.Templates {
		template, _ := dict.ParseTemplate(name) // the schema allows no other
		t = t.With(template)
	}
	var problems []string
	for i := range in.Columns {
		col, err := b.columnOf(ctx, c, in.Table, &in.Columns[i])
		var wrong *mcp.Error
		switch {
		case errors.As(err, &wrong) && (wrong.Code == mcp.CodeInvalidArguments || wrong.Code == mcp.CodeNotFound):
			problems = append(problems, wrong.Error())
		case err != nil:
			return t, err
		}
		t = t.Column(col)
	}
	if len(problems) > 0 {
		return t, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("createTable: columns cannot be created as requested", problems), Hint: "nothing was changed; fix the columns and call again"}
	}
	if in.ImportInto != "" {
		var err error
		if t, err = b.importInto(ctx, c, in, t); err != nil {
			return t, err
		}
	}
	if in.CreateWindow {
		w := dict.Window{}
		if c.Caller.Known {
			w.Roles = []int{c.Caller.RoleID}
		}
		t = t.WithWindow(w)
	}
	return t, nil
}

// importInto has a table feed another one.
func (b *Toolbox) importInto(ctx context.Context, c *mcp.Call, in *createTableIn, t dict.Table) (dict.Table, error) {
	if !slices.Contains(in.Templates, string(dict.Import)) {
		return t, fail(mcp.CodeInvalidArguments, `add "IMPORT" to templates, or leave importInto out`, "createTable: importInto belongs to the template IMPORT")
	}
	reg, err := b.registry(ctx, c)
	if err != nil {
		return t, err
	}
	info, err := reg.Table(ctx, in.ImportInto)
	if err != nil {
		return t, fromDict(err)
	}
	ctx, client, err := b.connect(ctx, c, "read tables to import into")
	if err != nil {
		return t, err
	}
	columns, err := readColumns(ctx, client, info.Name)
	if err != nil {
		return t, err
	}
	return t.ImportInto(info.Name, columns), nil
}

// columnOf is a requested column.
func (b *Toolbox) columnOf(ctx context.Context, c *mcp.Call, table string, in *columnIn) (dict.Column, error) {
	wrong := func(hint, format string, args ...any) error {
		return fail(mcp.CodeInvalidArguments, hint, "column %s: %s", clip(in.Name, 63), fmt.Sprintf(format, args...))
	}
	col := dict.Column{
		Name: in.Name, Label: in.Label, Description: in.Description, Length: in.Length, Mandatory: in.Mandatory, Default: in.Default,
		Unique: in.Unique, Identifier: in.Identifier, Parent: in.Parent,
	}
	var known bool
	if col.Type, known = dict.ParseDisplayType(in.Type); !known {
		hint := "types are String, Text, Integer, Number, Amount, Date, Yes-No, List, Table Direct and more"
		if near := mcp.Nearest(in.Type, mapped(dict.DisplayTypes(), func(t *dict.DisplayType) string { return t.String() })); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return col, wrong(hint, "there is no display type %q", clip(in.Type, 40))
	}
	given := 0
	for _, is := range []bool{in.PointsTo != "", in.Reference != "", len(in.Values) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return col, wrong("", "give one of pointsTo, reference and values")
	case len(in.Values) > 0 && !col.Type.IsList():
		return col, wrong("use the type List", "only a List has values")
	case in.PointsTo != "" && !col.Type.IsLookup():
		return col, wrong("use the type Table, Search or Table Direct", "type %s points to no table", col.Type)
	case len(in.Values) > 0:
		values := mapped(in.Values, func(v *valueIn) dict.ListValue { return dict.ListValue{Value: v.Value, Name: v.Name} })
		col.Reference = dict.List(table+" "+in.Name, values...)
	case in.PointsTo != "":
		return col, b.pointTo(ctx, c, table, in.PointsTo, &col)
	case in.Reference != "":
		reg, err := b.registry(ctx, c)
		if err != nil {
			return col, err
		}
		r, err := reg.Reference(ctx, in.Reference)
		if err != nil {
			return col, fromDict(err)
		}
		leads := ""
		if r.Lookup != nil {
			leads = r.Lookup.Table
		}
		col.Reference = dict.ExistingReference(r.Name, 0, leads)
		if col.Type.IsList() && col.Length == 0 {
			for _, v := range r.Values {
				col.Length = max(col.Length, utf8.RuneCountInString(v.Value))
			}
		}
	}
	return col, nil
}

// pointTo makes a column lead to a table.
func (b *Toolbox) pointTo(ctx context.Context, c *mcp.Call, table, to string, col *dict.Column) error {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return err
	}
	name := to
	if !strings.EqualFold(to, table) { // it may point to itself
		info, err := reg.Table(ctx, to)
		if err != nil {
			return fromDict(err)
		}
		name = info.Name
	}
	switch {
	case strings.EqualFold(col.Name, name+"_ID"):
		return nil // the name says it
	case col.Type == dict.TypeTableDir:
		hint := fmt.Sprintf("call the column %s_ID, or use the type Table", name)
		return fail(mcp.CodeInvalidArguments, hint, "column %s: Table Direct points to the table in the column's name", clip(col.Name, 63))
	}
	col.Reference = dict.Lookup(table+" "+col.Name, dict.TableLookup{Table: name})
	return nil
}

package dictionary

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/nearest"
)

// dictDescribe shows a table, or one of its columns.
func (a *app) dictDescribe(c *cli.Context) error {
	name, column, one := strings.Cut(c.Args().First(), ".")
	reg, err := a.dictionary(c)
	if err != nil {
		return err
	}
	t, err := reg.Table(c.Context, name)
	if err != nil {
		return searchHint(err)
	}
	if one {
		return a.describeColumn(c, reg, &t, column)
	}
	return a.describeTableOf(c, reg, &t)
}

// columnReport is a column for a machine.
type columnReport struct {
	Name        string `json:"name"`
	Label       string `json:"label,omitempty"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type"`
	Length      int    `json:"length,omitempty"`
	Mandatory   bool   `json:"mandatory,omitempty"`
	Key         bool   `json:"key,omitempty"`
	Parent      bool   `json:"parent,omitempty"`
	Identifier  bool   `json:"identifier,omitempty"`
	Virtual     bool   `json:"virtual,omitempty"`
	PointsTo    string `json:"pointsTo,omitempty"`
	Reference   string `json:"reference,omitempty"`
	Default     string `json:"default,omitempty"`
	EntityType  string `json:"entityType"`
}

func columnReportOf(c *registry.Column) columnReport {
	return columnReport{c.Name, c.Label, c.Description, c.TypeName, c.Length, c.Mandatory, c.Key, c.Parent, c.Identifier, c.Virtual(),
		c.ForeignTable, c.Reference, c.Default, c.EntityType}
}

// tableReport is a table for a machine.
type tableReport struct {
	tableLine
	Help      string             `json:"help,omitempty"`
	Windows   []string           `json:"windows,omitempty"`
	Columns   []columnReport     `json:"columns"`
	Indexes   []indexReport      `json:"indexes,omitempty"`
	PointedBy []registry.Pointer `json:"pointedBy,omitempty"`
	Lines     []string           `json:"lines"`
}

// indexReport is an index for a machine.
type indexReport struct {
	Name    string   `json:"name"`
	Unique  bool     `json:"unique,omitempty"`
	Columns []string `json:"columns"`
}

func (a *app) describeTableOf(c *cli.Context, reg *registry.Catalog, t *registry.Table) error {
	lines, err := registry.DescribeTable(c.Context, reg, t)
	if err != nil {
		return err
	}
	var windows []string
	for _, id := range []int{t.WindowID, t.POWindowID} {
		if name := registry.WindowName(c.Context, reg, id); name != "" {
			windows = append(windows, name)
		}
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	r := tableReport{tableLine: tableLine{t.Name, t.Label, t.EntityType, t.AccessLevel.String(), t.ColumnCount, t.View, t.Description},
		Help: t.Help, Windows: windows, Lines: lines}
	if r.PointedBy, err = reg.Pointing(c.Context, t.Name); err != nil {
		return err
	}
	switch {
	case choice.Format != output.FormatTable || choice.File != "":
		return a.PrintAs(c, choice, r, r.table(t))
	case c.Bool("lines"):
		return a.PrintAs(c, choice, nil, output.Table{Below: r.about() + shell.Printable("! mandatory, >T points to table T") + "\n\n" + printable(lines)})
	}
	out, err := r.forPeople(c.Context, reg, t)
	if err != nil {
		return err
	}
	return a.PrintAs(c, choice, nil, out)
}

// about are the two lines at the head of a table's description.
func (r *tableReport) about() string {
	head := r.Name
	if r.Label != "" && r.Label != r.Name {
		head += " (" + r.Label + ")"
	}
	if r.View {
		head += ", a view"
	}
	if r.Description != "" {
		head += ": " + r.Description
	}
	about := fmt.Sprintf("access %s, entity type %s, %s", r.Access, r.EntityType, shell.Count(r.tableLine.Columns, "column", "columns"))
	if len(r.Windows) > 0 {
		about += ", in the window " + strings.Join(r.Windows, " and ")
	}
	return printable([]string{head, about})
}

// printable are lines as a terminal may get them.
func printable(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&b, shell.Printable(line))
	}
	return b.String()
}

// forPeople is the table with a row for each column.
func (r *tableReport) forPeople(ctx context.Context, reg *registry.Catalog, t *registry.Table) (output.Table, error) {
	out := output.Table{Columns: output.Columns("column", "type", "", "label"), Above: r.about() + "\n"}
	for i := range t.Columns {
		col := &t.Columns[i]
		n := output.ColumnNotes{Key: col.Key, Mandatory: col.Mandatory && !col.Key, PointsTo: col.ForeignTable}
		if n.PointsTo == "" && col.ReferenceID != 0 {
			list, err := reg.Reference(ctx, strconv.Itoa(col.ReferenceID))
			if err != nil && !errors.Is(err, registry.ErrNotFound) {
				return out, err
			}
			for _, v := range list.Values {
				n.Values = append(n.Values, v.Value)
			}
		}
		kind := col.TypeName
		if col.Length > 0 && col.Type.IsText() {
			kind += fmt.Sprintf("(%d)", col.Length)
		}
		out.Rows = append(out.Rows, []string{col.Name, kind, n.String(), col.Label})
	}
	var details, others []string
	for _, p := range r.PointedBy {
		switch {
		case p.Parent:
			details = append(details, p.Table)
		case !p.View:
			others = append(others, p.Table+"."+p.Column)
		}
	}
	if len(details) > 0 {
		out.Below += printable([]string{"", "Details: " + output.Listed(details, 12) + "."})
	}
	if len(others) > 0 {
		out.Below += printable([]string{"", "Referenced by " + output.Listed(others, 12) + "."})
	}
	return out, nil
}

// table fills in the columns and indexes of a table, and is its columns in rows.
func (r *tableReport) table(t *registry.Table) output.Table {
	out := output.Table{List: "columns", Columns: output.Columns("column=name", "label", "type", ">length", "mandatory", "key", "points to=pointsTo",
		"reference", "default", "entity type=entityType", "description")}
	for i := range t.Columns {
		col := columnReportOf(&t.Columns[i])
		r.Columns = append(r.Columns, col)
		out.Rows = append(out.Rows, []string{col.Name, col.Label, col.Type, strconv.Itoa(col.Length), shell.YesNo(col.Mandatory), shell.YesNo(col.Key),
			col.PointsTo, col.Reference, col.Default, col.EntityType, col.Description})
	}
	for _, x := range t.Indexes {
		index := indexReport{Name: x.Name, Unique: x.Unique}
		for _, part := range x.Columns {
			index.Columns = append(index.Columns, part.Column)
		}
		r.Indexes = append(r.Indexes, index)
	}
	return out
}

func (a *app) describeColumn(c *cli.Context, reg *registry.Catalog, t *registry.Table, name string) error {
	column, ok := t.Column(name)
	if !ok {
		var names []string
		for _, has := range t.Columns {
			names = append(names, has.Name)
		}
		hint := fmt.Sprintf("`erphub dict describe %s` lists them", t.Name)
		if near := nearest.Name(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return fmt.Errorf("table %s has no column %q; %s", t.Name, name, hint)
	}
	lines, err := registry.DescribeColumn(c.Context, reg, &column)
	if err != nil {
		return err
	}
	value := map[string]any{"table": t.Name, "column": columnReportOf(&column)}
	out := output.Table{Columns: output.Columns("what", "is")}
	var values []string
	for _, l := range lines {
		if l[0] == "value" {
			values = append(values, l[1])
		}
		out.Rows = append(out.Rows, []string{l[0], l[1]})
	}
	if len(values) > 0 {
		value["values"] = values
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	if choice.Format != output.FormatTable || choice.File != "" {
		return a.PrintAs(c, choice, value, out)
	}
	head := t.Name + "." + column.Name
	if column.Label != "" && column.Label != column.Name {
		head += " (" + column.Label + ")"
	}
	var b strings.Builder
	fmt.Fprintln(&b, shell.Printable(head))
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-18s %s\n", l[0], shell.Printable(strings.Join(strings.Fields(l[1]), " ")))
	}
	return a.PrintAs(c, choice, nil, output.Table{Below: b.String()})
}

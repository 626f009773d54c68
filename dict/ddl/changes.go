package ddl

import (
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

// Changes are the changes of a plan to tables: which it makes, and which columns of
// existing ones it adds or changes. A synchronisation names a table with
// all its columns; this tells what is new about it.
type Changes struct {
	plan     *dict.Plan
	tables   map[string]bool      // lower-case names of tables it makes
	columns  map[string]bool      // lower-case Table.Column that it makes
	changed  map[string][]string  // attributes it updates, by lower-case Table.Column
	physical map[string]bool      // lower-case Table.Column in what is synchronised
	renamed  map[string][2]string // table and name of what is renamed, by UUID
}

// ChangesOf looks through a plan.
func ChangesOf(plan *dict.Plan) *Changes {
	c := &Changes{plan: plan, tables: map[string]bool{}, columns: map[string]bool{}, changed: map[string][]string{}, physical: map[string]bool{},
		renamed: map[string][2]string{}}
	for _, step := range plan.Steps() {
		if run, ok := step.(*dict.RunStep); ok {
			c.noteRename(run)
		}
	}
	for _, step := range plan.Steps() {
		switch step := step.(type) {
		case *dict.RecordStep:
			switch {
			case step.Table == "AD_Table" && step.Action != dict.Update:
				c.tables[strings.ToLower(step.Text("TableName"))] = true
			case step.Table != "AD_Column":
			case step.Action != dict.Update:
				c.columns[columnPath(c.columnOf(step))] = true
			default:
				path := columnPath(c.columnOf(step))
				for _, f := range step.Values {
					c.changed[path] = append(c.changed[path], f.Column)
				}
			}
		case *dict.RunStep:
			if step.Purpose == dict.SyncTable && step.Physical != nil {
				for _, pc := range step.Physical.Columns {
					c.physical[columnPath(step.Physical.Table, pc.Name)] = true
				}
			}
		}
	}
	return c
}

func columnPath(table, column string) string { return strings.ToLower(table + "." + column) }

// MakesTable reports whether the plan makes the table.
func (c *Changes) MakesTable(table string) bool { return c.tables[strings.ToLower(table)] }

// MakesColumn reports whether the plan makes the column.
func (c *Changes) MakesColumn(table, column string) bool { return c.columns[columnPath(table, column)] }

// Column returns the change of the plan to an existing column. Rekey reports
// whether its foreign key has to be made anew.
func (c *Changes) Column(table, column string) (change Change, rekey bool) {
	for _, attribute := range c.changed[columnPath(table, column)] {
		switch attribute {
		case "AD_Reference_ID":
			change.Type, change.Default, rekey = true, true, true
		case "FieldLength":
			change.Type = true
		case "DefaultValue":
			change.Default = true
		case "IsMandatory":
			change.Nullable = true
		case "AD_Reference_Value_ID", "FKConstraintType", "FKConstraintName":
			rekey = true
		}
	}
	return change, rekey
}

// Relaxed is the column that a step makes optional although nothing that is
// synchronised has it: one that the table's definition no longer knows.
func (c *Changes) Relaxed(step *dict.RecordStep) (table, column string, ok bool) {
	if step.Table != "AD_Column" || step.Action != dict.Update {
		return "", "", false
	}
	mandatory, _ := step.Value("IsMandatory")
	table, column = c.columnOf(step)
	path := columnPath(table, column)
	if mandatory != dict.YesNo(false) || table == "" || column == "" || c.physical[path] || c.columns[path] {
		return "", "", false
	}
	return table, column, true
}

// columnOf is the table and the column that a step about a column is for; what
// it does not tell is empty.
func (c *Changes) columnOf(r *dict.RecordStep) (table, column string) {
	for range c.plan.Len() {
		if r.Action != dict.Update || r.Of == "" {
			break
		}
		step, _ := c.plan.Step(r.Of)
		of, ok := step.(*dict.RecordStep)
		if !ok {
			return "", ""
		}
		r = of
	}
	if owner, name, ok := c.renamedBy(r.Match, "AD_Column"); ok {
		return owner, name
	}
	name, _ := written(r, "ColumnName").(dict.Text)
	table, _ = c.tableOf(written(r, "AD_Table_ID"))
	return table, string(name)
}

// written is what a step writes into a column, or for an update what the record
// is found by.
func written(r *dict.RecordStep, column string) dict.Value {
	if r.Action == dict.Update {
		return matched(r.Match, column)
	}
	v, _ := r.Value(column)
	return v
}

func matched(list []dict.Match, column string) dict.Value {
	if i := slices.IndexFunc(list, func(m dict.Match) bool { return m.Column == column }); i >= 0 {
		return list[i].Value
	}
	return nil
}

// tableOf is the name of the table that a value of AD_Table_ID stands for, or
// the table that an index belongs to; and whether the plan makes the record.
func (c *Changes) tableOf(v dict.Value) (table string, made bool) {
	made = true
	for first := true; ; first = false {
		var kind string
		var look func(column string) dict.Value
		new := true
		switch known := v.(type) {
		case dict.Existing:
			kind, new = known.Table, false
			if _, name, ok := c.renamedBy(known.Match, "AD_Table"); ok {
				return name, false
			}
			look = func(column string) dict.Value { return matched(known.Match, column) }
		case dict.Ref:
			step, _ := c.plan.Step(dict.Key(known))
			r, ok := step.(*dict.RecordStep)
			if !ok {
				return "", false
			}
			if r.Action == dict.Update && r.Of != "" {
				v = dict.Ref(r.Of)
				continue
			}
			kind, new = r.Table, r.Action != dict.Update
			look = func(column string) dict.Value { return written(r, column) }
		default:
			return "", false
		}
		if first || kind == "AD_TableIndex" {
			made = made && new
		}
		switch kind {
		case "AD_Table":
			name, _ := look("TableName").(dict.Text)
			return string(name), made
		case "AD_TableIndex":
			v = look("AD_Table_ID")
		default:
			return "", false
		}
	}
}

// statements are what the plan means for one column of a table that is there,
// and for its foreign key.
func (c *Changes) statements(table string, column dict.PhysicalColumn, dialect dict.Dialect, opts *Options) (list, keys []Statement) {
	about := "column " + table + "." + column.Name
	if c.MakesColumn(table, column.Name) {
		for _, text := range AddColumn(table, column, dialect, opts.Style) {
			list = append(list, Statement{About: about, Text: text})
		}
		return list, foreignKeys(&dict.Physical{Table: table, Columns: []dict.PhysicalColumn{column}}, dialect, opts)
	}
	change, rekey := c.Column(table, column.Name)
	for _, text := range ChangeColumn(table, column, change, dialect) {
		list = append(list, Statement{About: about, Text: text})
	}
	if rekey && column.Foreign != nil {
		drop := DropConstraint("foreign key "+column.Foreign.Name, table, column.Foreign.Name, dialect)
		keys = append([]Statement{drop}, foreignKeys(&dict.Physical{Table: table, Columns: []dict.PhysicalColumn{column}}, dialect, opts)...)
	}
	return list, keys
}

// relax makes a column optional.
func relax(table, column string, dialect dict.Dialect) []Statement {
	var list []Statement
	for _, text := range ChangeColumn(table, dict.PhysicalColumn{Name: column}, Change{Nullable: true}, dialect) {
		list = append(list, Statement{About: "column " + table + "." + column, Text: text})
	}
	return list
}

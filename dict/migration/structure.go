package migration

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
)

// structure is what a plan does to tables, as far as their statements depend on
// it.
type structure struct {
	tables   map[string]bool     // lower-case names of tables it makes
	columns  map[string]bool     // lower-case Table.Column that it makes
	changed  map[string][]string // attributes it updates, by lower-case Table.Column
	physical map[string]bool     // lower-case Table.Column in what is synchronised
	lastSync int                 // number of the last synchronisation
}

func (s structure) makes(table string) bool { return s.tables[strings.ToLower(table)] }

func structureOf(plan *dict.Plan) structure {
	s := structure{tables: map[string]bool{}, columns: map[string]bool{}, changed: map[string][]string{}, physical: map[string]bool{}}
	b := &builder{plan: plan}
	for i, step := range plan.Steps() {
		switch step := step.(type) {
		case *dict.Record:
			switch {
			case step.Table == "AD_Table" && step.Action != dict.Update:
				s.tables[strings.ToLower(step.Text("TableName"))] = true
			case step.Table == "AD_Column" && step.Action != dict.Update:
				s.columns[b.columnName(step)] = true
			case step.Table == "AD_Column":
				name := b.columnName(step)
				for _, f := range step.Values {
					s.changed[name] = append(s.changed[name], f.Column)
				}
			}
		case *dict.Process:
			if step.Role != dict.SyncTable {
				continue
			}
			s.lastSync = i
			if step.Physical != nil {
				for _, c := range step.Physical.Columns {
					s.physical[strings.ToLower(step.Physical.Table+"."+c.Name)] = true
				}
			}
		}
	}
	return s
}

// columnName is the lower-case Table.Column that a step about a column is for;
// what it does not tell is left out.
func (b *builder) columnName(r *dict.Record) string {
	if r.Action == dict.Update && r.Of != "" {
		if of, err := b.recordOf(r.Of); err == nil {
			return b.columnName(of)
		}
	}
	table, _ := r.Value("AD_Table_ID")
	column, _ := r.Value("ColumnName")
	if r.Action == dict.Update {
		table, column = matchValue(r.Match, "AD_Table_ID"), matchValue(r.Match, "ColumnName")
	}
	name, _ := column.(dict.Text)
	return strings.ToLower(b.tableName(table) + "." + string(name))
}

// changeColumn writes the statements for a column of a table that is in the
// database: it is new, it is changed, or it stays as it is.
func (b *builder) changeColumn(table string, c dict.PhysicalColumn) {
	name := strings.ToLower(table + "." + c.Name)
	about := "column " + table + "." + c.Name
	if b.structure.columns[name] {
		for _, text := range ddl.AddColumn(table, c, b.dialect, ddl.Script) {
			b.add(about, text)
		}
		b.foreignKey(table, c)
		return
	}
	var change ddl.Change
	rekey := false
	for _, attribute := range b.structure.changed[name] {
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
	for _, text := range ddl.ChangeColumn(table, c, change, b.dialect) {
		b.add(about, text)
	}
	if rekey && c.Foreign != nil {
		if b.dialect == dict.PostgreSQL {
			b.add("foreign key "+c.Foreign.Name, ddl.DropForeignKey(table, c.Foreign.Name, b.dialect))
		}
		b.foreignKey(table, c)
	}
}

// relaxed writes the statement for a column that becomes optional although the
// table's definition no longer has it.
func (b *builder) relaxed(s *dict.Record) error {
	if s.Table != "AD_Column" {
		return nil
	}
	mandatory, _ := s.Value("IsMandatory")
	name := b.columnName(s)
	if mandatory != dict.YesNo(false) || b.structure.physical[name] || b.structure.columns[name] {
		return nil
	}
	table, column := b.tableName(matchValue(s.Match, "AD_Table_ID")), matchValue(s.Match, "ColumnName")
	text, ok := column.(dict.Text)
	if table == "" || !ok {
		return nil
	}
	for _, n := range []string{table, string(text)} {
		if err := checkName(n); err != nil {
			return err
		}
	}
	for _, statement := range ddl.ChangeColumn(table, dict.PhysicalColumn{Name: string(text)}, ddl.Change{Nullable: true}, b.dialect) {
		b.add("column "+table+"."+string(text), statement)
	}
	return nil
}

// foreignKey remembers the foreign key of a column.
func (b *builder) foreignKey(table string, c dict.PhysicalColumn) {
	fk := c.Foreign
	if fk == nil || fk.Rule == dict.FKNone {
		return
	}
	if fk.Table == "" && b.opts.Resolve != nil {
		if target, column, ok := b.opts.Resolve(fk.Reference); ok && checkName(target) == nil && checkName(column) == nil {
			known := *fk
			known.Table, known.Column = target, column
			if c.Type.IsUUID() {
				known.Column = target + "_UU"
			}
			c.Foreign = &known
		}
	}
	about := "foreign key " + fk.Name
	if text, ok := ddl.AddForeignKey(table, c, b.dialect); ok {
		b.keys = append(b.keys, Statement{About: about, Text: text})
		return
	}
	before := b.out
	b.out = nil
	b.lookedUpKey(about, table, c)
	b.keys = append(b.keys, b.out...)
	b.out = before
}

// lookedUpKey writes a block that makes a foreign key to the table of a
// reference that only the ERP knows; to a reference without table it makes none.
func (b *builder) lookedUpKey(about, table string, c dict.PhysicalColumn) {
	suffix := "_ID"
	if c.Type.IsUUID() {
		suffix = "_UU"
	}
	query := "SELECT t.TableName FROM AD_Ref_Table x JOIN AD_Reference r ON r.AD_Reference_ID=x.AD_Reference_ID JOIN AD_Table t ON t.AD_Table_ID=x.AD_Table_ID" +
		" WHERE r.Name=" + quote(strings.Join(strings.Fields(c.Foreign.Reference), " ")) + " AND t.IsView='N'"
	start := "ALTER TABLE " + table + " ADD CONSTRAINT " + c.Foreign.Name + " FOREIGN KEY (" + ddl.Name(c.Name, b.dialect) + ") REFERENCES "
	end := ddl.ForeignKeyRule(c.Foreign.Rule)
	target := "LOWER(k.TableName)||'('||LOWER(k.TableName)||'" + strings.ToLower(suffix) + ")'||"
	b.block(about,
		"DECLARE k RECORD; BEGIN FOR k IN "+query+" LOOP EXECUTE "+quote(start)+"||"+target+quote(end)+"; END LOOP; END",
		"BEGIN FOR k IN ("+query+") LOOP EXECUTE IMMEDIATE "+quote(start)+"||"+target+quote(end)+"; END LOOP; END;")
}

// checkPhysical refuses names that would be more than names in a statement.
func checkPhysical(p *dict.Physical) error {
	names := []string{p.Table}
	for _, c := range p.Columns {
		names = append(names, c.Name)
		if fk := c.Foreign; fk != nil {
			names = append(names, fk.Name)
			if fk.Table != "" {
				names = append(names, fk.Table, fk.Column)
			}
		}
	}
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
	}
	if len(p.Columns) == 0 {
		return fmt.Errorf("table %s has no columns", p.Table)
	}
	return nil
}

package migration

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/internal/sqlquote"
)

// changeColumn writes the statements for a column of a table that is in the
// database: it is new, it is changed, or it stays as it is.
func (b *builder) changeColumn(table string, c dict.PhysicalColumn) {
	about := "column " + table + "." + c.Name
	if b.changes.MakesColumn(table, c.Name) {
		for _, text := range ddl.AddColumn(table, c, b.dialect, ddl.Script) {
			b.add(about, text)
		}
		b.foreignKey(table, c)
		return
	}
	change, rekey := b.changes.Column(table, c.Name)
	for _, text := range ddl.ChangeColumn(table, c, change, b.dialect) {
		b.add(about, text)
	}
	if rekey && c.Foreign != nil {
		drop := ddl.DropConstraint("foreign key "+c.Foreign.Name, table, c.Foreign.Name, b.dialect)
		b.out = append(b.out, Statement{About: drop.About, Text: drop.Text, Block: drop.Block})
		b.foreignKey(table, c)
	}
}

// relaxed writes the statement for a column that becomes optional although the
// table's definition no longer has it.
func (b *builder) relaxed(s *dict.RecordStep) error {
	table, column, ok := b.changes.Relaxed(s)
	if !ok {
		return nil
	}
	for _, n := range []string{table, column} {
		if err := checkName(n); err != nil {
			return err
		}
	}
	for _, statement := range ddl.ChangeColumn(table, dict.PhysicalColumn{Name: column}, ddl.Change{Nullable: true}, b.dialect) {
		b.add("column "+table+"."+column, statement)
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
		" WHERE r.Name=" + sqlquote.Text(strings.Join(strings.Fields(c.Foreign.Reference), " ")) + " AND t.IsView='N'"
	start := "ALTER TABLE " + table + " ADD CONSTRAINT " + c.Foreign.Name + " FOREIGN KEY (" + ddl.Name(c.Name, b.dialect) + ") REFERENCES "
	end := ddl.ForeignKeyRule(c.Foreign.Rule)
	target := "LOWER(k.TableName)||'('||LOWER(k.TableName)||'" + strings.ToLower(suffix) + ")'||"
	b.block(about,
		"DECLARE k RECORD; BEGIN FOR k IN "+query+" LOOP EXECUTE "+sqlquote.Text(start)+"||"+target+sqlquote.Text(end)+"; END LOOP; END",
		"BEGIN FOR k IN ("+query+") LOOP EXECUTE IMMEDIATE "+sqlquote.Text(start)+"||"+target+sqlquote.Text(end)+"; END LOOP; END;")
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

package migration

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/internal/sqlquote"
)

// renameNames are the names of a step that renames, checked.
func renameNames(p *dict.RunStep) (*dict.Rename, error) {
	r := p.Rename
	if r == nil {
		return nil, fmt.Errorf("it does not say what is renamed")
	}
	names := []string{r.From, r.To}
	if p.Purpose == dict.RenameColumn {
		names = append(names, r.Table)
	}
	for _, name := range names {
		if err := checkName(name); err != nil {
			return nil, err
		}
	}
	if _, ok := dict.ParseUUID(string(r.UUID)); !ok {
		return nil, fmt.Errorf("the UUID %q of %s is none", r.UUID, r.From)
	}
	return r, nil
}

// renameColumn gives a column another name and the element that goes with it, as the
// ERP's own process does.
func (b *builder) renameColumn(p *dict.RunStep) error {
	r, err := renameNames(p)
	if err != nil {
		return err
	}
	element, err := b.recordOf(r.Element)
	if err != nil {
		return err
	}
	condition, err := b.condition(element)
	if err != nil {
		return err
	}
	sets := []string{"ColumnName=" + sqlquote.Text(r.To)}
	for _, column := range append([]string{"AD_Element_ID"}, termColumns...) {
		sets = append(sets, column+"=(SELECT "+column+" FROM AD_Element WHERE "+condition+")")
	}
	about := "column " + r.Table + "." + r.To
	b.add(about, ddl.RenameColumn(r.Table, r.From, r.To, b.dialect))
	b.add(about, "UPDATE AD_Column SET "+strings.Join(sets, ", ")+b.stamped()+" WHERE AD_Column_UU="+sqlquote.Text(string(r.UUID)))
	return nil
}

// stamped are the assignments that say when and by whom a row was changed.
func (b *builder) stamped() string {
	return ", Updated=" + b.now() + ", UpdatedBy=" + strconv.Itoa(b.opts.User)
}

// renameTable gives a table another name, and with it its sequences, and its id and
// UUID column in every table that has them.
func (b *builder) renameTable(p *dict.RunStep) error {
	r, err := renameNames(p)
	if err != nil {
		return err
	}
	about := "table " + r.To
	for _, suffix := range []string{"_ID", "_UU"} {
		b.renameEverywhere(about, r.From+suffix, r.To+suffix)
	}
	b.add(about, ddl.RenameTable(r.From, r.To))
	for _, s := range []struct{ from, to, about, isTable string }{
		{r.From, r.To, "Table " + r.To, "Y"},
		{"DocumentNo_" + r.From, "DocumentNo_" + r.To, "DocumentNo/Value for Table " + r.To, "N"},
	} {
		b.add(about, "UPDATE AD_Sequence SET Name="+sqlquote.Text(s.to)+", Description="+sqlquote.Text(s.about)+b.stamped()+
			" WHERE Name="+sqlquote.Text(s.from)+" AND IsTableID="+sqlquote.Text(s.isTable))
	}
	table := "(SELECT AD_Table_ID FROM AD_Table WHERE AD_Table_UU=" + sqlquote.Text(string(r.UUID)) + ")"
	for _, clauses := range []string{"AD_Tab", "AD_Ref_Table"} {
		for _, column := range []string{"WhereClause", "OrderByClause"} {
			b.add(about, "UPDATE "+clauses+" SET "+column+"="+b.qualified(column, r.From, r.To)+" WHERE AD_Table_ID="+table+
				" AND UPPER("+column+") LIKE "+sqlquote.Text("%"+strings.ToUpper(r.From)+".%"))
		}
	}
	b.add(about, "UPDATE AD_Table SET TableName="+sqlquote.Text(r.To)+b.stamped()+" WHERE AD_Table_UU="+sqlquote.Text(string(r.UUID)))
	return nil
}

// qualified is a clause in which what names the old table names the new one.
func (b *builder) qualified(column, from, to string) string {
	pattern, replacement := sqlquote.Text(`(^|[^A-Za-z0-9_])`+from+`\.`), sqlquote.Text(`\1`+to+`.`)
	if b.dialect == dict.PostgreSQL {
		return "REGEXP_REPLACE(" + column + ", " + pattern + ", " + replacement + ", 'gi')"
	}
	return "REGEXP_REPLACE(" + column + ", " + pattern + ", " + replacement + ", 1, 0, 'i')"
}

// renameEverywhere gives an element another name, and every column that has it. Which
// these are the database knows that the script is run on.
func (b *builder) renameEverywhere(about, from, to string) {
	element := "(SELECT AD_Element_ID FROM AD_Element WHERE UPPER(ColumnName)=" + sqlquote.Text(strings.ToUpper(from)) + ")"
	columns := "SELECT t.TableName, c.ColumnName FROM AD_Column c JOIN AD_Table t ON t.AD_Table_ID=c.AD_Table_ID" +
		" WHERE c.AD_Element_ID=" + element + " AND c.ColumnSQL IS NULL AND t.IsView='N'"
	statement := "'ALTER TABLE '||k.TableName||' RENAME COLUMN '||k.ColumnName||' TO " + to + "'"
	b.block(about,
		"DECLARE k RECORD; BEGIN FOR k IN "+columns+" LOOP EXECUTE "+statement+"; END LOOP; END",
		"BEGIN FOR k IN ("+columns+") LOOP EXECUTE IMMEDIATE "+statement+"; END LOOP; END;")
	for _, table := range []string{"AD_Column", "AD_Process_Para", "AD_InfoColumn"} {
		condition := " WHERE AD_Element_ID=" + element
		if table != "AD_Column" {
			condition += " AND IsCentrallyMaintained='Y'"
		}
		b.add(about, "UPDATE "+table+" SET ColumnName="+sqlquote.Text(to)+b.stamped()+condition)
	}
	b.add(about, "UPDATE AD_Element SET ColumnName="+sqlquote.Text(to)+b.stamped()+" WHERE UPPER(ColumnName)="+sqlquote.Text(strings.ToUpper(from)))
}

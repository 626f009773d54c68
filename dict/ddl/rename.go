package ddl

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
)

// RenameColumn is the statement that gives a column another name; what it holds stays.
func RenameColumn(table, from, to string, dialect dict.Dialect) string {
	return "ALTER TABLE " + table + " RENAME COLUMN " + Name(from, dialect) + " TO " + Name(to, dialect)
}

// RenameTable is the statement that gives a table another name; what it holds stays.
func RenameTable(from, to string) string { return "ALTER TABLE " + from + " RENAME TO " + to }

// renamed are the statements of a step that renames.
func renamed(step *dict.RunStep, dialect dict.Dialect) ([]Statement, error) {
	r := step.Rename
	if r == nil || !identifier(r.From) || !identifier(r.To) || r.Table != "" && !identifier(r.Table) {
		return nil, fmt.Errorf("step %s does not say what is renamed", step.Key)
	}
	if step.Purpose == dict.RenameColumn {
		return []Statement{{About: "column " + r.Table + "." + r.To, Text: RenameColumn(r.Table, r.From, r.To, dialect)}}, nil
	}
	about := "table " + r.To
	return []Statement{
		{About: about, Text: RenameTable(r.From, r.To)},
		{About: about, Comment: true, Text: fmt.Sprintf("the columns %[1]s_ID and %[1]s_UU become %[2]s_ID and %[2]s_UU, in every table that has them", r.From, r.To)},
		{About: about, Text: RenameColumn(r.To, r.From+"_ID", r.To+"_ID", dialect)},
		{About: about, Text: RenameColumn(r.To, r.From+"_UU", r.To+"_UU", dialect)},
	}, nil
}

// noteRename keeps what a renamed record is called afterwards, by its UUID.
func (c *Changes) noteRename(step *dict.RunStep) {
	if r := step.Rename; r != nil {
		c.renamed[strings.ToLower(string(r.UUID))] = [2]string{r.Table, r.To}
	}
}

// renamedBy is the table and the name of a record that is found by the UUID of
// something the plan renames; for tables the first is empty.
func (c *Changes) renamedBy(matches []dict.Match, table string) (owner, name string, ok bool) {
	uuid, _ := matched(matches, table+"_UU").(dict.Text)
	names, ok := c.renamed[strings.ToLower(string(uuid))]
	return names[0], names[1], ok && uuid != ""
}

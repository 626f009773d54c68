package ddl

import (
	"fmt"

	"github.com/erphub/erphub/dict"
)

// RebuildIndex is the statements of a step that builds an index. One that the
// plan does not make may be in the database in another form, and goes first.
func RebuildIndex(plan *dict.Plan, step *dict.RunStep, dialect dict.Dialect) ([]Statement, error) {
	if step.Index == nil {
		return nil, fmt.Errorf("step %s does not say what index %s has to look like", step.Key, step.Name)
	}
	table, made := ChangesOf(plan).tableOf(step.Record)
	if table == "" {
		return nil, fmt.Errorf("step %s does not say which table index %s belongs to", step.Key, step.Name)
	}
	for _, name := range append([]string{table, step.Index.Name}, step.Index.Columns...) {
		if !identifier(name) {
			return nil, fmt.Errorf("step %s: %q is not a name in the database", step.Key, name)
		}
	}
	var list []Statement
	about := "index " + step.Index.Name
	if !made {
		list = append(list, DropConstraint(about, table, step.Index.Name, dialect), dropIndex(about, step.Index.Name, dialect))
	}
	return append(list, Statement{About: about, Text: addIndex(table, *step.Index, dialect)}), nil
}

// DropConstraint removes a constraint of a table, and does nothing when there is
// none of the name.
func DropConstraint(about, table, name string, dialect dict.Dialect) Statement {
	const noSuchConstraint = "-2443"
	if dialect == dict.PostgreSQL {
		return Statement{About: about, Text: "ALTER TABLE " + table + " DROP CONSTRAINT IF EXISTS " + name}
	}
	return unless(about, "ALTER TABLE "+table+" DROP CONSTRAINT "+name, noSuchConstraint)
}

func dropIndex(about, name string, dialect dict.Dialect) Statement {
	const noSuchIndex = "-1418"
	if dialect == dict.PostgreSQL {
		return Statement{About: about, Text: "DROP INDEX IF EXISTS " + name}
	}
	return unless(about, "DROP INDEX "+name, noSuchIndex)
}

// unless is a block for Oracle that runs a statement and takes one error for
// success.
func unless(about, statement, code string) Statement {
	return Statement{About: about, Block: true,
		Text: "BEGIN EXECUTE IMMEDIATE '" + statement + "'; EXCEPTION WHEN OTHERS THEN IF SQLCODE<>" + code + " THEN RAISE; END IF; END;"}
}

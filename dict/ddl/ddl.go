package ddl

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

// Options change what is written. Nil and the zero value are the defaults.
type Options struct {
	Style Style
	// Resolve finds the table and the column that a reference leads to, by the
	// name of its AD_Reference. Without it, and when it reports false, foreign
	// keys that only the ERP's database knows are left out with a comment.
	Resolve func(reference string) (table, column string, ok bool)
}

// Statement is one statement, without a terminator, or a comment.
type Statement struct {
	About   string // what it is for: "table XX_Demo", "foreign key ADClient_XXDemo"
	Text    string
	Comment bool // Text is a remark, not a statement
	Block   bool // Text is a block of Oracle's own language, which ends with a slash
}

// Statements returns the plan as statements for the database, in order: every table,
// then the foreign keys of all, then indexes. Of a table that the plan does not
// make, they are what the plan changes about it.
func Statements(plan *dict.Plan, dialect dict.Dialect, opts *Options) ([]Statement, error) {
	opts = cmp.Or(opts, &Options{})
	if dialect != dict.PostgreSQL && dialect != dict.Oracle {
		return nil, fmt.Errorf("there is no database dialect %q; use postgresql or oracle", dialect)
	}
	var tables, keys, indexes []Statement
	changes := ChangesOf(plan)
	for _, step := range plan.Steps() {
		switch step := step.(type) {
		case *dict.RecordStep: // rows of the dictionary are not the database's structure
			if table, column, ok := changes.Relaxed(step); ok {
				if !identifier(table) || !identifier(column) {
					return nil, fmt.Errorf("step %s: %q is not a column of the database", step.Key, table+"."+column)
				}
				tables = append(tables, relax(table, column, dialect)...)
			}
		case *dict.RunStep:
			switch step.Purpose {
			case dict.SyncTable:
				if step.Physical == nil {
					return nil, fmt.Errorf("step %s does not say what table %s has to look like", step.Key, step.Name)
				}
				if changes.MakesTable(step.Physical.Table) {
					tables = append(tables, Statement{About: "table " + step.Name, Text: CreateTable(step.Physical, dialect, opts.Style)})
					keys = append(keys, foreignKeys(step.Physical, dialect, opts)...)
					continue
				}
				for _, c := range step.Physical.Columns {
					changed, made := changes.statements(step.Physical.Table, c, dialect, opts)
					tables, keys = append(tables, changed...), append(keys, made...)
				}
			case dict.ValidateIndex:
				list, err := RebuildIndex(plan, step, dialect)
				if err != nil {
					return nil, err
				}
				indexes = append(indexes, list...)
			case dict.RenameColumn, dict.RenameTable:
				list, err := renamed(step, dialect)
				if err != nil {
					return nil, err
				}
				tables = append(tables, list...)
			case dict.ImportPackage: // concerns records
			default:
				return nil, fmt.Errorf("step %s has the role %q, which has no DDL", step.Key, step.Purpose)
			}
		default:
			return nil, fmt.Errorf("a step of type %T has no DDL", step)
		}
	}
	return append(append(tables, keys...), indexes...), nil
}

func foreignKeys(t *dict.Physical, dialect dict.Dialect, opts *Options) []Statement {
	var list []Statement
	for _, c := range t.Columns {
		if c.Foreign == nil {
			continue
		}
		about := "foreign key " + c.Foreign.Name
		if c.Foreign.Table == "" && opts.Resolve != nil {
			if table, column, ok := opts.Resolve(c.Foreign.Reference); ok {
				resolved := *c.Foreign
				resolved.Table, resolved.Column = table, column
				if c.Type.IsUUID() {
					resolved.Column = table + "_UU"
				}
				c.Foreign = &resolved
			}
		}
		if statement, ok := AddForeignKey(t.Table, c, dialect); ok {
			list = append(list, Statement{About: about, Text: statement})
		} else if c.Foreign.Table == "" {
			list = append(list, Statement{About: about, Comment: true, Text: fmt.Sprintf(
				"foreign key %s of %s.%s: its table is known to the reference %q in the ERP only",
				c.Foreign.Name, t.Table, c.Name, text.OneLine(c.Foreign.Reference))})
		}
	}
	return list
}

// File is a file of statements.
type File struct {
	Name    string // "01_table_XX_Demo.sql"
	Content string
}

// Files are the plan's statements as numbered files for reading: one per table,
// one for all foreign keys, one for all indexes.
func Files(plan *dict.Plan, dialect dict.Dialect, opts *Options) ([]File, error) {
	statements, err := Statements(plan, dialect, opts)
	if err != nil {
		return nil, err
	}
	var files []File
	group := ""
	for _, s := range statements {
		name := fileGroup(s)
		if name != group {
			group = name
			files = append(files, File{Name: fmt.Sprintf("%02d_%s.sql", len(files)+1, group),
				Content: fmt.Sprintf("-- %s, %s\n", text.OneLine(plan.Name()), dialect)})
		}
		files[len(files)-1].Content += s.terminated()
	}
	return files, nil
}

// Text is statements as the text of a file.
func Text(title string, statements []Statement, dialect dict.Dialect) string {
	text := fmt.Sprintf("-- %s, %s\n", text.OneLine(title), dialect)
	for _, s := range statements {
		text += s.terminated()
	}
	return text
}

func (s Statement) terminated() string {
	switch {
	case s.Comment:
		return "\n-- " + text.OneLine(s.Text) + "\n"
	case s.Block:
		return "\n" + s.Text + "\n/\n"
	}
	return "\n" + s.Text + "\n;\n"
}

func fileGroup(s Statement) string {
	kind, name, _ := strings.Cut(s.About, " ")
	switch kind {
	case "table":
		return "table_" + name
	case "column": // of a table that is changed
		table, _, _ := strings.Cut(name, ".")
		return "table_" + table
	case "index":
		return "indexes"
	}
	return "foreign_keys"
}

package sqlite

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// Column is a column of a base table, or of a statement's result.
type Column struct {
	Name string // as PostgreSQL folds it: lower case unless quoted
	Type string // the type's name in pg_catalog, "numeric", "varchar", "timestamp"; "" means text

	// Integer tells of a base table's numeric column that SQLite keeps it as
	// INTEGER, as the embedded ERP keeps ids. It makes joins over it fast; the
	// results are the same without.
	Integer bool
}

// Source knows the columns of base tables by the table's physical name in
// lower case. It returns nil for a table that does not exist.
type Source func(table string) []Column

// Statement is a rendered statement.
type Statement struct {
	SQL     string   // parameters are ?1, ?2 …
	Columns []Column // of the result: the names PostgreSQL would give, which may repeat, and the types
	Params  []string // the type of each parameter, by position; "" when it is not used
}

// Unsupported is the error for what is not translated for SQLite, and for
// statements that PostgreSQL itself would refuse (unknown columns, types that do
// not fit).
type Unsupported struct {
	Construct    string // what it is, "TABLESAMPLE", "the function xpath"
	Hint         string // what to write instead, if known
	Position     int    // byte offset in the text the tree was parsed from, -1 if unknown
	Untranslated bool   // PostgreSQL may know it
}

// Message says what is refused; Hint and Position are not in it.
func (e *Unsupported) Message() string {
	if e.Untranslated {
		return e.Construct + " is not translated for the embedded database; start the sandbox with --postgres auto"
	}
	return e.Construct + " is not supported by this database"
}

func (e *Unsupported) Error() string {
	msg := e.Message()
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	if e.Position >= 0 {
		msg += fmt.Sprintf(" (at byte %d)", e.Position)
	}
	return msg
}

// Render writes the one SELECT of tree for SQLite. Base tables are those with
// a schema, and names that no common table expression in scope has; source
// tells their columns. The tree is not changed. Every error is an
// [*Unsupported].
func Render(tree *pg_query.ParseResult, source Source) (st *Statement, err error) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(*Unsupported)
			if !ok {
				panic(p)
			}
			st, err = nil, u
		}
	}()
	if len(tree.GetStmts()) != 1 || tree.GetStmts()[0].GetStmt().GetSelectStmt() == nil {
		refuse(-1, "anything but one SELECT")
	}
	r := &renderer{source: source, names: map[string]int{}}
	q := r.selectStmt(tree.GetStmts()[0].GetStmt().GetSelectStmt(), nil, nil, selectOptions{})
	st = &Statement{SQL: q.sql, Params: r.params}
	for _, c := range q.cols {
		st.Columns = append(st.Columns, Column{Name: c.name, Type: c.e.typ, Integer: c.e.integer})
	}
	return st, nil
}

// renderer writes one statement. What it cannot write it leaves by a panic
// with an [*Unsupported], which Render catches.
type renderer struct {
	source Source
	names  map[string]int // aliases that are taken
	params []string
}

func refuse(at int32, construct string, hint ...string) {
	u := &Unsupported{Construct: construct, Position: int(at)}
	if len(hint) > 0 {
		u.Hint = hint[0]
	}
	panic(u)
}

// untranslated refuses what PostgreSQL may know and is not translated here.
func untranslated(at int32, construct string) {
	panic(&Unsupported{Construct: construct, Position: int(at), Untranslated: true})
}

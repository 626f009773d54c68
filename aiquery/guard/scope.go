package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// column is a column of something in FROM, or of a SELECT's output.
type column struct {
	name     string
	redacted bool    // computed from redacted columns
	marks    []*bool // set when the column is used, of the base columns it is passed on from
}

func (c *column) use() {
	for _, m := range c.marks {
		*m = true
	}
}

// item is something in FROM that names can refer to.
type item struct {
	name       string // "" when it cannot be named
	cols       []column
	relVisible bool   // may be named: name.column
	colVisible bool   // its columns may be named alone
	base       bool   // a table of the policy, or computed from one
	table      bool   // a table of the policy without an alias: its schema may be written in front
	rewrite    string // the name references are to use instead, or ""
}

// scope is a query level: what its expressions may name. The levels around it
// follow.
type scope struct {
	items  []*item
	parent *scope
}

// cte is an item of a WITH clause.
type cte struct {
	name  string
	cols  []column
	base  bool
	state cteState
	make  func() error // of a recursive WITH: resolves the query
}

type cteState int

const (
	unresolved cteState = iota
	resolving           // inside its own query
	seeded              // the same, after the part that is not recursive: the columns are known
	resolved
)

// ctes is the list of WITH items a query sees, innermost first.
type ctes struct {
	*cte
	parent *ctes
}

func (c *ctes) find(name string) *cte {
	for ; c != nil; c = c.parent {
		if c.name == name {
			return c.cte
		}
	}
	return nil
}

// env is where a name is looked up.
type env struct {
	scope *scope
	ctes  *ctes
}

// columnNamed finds a column by its name alone, as the server does: the
// innermost level that has one decides.
func (s *scope) columnNamed(name string) (found *column, ambiguous bool) {
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if !it.colVisible {
				continue
			}
			c, twice := it.column(name)
			if twice || c != nil && found != nil {
				return nil, true
			}
			if c != nil {
				found = c
			}
		}
		if found != nil {
			return found, false
		}
	}
	return nil, false
}

// local is the level alone, without those around it.
func (s *scope) local() *scope { return &scope{items: s.items} }

// itemNamed finds an item by name.
func (s *scope) itemNamed(name string) *item {
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if it.relVisible && it.name == name {
				return it
			}
		}
	}
	return nil
}

// hasBase tells whether a permitted table is in sight.
func (s *scope) hasBase() bool {
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if it.base {
				return true
			}
		}
	}
	return false
}

func (it *item) column(name string) (found *column, twice bool) {
	for i := range it.cols {
		if it.cols[i].name == name {
			if found != nil {
				return nil, true
			}
			found = &it.cols[i]
		}
	}
	return found, false
}

// useAll marks every column, as a row as a whole does.
func useAll(cols []column) (redacted bool) {
	for i := range cols {
		cols[i].use()
		redacted = redacted || cols[i].redacted
	}
	return redacted
}

// rename gives the first columns the names of an alias's list.
func rename(cols []column, names []*pg.Node, at int32) ([]column, error) {
	if len(names) > len(cols) {
		return nil, &fault{kind: Syntax, at: at, reason: "an alias has more names than there are columns"}
	}
	cols = slices.Clone(cols)
	for i, n := range names {
		cols[i].name = n.GetString_().GetSval()
	}
	return cols, nil
}

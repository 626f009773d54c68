package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// column is a column of something in FROM, or of a SELECT's output.
type column struct {
	name      string
	redacted  bool // computed from redacted columns
	unordered bool // may be of a type that cannot be sorted
	float     bool // may be a floating-point number
	look      likeness
	anyOf     bool    // may be any of several equal values
	bare      bool    // of an output: its expression names columns outside aggregates
	typ       string  // of the table's column that it passes on; "" when it is computed
	kind      string  // the type of its values; "" when it is not known
	bits      int     // of its whole numbers, 0 for those of the type
	counter   bool    // of rows made so far by WITH RECURSIVE, from a small number on
	counted   bool    // what an aggregate or a window function returns
	apart     bool    // of a query that the server does not merge into others
	fails     bool    // computing it may fail for some row
	why       string  // of a view's column that fails: what to call it
	source    *source // nil when it holds nothing of a table
	width     int64   // see width.go
	grows     bool    // of rows made so far by WITH RECURSIVE
	lists     []*collection
	marks     []*bool // set when the column is used, of the base columns it is passed on from
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

	ref   *tableRef // of a table of the policy, else nil
	order order     // of its rows
}

// scope is a query level: what its expressions may name. The levels around it
// follow.
type scope struct {
	items  []*item
	parent *scope

	// border is set on an empty level around the body of a subquery in an
	// expression: what its names find further out is noted there.
	border *border

	aggregated bool          // the level has aggregates of its own
	expands    bool          // it calls functions that make several rows of one
	windows    []*windowCall // its calls of window functions
	ordered    []*aggregateCall

	collected, collectedOver *collection // by its aggregates; see width.go
}

// border notes the references that leave a subquery of an expression.
type border struct {
	simple bool // the part at hand is a plain comparison in the subquery's own WHERE
	plain  []outer
	other  []outer
}

// outer is a reference to a column of a level further out.
type outer struct {
	node    *pg.Node
	level   *scope // where it was found
	sources []*source
}

// cte is an item of a WITH clause.
type cte struct {
	name  string
	cols  []column
	base  bool
	order order
	fails bool // something in it may fail for some row
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

	proof proof // why what is named here needs no gate; see proof.go

	inner bool // in FROM: conditions of the join at hand mean the same in WHERE

	// Of the query at hand, not of those inside it:
	close     bool // its rows need an order
	anyRow    bool // only whether it has rows matters
	outermost bool // it is the statement
}

// columnNamed finds a column by its name alone, as the server does: the
// innermost level that has one decides.
func (s *scope) columnNamed(name string) (found *column, at *scope, ambiguous bool) {
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if !it.colVisible {
				continue
			}
			c, twice := it.column(name)
			if twice || c != nil && found != nil {
				return nil, s, true
			}
			if c != nil {
				found = c
			}
		}
		if found != nil {
			return found, s, false
		}
	}
	return nil, nil, false
}

// leave notes at the borders between s and a level around it that a reference
// was found there.
func (s *scope) leave(at *scope, m *pg.ColumnRef, sources []*source) {
	for ; s != nil && s != at; s = s.parent {
		b := s.border
		if b == nil {
			continue
		}
		o := outer{node: &pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: m}}, level: at, sources: sources}
		if b.simple {
			b.plain = append(b.plain, o)
		} else {
			b.other = append(b.other, o)
		}
	}
}

// local is the level alone, without those around it.
func (s *scope) local() *scope { return &scope{items: s.items} }

// itemNamed finds an item by name, and the level it is of.
func (s *scope) itemNamed(name string) (*item, *scope) {
	for ; s != nil; s = s.parent {
		for _, it := range s.items {
			if it.relVisible && it.name == name {
				return it, s
			}
		}
	}
	return nil, nil
}

// hasBase reports whether a permitted table is in sight.
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
func useAll(cols []column) (v value) {
	for i := range cols {
		cols[i].use()
		v.add(cols[i].value())
	}
	return v
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

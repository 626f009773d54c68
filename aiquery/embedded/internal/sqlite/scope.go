package sqlite

import (
	"cmp"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/sqlquote"
)

// column is a column that can be named.
type column struct {
	name string
	e    expr
}

func (c column) called(name string) column { return column{name, c.e} }

// relation is an item of FROM that columns can be qualified with.
type relation struct {
	name string
	cols []column
}

// level is what the expressions of one SELECT can name; parent is the SELECT
// around it.
type level struct {
	parent *level
	rels   []*relation
	cols   []column // what unqualified names and * mean

	// Of a grouped SELECT while its output is rendered:
	keys   map[string]int // the grouping expressions as rendered
	groups []expr
	index  map[string]int // as keys, but always there
	active []bool         // per grouping expression: is it in the current grouping set
	inAgg  bool

	noAgg string // where no aggregate may stand, for the message

	touched *touched
}

// touched records which levels an aggregate's arguments speak of.
type touched struct{ own, outer bool }

// cte is a common table expression in scope.
type cte struct {
	name    string
	sqlName string
	cols    []outcol
	parent  *cte
}

func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.parent {
		if c.name == name {
			return c
		}
	}
	return nil
}

// outcol is a column of a rendered query.
type outcol struct {
	name    string // PostgreSQL's
	sqlName string // unique within the query
	e       expr   // type and form; sql is not set
}

func (c outcol) called(name string) outcol { return outcol{name, c.sqlName, c.e} }

// names are the quoted names of the columns, with commas between them.
func (q query) names() string {
	names := make([]string, len(q.cols))
	for i, c := range q.cols {
		names[i] = sqlquote.Name(c.sqlName)
	}
	return strings.Join(names, ", ")
}

// query is a rendered SELECT.
type query struct {
	sql    string
	cols   []outcol
	single bool // gives one row at most
}

// alias makes a name for an item of FROM that no other in the statement has.
func (r *renderer) alias(name string) string {
	return r.unique(r.names, name)
}

func (r *renderer) unique(taken map[string]int, name string) string {
	base := strings.Map(func(c rune) rune {
		if c < ' ' || c == '?' || c > 0x7e {
			return -1
		}
		return c
	}, name)
	base = cmp.Or(base, "x")
	low := strings.ToLower(base)
	for n := taken[low]; ; n++ {
		try := base
		if n > 0 {
			try = base + "_" + strconv.Itoa(n+1)
		}
		if n == 0 || taken[strings.ToLower(try)] == 0 {
			taken[low] = n + 1
			if n > 0 {
				taken[strings.ToLower(try)] = 1
			}
			return try
		}
	}
}

// columnRef resolves a name.
func (r *renderer) columnRef(ref *pg_query.ColumnRef, l *level) expr {
	fields := ref.GetFields()
	at := ref.GetLocation()
	names := make([]string, len(fields))
	for i, f := range fields {
		if f.GetString_() == nil {
			refuse(at, "* in an expression")
		}
		names[i] = f.GetString_().GetSval()
	}
	switch len(names) {
	case 1:
		for lv := l; lv != nil; lv = lv.parent {
			if found := theColumn(lv.cols, names[0], at, "qualify it"); found != nil {
				return r.named(*found, lv, l, at)
			}
			for _, rel := range lv.rels {
				if rel.name == names[0] {
					refuse(at, "the whole row "+names[0]+" as a value", "name its columns")
				}
			}
		}
		refuse(at, "the unknown column "+names[0])
	case 2:
		for lv := l; lv != nil; lv = lv.parent {
			for _, rel := range lv.rels {
				if rel.name != names[0] {
					continue
				}
				found := theColumn(rel.cols, names[1], at)
				if found == nil {
					refuse(at, "the unknown column "+names[0]+"."+names[1])
				}
				return r.named(*found, lv, l, at)
			}
		}
		refuse(at, "the unknown table "+names[0])
	}
	refuse(at, "this qualified name")
	return expr{}
}

// theColumn is the one column of a name, nil if there is none.
func theColumn(cols []column, name string, at int32, hint ...string) (found *column) {
	for i := range cols {
		if cols[i].name == name {
			if found != nil {
				refuse(at, "the ambiguous column name "+name, hint...)
			}
			found = &cols[i]
		}
	}
	return found
}

// named checks that a column may be used where it is.
func (r *renderer) named(c column, of, here *level, at int32) expr {
	for lv := here; lv != nil; lv = lv.parent {
		if t := lv.touched; t != nil {
			if lv == of {
				t.own = true
			} else {
				t.outer = true
			}
		}
		if lv == of {
			break
		}
	}
	if of.keys != nil && !of.inAgg {
		i, ok := of.keys[c.e.sql]
		if !ok {
			refuse(at, "the column "+c.name+" that is neither grouped nor in an aggregate", "add it to GROUP BY")
		}
		return of.grouped(i)
	}
	return c.e
}

// grouped is a grouping expression in the current grouping set.
func (l *level) grouped(i int) expr {
	e := l.groups[i]
	if !l.active[i] {
		return expr{sql: "NULL", typ: e.typ, integer: e.integer}
	}
	return e
}

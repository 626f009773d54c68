package aiquery_test

import (
	"go/ast"
	"math/rand/v2"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// siblingProofs make statements that rely on what package guard takes for proved: the
// uses of columns that need no gate. The names are those of its constants.
var siblingProofs = map[string]func(g *siblingGrammar) string{
	"afterRows": func(g *siblingGrammar) string {
		t := g.single()
		return "SELECT q.k FROM (SELECT " + t.key + " AS k, " + g.value("text", t.items, 2) + " AS e FROM " + t.from + choose(g.Rand, " ORDER BY 2, 1 LIMIT 9", " GROUP BY 1, 2", "") +
			") q WHERE q.e " + g.comparison() + " 'QZX7hot'" + g.and(t)
	},
	"plainComparison": func(g *siblingGrammar) string {
		t := g.single()
		return "SELECT " + t.key + " FROM " + t.from + " WHERE " + t.column + " " + g.comparison() + " " + t.value + " AND " + g.failing(t.items)
	},
	"readFirst": func(g *siblingGrammar) string {
		t, u := g.single(), g.single()
		if u.typ != t.typ {
			return "SELECT " + t.key + " FROM " + t.from + " WHERE " + t.column + " " + g.comparison() + " (SELECT " + t.value + "::" + t.typ + ") AND " + g.failing(t.items)
		}
		return "SELECT " + t.key + " FROM " + t.from + " WHERE " + t.column + " " + g.comparison() + " (SELECT max(" + u.column + ") FROM " + u.from + " WHERE " + g.condition(u.items, 1) + ") AND " + g.failing(t.items)
	},
	"joinedColumns": func(g *siblingGrammar) string {
		t, u := g.single(), g.single()
		if u.typ != t.typ {
			u.column = t.value + "::" + t.typ
		}
		return "SELECT " + t.key + " FROM " + t.from + " WHERE " + t.column + " IN (SELECT " + u.column + " FROM " + u.from + " WHERE " + g.condition(u.items, 1) + ") AND " + g.failing(t.items)
	},
	"ownRule": func(g *siblingGrammar) string { // the view's own conditions
		t := g.of("rv_order_detail")
		return "SELECT " + t.key + " FROM " + t.from + " WHERE " + g.condition(t.items, 2)
	},
}

// keptConstant is a statement in which a constant stays in the text beside columns:
// GROUP BY, DISTINCT ON and HAVING need it written alike.
func (g *siblingGrammar) keptConstant() string {
	t, u := g.single(), g.single()
	kept := t.value + "::" + t.typ
	fails := g.failing(t.items)
	same := strings.ReplaceAll(fails, t.key, "q.k")
	if strings.Contains(same, t.items[0].alias+".") {
		same = "1/(q.k-104) > -1"
	}
	inside := "(SELECT " + t.key + " AS k, " + t.column + " AS d, " + choose(g.Rand, kept, "coalesce("+kept+", "+t.column+")") + " AS c FROM " + t.from + " GROUP BY 1, 2, 3) q"
	equal := choose(g.Rand, "q.d = q.c", "q.c = q.d", "q.d IS NOT DISTINCT FROM q.c", "q.d >= q.c")
	if u.typ != t.typ || g.chance(40) {
		return "SELECT q.k FROM " + inside + " WHERE " + equal + " AND " + same
	}
	if g.chance(50) {
		return "SELECT q.k FROM " + inside + " JOIN " + u.from + " ON " + u.column + " = q.d WHERE " + equal + " AND " + g.failing(u.items)
	}
	return "SELECT " + t.column + ", count(*) FROM " + t.from + " JOIN " + u.from + " ON " + u.column + " = " + t.column + " WHERE " + g.failing(u.items) +
		" GROUP BY " + t.column + ", " + kept + " HAVING " + t.column + " = " + t.value
}

// singleTable is a table with one of its columns and a value that tempts.
type singleTable struct {
	from, key, column, typ, value string
	items                         []siblingItem
}

func (g *siblingGrammar) single() singleTable {
	return g.of(choose(g.Rand, "c_order", "c_orderline", "c_bpartner"))
}

func (g *siblingGrammar) of(name string) singleTable {
	def := siblingTables[name]
	it := siblingItem{g.alias(), def.key, def.columns}
	c := def.columns[g.IntN(len(def.columns))]
	return singleTable{from: name + " " + it.alias, key: it.alias + "." + def.key, column: it.alias + "." + c.name, typ: c.typ,
		value: c.tempting[g.IntN(len(c.tempting))], items: []siblingItem{it}}
}

func (g *siblingGrammar) comparison() string { return choose(g.Rand, "=", "=", "<>", "<", ">=") }

// and is a condition that fails for some row that is visible, of a query around q.
func (g *siblingGrammar) and(t singleTable) string {
	return choose(g.Rand, "", " AND 1/(q.k-104) > -1", " AND ln(q.k-104) > -1", " AND q.k IN (SELECT "+t.items[0].key+" FROM "+t.from+")")
}

// Each proof of package guard has a generator here.
func TestProofsHaveGenerators(t *testing.T) {
	t.Parallel()
	files, err := guardFiles()
	require.NoError(t, err)
	var proofs []string
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			proof := false
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				if id, ok := v.Type.(*ast.Ident); ok && id.Name == "proof" {
					proof = true
				}
				if proof && v.Names[0].Name != "unproved" {
					proofs = append(proofs, v.Names[0].Name)
				}
			}
		}
	}
	require.NotEmpty(t, proofs)
	for _, name := range proofs {
		assert.Contains(t, siblingProofs, name)
	}
	assert.Len(t, siblingProofs, len(proofs))
}

// TestSiblingGrammar: what the guard allows is generated, each kind of node with each
// of its values, and each function, operator, type and collation. Whether statements
// with it succeed TestSiblings looks at.
func TestSiblingGrammar(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	catalog := readSiblingCatalog(t, connection(t, w.url, ""))
	r := rand.New(rand.NewPCG(1, 40))
	seen := newSiblingCoverage()
	parsed := 0
	for range 1500 {
		sql := nextSiblingQuestion(r, catalog).sql
		if _, err := pg_query.Parse(sql); err == nil {
			parsed++
		}
		seen.add(sql)
	}
	assert.Greater(t, parsed, 1300, "statements that are none")
	for _, name := range seen.missing(t, catalog) {
		for range 20 {
			g := &siblingGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 4)), catalog: catalog}
			seen.add(g.targeted(name))
		}
	}
	assert.Empty(t, seen.missing(t, catalog), "allowed, but never generated")
}

package aiquery_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// Siblings are databases with the same rows that Reader may see. They differ in
// what it may not see: how many rows there are, and how many of them have the
// values that the generated statements ask for. A response must be the same on
// all of them, byte for byte, or what is hidden decides about it.

// siblings are the databases by what hidden rows have of the tempting values.
var siblings = []struct {
	name       string
	rows       int    // hidden orders, and as many lines and partners
	hot        string // as SQL, true for a row g that has the tempting values
	otherState string
}{
	{"most", 3000, "g % 10 < 7", "XX"},
	{"few", 700, "g = 5", "XR"},
	{"none", 20, "false", "CO"},
}

// hiddenRows is a script that adds the hidden rows of a sibling.
func hiddenRows(i int) string {
	s := siblings[i]
	text := "CASE WHEN " + s.hot + " THEN 'QZX7hot' WHEN g = 3 THEN 'QZX7rare' ELSE 'QZX7' || g END"
	number := "CASE WHEN " + s.hot + " THEN 61803398777.17 WHEN g = 41 THEN 1e400 WHEN g % 3 = 0 THEN -g ELSE 61803398000 + g END"
	day := "CASE WHEN " + s.hot + " THEN timestamp '2031-01-01' ELSE timestamp '2001-01-01' + g * interval '1 hour' END"
	place := "CASE WHEN g % 2 = 0 THEN 1000000 ELSE 11 END AS ad_client_id, CASE WHEN g % 2 = 0 THEN 0 ELSE 50006 END AS ad_org_id"
	row := func(table, like string, set ...string) string {
		return fmt.Sprintf(`INSERT INTO %[1]s SELECT (jsonb_populate_record(b, to_jsonb(r))).* FROM %[1]s b,
			LATERAL (SELECT %[3]s, %[4]s FROM generate_series(1, %[5]d) g) r WHERE b.ctid = (SELECT min(ctid) FROM %[1]s WHERE %[2]s);`,
			table, like, place, strings.Join(set, ", "), s.rows)
	}
	return row("c_bpartner", "c_bpartner_id = 118", "4000000 + g AS c_bpartner_id", text+" AS name", text+" AS value", day+" AS created", "NULL::text AS c_bpartner_uu") +
		row("c_order", "c_order_id = 104", "4000000 + g AS c_order_id", text+" AS documentno", text+" AS description", number+" AS grandtotal", day+" AS dateordered",
			"CASE WHEN "+s.hot+" THEN 118 ELSE 4000000 + g END AS c_bpartner_id", "CASE WHEN g % 5 > 0 THEN '"+s.otherState+"' ELSE 'DR' END AS docstatus", "NULL::text AS c_order_uu") +
		row("c_orderline", "c_order_id = 104", "4000000 + g AS c_orderline_id", "CASE WHEN g % 7 = 0 THEN 104 ELSE 4000000 + g END AS c_order_id", text+" AS description",
			number+" AS linenetamt", "CASE WHEN "+s.hot+" THEN 777 ELSE g END AS line", "NULL::text AS c_orderline_uu")
}

// openSiblings makes the databases and an engine over each.
func openSiblings(t *testing.T, seed uint64) []*world {
	t.Helper()
	var visible []randomRow
	for _, r := range randomRows(rand.New(rand.NewPCG(seed, 1))) {
		if r.visible {
			visible = append(visible, r)
		}
	}
	quick := func(o *aiquery.Options) {
		o.StatementTimeout, o.RequestTimeout, o.NoAudit, o.PerUser = 3*time.Second, 20*time.Second, true, 4
	}
	worlds := make([]*world, len(siblings))
	for i := range siblings {
		address := aitest.Postgres(t)
		addRows(t, address, visible, true)
		_, err := connection(t, address, "").PgConn().Exec(t.Context(), hiddenRows(i)+
			"CREATE INDEX ON c_order (documentno); CREATE INDEX ON c_order (c_bpartner_id); CREATE INDEX ON c_order (grandtotal); CREATE INDEX ON c_orderline (c_order_id);"+
			"CREATE INDEX ON c_bpartner (name); CREATE INDEX ON c_order (ad_client_id, ad_org_id); ANALYZE;").ReadAll()
		require.NoError(t, err)
		worlds[i] = prepare(t, address).world(t, aitest.As(t, address, aitest.ReadLogin), nil, quick)
	}
	return worlds
}

// siblingStatements is how many statements are asked, beside those for what chance left
// out; ERPHUB_SIBLINGS says otherwise.
func siblingStatements(t testing.TB) int {
	t.Helper()
	if text := os.Getenv("ERPHUB_SIBLINGS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, "ERPHUB_SIBLINGS is a number")
		return n
	}
	return 900
}

// siblingFacts are the values that most hidden rows of the first sibling have.
var siblingFacts = func() []pairFact {
	always := func(text string) func(*rand.Rand) string { return func(*rand.Rand) string { return text } }
	return []pairFact{
		{"c_order", "documentno", "c_order_id", true, always("QZX7hot"), always("QZW7hot")},
		{"c_bpartner", "name", "c_bpartner_id", true, always("QZX7hot"), always("QZW7hot")},
		{"c_order", "grandtotal", "c_order_id", false, always("61803398777.17"), always("61803398776.16")},
		{"c_orderline", "line", "c_orderline_id", false, always("777"), always("76667")},
	}
}()

// siblingQuestion is a statement, and with a pair the same with a constant that
// no row has in place of one that hidden rows have.
type siblingQuestion struct{ sql, changed, param string }

// withParameter puts the value of $1 in the place of a number, and at times another of
// its places decides what type it has: the largest hidden number is not a float8.
func (q siblingQuestion) withParameter(r *rand.Rand) siblingQuestion {
	for _, number := range []string{"61803398777.17", "61803398001", "10.50", "117"} {
		head, rest, ok := strings.Cut(q.sql, " "+number+" ")
		if !ok || strings.Contains(q.sql, "$1") {
			continue
		}
		q.sql, q.param = head+" $1 "+rest, number
		if r.IntN(2) > 0 {
			q.sql = "SELECT * FROM (SELECT 1 WHERE $1 < 1e9::float8) f, (" + q.sql + ") q"
		}
		break
	}
	return q
}

func nextSiblingQuestion(r *rand.Rand, c *siblingCatalog) siblingQuestion {
	if r.IntN(3) > 0 {
		g := &siblingGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 4)), catalog: c}
		return siblingQuestion{sql: g.statement()}.withParameter(r)
	}
	fact := choose(r, append(siblingFacts, pairFacts...)...)
	g := &pairGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 2)), fact: fact}
	statement := g.statement()
	return siblingQuestion{sql: statement(fact.there(r)), changed: statement(fact.missing(r))}
}

// siblingFailures are statements whose plan, which hidden rows decided, said whether a
// row fails. A parameter that one of its places makes a float8 made one of every amount.
var siblingFailures = []siblingQuestion{
	{sql: "SELECT * FROM (SELECT 1 WHERE $1 < 1e9::float8) f, (SELECT o.c_order_id FROM c_order o WHERE o.grandtotal > $1) q", param: "117"},
	{sql: "SELECT c_order_id FROM c_order o WHERE $1 < 1e9::float8 AND o.grandtotal < $1 AND c_order_id > 5", param: "117"},
	{sql: "SELECT q.k FROM (SELECT o.c_order_id AS k, exp(o.c_bpartner_id) AS f FROM c_order o) q WHERE q.f > 0 ORDER BY 1 DESC LIMIT 3"},
	{sql: "SELECT p.c_bpartner_id FROM c_bpartner p WHERE CASE WHEN ('a' LIKE p.value ESCAPE p.value OR p.name ~ 'CO') THEN p.created > now()::date - interval '300000 years' ELSE true END LIMIT 2"},
	{sql: "SELECT o.c_order_id FROM (SELECT * FROM c_order WHERE grandtotal < 100) o WHERE 1 / (o.c_order_id - 104) > -1 LIMIT 3"},
	{sql: "SELECT o.c_order_id FROM c_order o, (SELECT $1 AS x, $1 < 1e9::float8 AS y) q WHERE o.grandtotal < q.x", param: "117"},
}

// siblingOutcome is all that a caller sees of a statement and of its
// explanation, and the code of its error.
func siblingOutcome(w *world, asked siblingQuestion) (text string, code api.Code) {
	q := query(asked.sql)
	if strings.Contains(asked.sql, "$1") {
		q.Params = []json.RawMessage{json.RawMessage(cmp.Or(asked.param, `"a"`))}
	}
	text, _ = shownOutcome(w, q)
	if !strings.HasPrefix(text, "[") {
		name, _, _ := strings.Cut(text, "|")
		code = api.Code(name)
	}
	x, err := w.Explain(context.Background(), user, q)
	if err != nil {
		var e *api.Error
		if errors.As(err, &e) {
			return text + "|" + e.Message + e.Hint, code
		}
		return text + "|" + err.Error(), code
	}
	return text + fmt.Sprint(x.Tables, x.Columns), code
}

// TestSiblings asks generated statements of databases that differ in what the
// role may not see.
func TestSiblings(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	seed := fuzzSeed(t)
	worlds := openSiblings(t, seed)
	catalog := readSiblingCatalog(t, connection(t, worlds[0].url, ""))
	seen := newSiblingCoverage()
	for _, q := range siblingFailures {
		first, _ := siblingOutcome(worlds[0], q)
		for _, w := range worlds[1:] {
			other, _ := siblingOutcome(w, q)
			assert.Equal(t, first, other, q.sql)
		}
	}
	var mu sync.Mutex
	tally, parameters := map[string]int{}, 0
	var group sync.WaitGroup
	const workers = 3
	total := siblingStatements(t)
	for worker := range workers {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(20+worker)))
			for range total / workers {
				q := nextSiblingQuestion(r, catalog)
				kind, problem := compareSiblings(worlds, q)
				mu.Lock()
				tally[kind]++
				if kind == "succeeded" {
					seen.add(q.sql)
					if q.param != "" {
						parameters++
					}
				}
				if problem != "" {
					t.Errorf("%s\n%s", problem, q.sql)
				} else if kind == visibleFails {
					t.Logf("%s: %s", kind, q.sql)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	r := rand.New(rand.NewPCG(seed, 30))
	for _, name := range seen.missing(t, catalog) { // what chance left out
		for range 60 {
			if !slices.Contains(seen.missing(t, catalog), name) {
				break
			}
			g := &siblingGrammar{Rand: rand.New(rand.NewPCG(r.Uint64(), 4)), catalog: catalog}
			q := siblingQuestion{sql: g.targeted(name)}
			kind, problem := compareSiblings(worlds, q)
			tally[kind]++
			total++
			if problem != "" {
				t.Errorf("%s\n%s", problem, q.sql)
			}
			if kind == "succeeded" {
				seen.add(q.sql)
			}
		}
	}
	t.Logf("%d statements on %d databases, %d with a number as $1 succeeded: %v", total, len(worlds), parameters, tally)
	assert.LessOrEqual(t, tally[visibleFails], 1+total/1500, "errors of visible rows that depend on the plan")
	assert.Greater(t, tally["succeeded"], total/4, "too few succeeded to say much")
	assert.Zero(t, tally[string(api.CodeInternal)])
	assert.Empty(t, seen.missing(t, catalog), "allowed, but in no statement that succeeded")
	if total >= 900 {
		assert.Positive(t, parameters)
	}
}

// visibleFails is what remains: see the package comment.
const visibleFails = "a visible row fails"

// compareSiblings asks all databases and says what differs.
func compareSiblings(worlds []*world, q siblingQuestion) (kind, problem string) {
	first, code := siblingOutcome(worlds[0], q)
	kind = "succeeded"
	if code != "" {
		kind = string(code)
	}
	if code == api.CodeTimeout || code == api.CodeBusy {
		return kind, ""
	}
	if q.changed != "" {
		a, _ := shownOutcome(worlds[0], query(q.sql))
		b, _ := shownOutcome(worlds[0], query(q.changed))
		if a != b && strings.ReplaceAll(a, "QZX7", "QZW") != strings.ReplaceAll(b, "QZX7", "QZW") {
			return kind, fmt.Sprintf("another constant, another response:\n%.300s\n%.300s\n%s", a, b, q.changed)
		}
	}
	for i, w := range worlds[1:] {
		if other, c := siblingOutcome(w, q); other != first {
			if c == api.CodeTimeout || c == api.CodeBusy {
				return string(c), ""
			}
			if (code == api.CodeData || c == api.CodeData) && (code == "" || c == "") {
				return visibleFails, ""
			}
			return kind, fmt.Sprintf("%s and %s respond differently:\n%.300s\n%.300s", siblings[0].name, siblings[i+1].name, first, other)
		}
	}
	return kind, ""
}

// siblingCoverage is what occurred in statements that succeeded.
type siblingCoverage struct{ messages, functions, operators, other map[string]bool }

func newSiblingCoverage() *siblingCoverage {
	return &siblingCoverage{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// last is the last part of a name.
func last(name []*pg_query.Node) string {
	if len(name) == 0 {
		return ""
	}
	return name[len(name)-1].GetString_().GetSval()
}

func (c *siblingCoverage) add(sql string) {
	tree, err := pg_query.Parse(sql)
	if err != nil {
		return
	}
	var walk func(m protoreflect.Message)
	walk = func(m protoreflect.Message) {
		name := string(m.Descriptor().Name())
		c.messages[name] = true
		switch v := m.Interface().(type) {
		case *pg_query.FuncCall:
			called := last(v.Funcname)
			c.functions[called], c.other["macro "+called] = true, true
			if v.Funcformat == pg_query.CoercionForm_COERCE_SQL_SYNTAX {
				c.other["syntax "+called] = true
			}
		case *pg_query.RangeFunction:
			for _, n := range v.Functions {
				c.other["from "+last(n.GetList().Items[0].GetFuncCall().GetFuncname())] = true
			}
		case *pg_query.TypeName:
			c.other["type "+last(v.Names)] = true
		case *pg_query.CollateClause:
			c.other["collation "+last(v.Collname)] = true
		case *pg_query.A_Expr:
			c.operators[last(v.Name)] = true
		}
		m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			switch {
			case fd.IsList() && fd.Message() != nil:
				for i := range v.List().Len() {
					walk(v.List().Get(i).Message())
				}
			case fd.Enum() != nil && !fd.IsList():
				if d := fd.Enum().Values().ByNumber(v.Enum()); d != nil {
					c.messages[string(fd.Enum().Name())+"."+string(d.Name())] = true
				}
			case fd.Message() != nil && !fd.IsList():
				walk(v.Message())
			}
			return true
		})
	}
	walk(tree.ProtoReflect())
}

// missing are the messages, functions and operators that the guard allows and no
// statement had.
func (c *siblingCoverage) missing(t testing.TB, server *siblingCatalog) []string {
	t.Helper()
	var list []string
	for name := range guardMap(t, "allowed") {
		if !c.messages[strings.ReplaceAll(name, "_", "")] && !c.messages[name] {
			list = append(list, name)
		}
	}
	for name, values := range guardMap(t, "allowedEnums") {
		for value := range strings.FieldsSeq(values) {
			if !c.messages[strings.ReplaceAll(name, "_", "")+"."+value] && !c.messages[name+"."+value] {
				list = append(list, name+"."+value)
			}
		}
	}
	for name := range guardList(t, "builtins") {
		if !c.functions[name] && server.known[name] {
			list = append(list, name)
		}
	}
	for name := range guardList(t, "operators") {
		if !c.operators[name] && server.known[name] {
			list = append(list, name)
		}
	}
	for kind, names := range map[string]map[string]bool{
		"type": guardList(t, "types"), "collation": guardList(t, "collations"), "syntax": guardList(t, "sqlSyntax"),
		"from": guardKeys(t, "tableFunctions"), "macro": guardMacros(t),
	} {
		for name := range names {
			if !c.other[kind+" "+name] && (kind != "from" || server.known[name]) {
				list = append(list, kind+" "+name)
			}
		}
	}
	list = slices.DeleteFunc(list, func(name string) bool {
		switch name {
		case "GroupingSetKind.GROUPING_SET_SIMPLE", "syntax date_part", "syntax similar_escape", "syntax similar_to_escape": // no text makes them
			return true
		}
		return false
	})
	slices.Sort(list)
	return list
}

// guardFiles are the sources of package guard: what it allows is asked of it.
var guardFiles = sync.OnceValues(func() ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join("guard", "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
})

// guardValue is the expression a name of package guard is declared with.
func guardValue(t testing.TB, name string) ast.Expr {
	t.Helper()
	files, err := guardFiles()
	require.NoError(t, err)
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && len(v.Values) == 1 && v.Names[0].Name == name {
					return v.Values[0]
				}
			}
		}
	}
	require.Fail(t, "package guard declares no "+name)
	return nil
}

// guardText is the text of an expression of constants.
func guardText(t testing.TB, e ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		require.NoError(t, err)
		return text
	case *ast.BinaryExpr:
		return guardText(t, e.X) + guardText(t, e.Y)
	case *ast.Ident:
		return guardText(t, guardValue(t, e.Name))
	case *ast.CallExpr: // set(…)
		return guardText(t, e.Args[0])
	}
	require.Failf(t, "guardText", "%T", e)
	return ""
}

// guardList is a set of names that package guard has.
func guardList(t testing.TB, name string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for word := range strings.FieldsSeq(guardText(t, guardValue(t, name))) {
		out[word] = true
	}
	return out
}

// guardKeys are the keys of a map that package guard has.
func guardKeys(t testing.TB, name string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, e := range guardValue(t, name).(*ast.CompositeLit).Elts {
		out[guardText(t, e.(*ast.KeyValueExpr).Key)] = true
	}
	return out
}

// guardMacros are the functions of the ERP that package guard writes out.
func guardMacros(t testing.TB) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	ast.Inspect(guardValue(t, "macros"), func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok {
			for _, e := range list.Elts {
				if m, ok := e.(*ast.CompositeLit); ok && m.Type == nil {
					out[strings.ToLower(guardText(t, m.Elts[0]))] = true
				}
			}
		}
		return true
	})
	require.NotEmpty(t, out)
	return out
}

// guardMap is a map of texts that package guard has.
func guardMap(t testing.TB, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, e := range guardValue(t, name).(*ast.CompositeLit).Elts {
		kv := e.(*ast.KeyValueExpr)
		out[guardText(t, kv.Key)] = guardText(t, kv.Value)
	}
	return maps.Clone(out)
}

package guard

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// job is the securing of one statement.
type job struct {
	ctx    context.Context // of the call; a job lives no longer
	guard  *Guard
	policy *Policy
	schema string // that tables are written with
	mask   string
	params int
	used   []int // how often the caller names each of them
	limit  int

	version     int32           // of the grammar
	size        int             // of the caller's text
	nodes       int             // of its tree
	tables      map[string]bool // dictionary names
	relations   int             // tables after views were replaced
	unnamed     int             // subqueries that were given a name
	collections []*collection   // see width.go
	narrowing   []narrowed
	made        int64        // bytes of what the statement's expressions make of a row
	madeOfLists int64        // and of what was collected
	reads       []Read       // tables and views that the caller names
	values      []Value      // constants that became parameters
	hoisted     []*pg.Node   // WITH items for the front of the statement
	once        []*pg.Node   // expressions of constants alone, computed before any row is looked at
	pieces      []*piece     // that names in the tree stand for
	ties        []tie        // keys for the outermost SELECT
	hidden      int          // output columns that are only keys
	collects    bool         // the statement may need much memory
	alarm       alarm        // if it would need too much
	failing     []string     // what may fail for some row, of what is resolved
	own         map[any]bool // expressions that are not the caller's, but of functions of the ERP
}

// precheck refuses texts the parser must not see.
func (g *Guard) precheck(sql string) error {
	switch {
	case len(sql) > g.opts.MaxLength:
		return tooLarge(-1, "request less at once", "the statement is longer than %d bytes", g.opts.MaxLength)
	case strings.IndexByte(sql, 0) >= 0:
		return &fault{kind: Syntax, at: int32(strings.IndexByte(sql, 0)), reason: "the statement has a NUL character"}
	case !utf8.ValidString(sql):
		return &fault{kind: Syntax, at: -1, reason: "the statement is not valid UTF-8"}
	}
	return nil
}

// parse parses a text that must be one SELECT.
func (g *Guard) parse(ctx context.Context, sql string, maxWeight int) (*pg.ParseResult, error) {
	if err := g.precheck(sql); err != nil {
		return nil, err
	}
	tree, err := run(ctx, &postgres, len(sql), func() (*pg.ParseResult, error) {
		if !shallow(sql, maxWeight) {
			scan, err := postgres.scan(sql)
			if err != nil {
				return nil, err
			}
			if weight, at := nesting(scan.Tokens); weight > maxWeight {
				return nil, tooLarge(at, "use WITH for intermediate results, and fewer brackets", "the statement is nested too deeply")
			}
		}
		return postgres.parse(sql)
	})
	if err != nil {
		if message, position, ok := postgres.syntaxError(err); ok {
			return nil, &fault{kind: Syntax, at: offset(sql, position), reason: message}
		}
		return nil, err
	}
	if selectOf(tree) != nil {
		return tree, nil
	}
	switch n := len(tree.Stmts); {
	case n == 0:
		return nil, &fault{kind: Syntax, at: -1, reason: "there is no statement", hint: "send one SELECT"}
	case n > 1:
		return nil, &fault{kind: NotSelect, at: tree.Stmts[1].StmtLocation, reason: "there is more than one statement", hint: "send one SELECT"}
	default:
		return nil, isSelect(tree.Stmts[0].Stmt, 0)
	}
}

// offset turns the parser's position, in characters from 1, into a byte offset.
func offset(sql string, position int) int32 {
	if position < 1 {
		return -1
	}
	n := 0
	for at := range sql {
		if n++; n == position {
			return int32(at)
		}
	}
	return int32(len(sql))
}

// secure makes the secured tree of a statement: passes 2 to 9 of the package
// comment.
func (j *job) secure(tree *pg.ParseResult) (*pg.ParseResult, []OutputColumn, error) {
	s := selectOf(tree)
	j.version = tree.Version
	check := &checker{job: j, params: j.params, used: make([]int, j.params)}
	if err := check.check(s, 0); err != nil {
		return nil, nil, err
	}
	j.nodes, j.used = check.nodes, check.used
	if i := slices.Index(check.used, 0); i >= 0 {
		return nil, nil, &fault{kind: Syntax, at: -1, reason: "parameter $" + itoa(int32(i+1)) + " is not used", hint: "give as many values as there are parameters"}
	}
	r := &resolver{job: j, sublink: map[*pg.SubLink]string{}, subtype: map[*pg.SubLink][]string{}}
	q, err := r.query(s, env{close: true, outermost: true}, nil)
	if err != nil {
		return nil, nil, err
	}
	cols := q.cols
	if len(cols) == 0 {
		return nil, nil, &fault{kind: Syntax, at: -1, reason: "the SELECT has no columns"}
	}
	if err := shows(cols); err != nil {
		return nil, nil, err
	}
	j.reads = r.reads()
	if err := r.placeAll(); err != nil {
		return nil, nil, err
	}
	out := make([]OutputColumn, len(cols))
	for i, c := range cols {
		out[i] = OutputColumn{Name: c.name, Redacted: c.redacted, AnyOf: c.anyOf}
	}
	if len(j.hoisted) > 0 {
		if s.WithClause == nil {
			s.WithClause = &pg.WithClause{}
		}
		s.WithClause.Ctes = append(j.hoisted, s.WithClause.Ctes...)
	}
	(&lifter{job: j}).query(s)
	if len(j.narrowing)+len(j.collections) > 0 {
		if err := j.setAlarm(s); err != nil {
			return nil, nil, err
		}
	}
	for _, n := range j.narrowing {
		n.query.WhereClause = and(append([]*pg.Node{j.bounded(n.size, longText)}, terms(n.query.WhereClause)...))
	}
	for _, c := range j.collections {
		if err := j.countFirst(c); err != nil {
			return nil, nil, err
		}
	}
	return &pg.ParseResult{Version: tree.Version, Stmts: []*pg.RawStmt{{Stmt: selectNode(j.outermost(s, out))}}}, out, nil
}

// outermost puts the SELECT that limits the rows around the statement. Rows of
// a subquery keep their order in it.
func (j *job) outermost(s *pg.SelectStmt, columns []OutputColumn) *pg.SelectStmt {
	outer := newSelect()
	outer.TargetList = []*pg.Node{target("", star())}
	alias := &pg.Alias{Aliasname: "q"}
	outer.LimitCount = intConst(int64(j.limit) + 1)
	outer.LimitOption = pg.LimitOption_LIMIT_OPTION_COUNT
	if len(j.ties) > 0 {
		outer.TargetList = nil
		for i, c := range columns {
			outer.TargetList = append(outer.TargetList, target(c.Name, columnRef("q", outputName(i))))
		}
		for i := range len(columns) + j.hidden {
			alias.Colnames = append(alias.Colnames, str(outputName(i)))
		}
	}
	if len(j.ties) > 0 && len(j.failing) > 0 { // see fails.go
		outer.SortClause = append(outer.SortClause, sortBy(evaluated([]*pg.Node{columnRef("q", outputName(0))})))
	}
	for _, t := range j.ties {
		key := columnRef("q", outputName(t.column))
		if t.text {
			key = asText(key)
		}
		n := sortBy(key)
		if t.sort != nil {
			k := n.GetSortBy()
			k.SortbyDir, k.SortbyNulls, k.UseOp = t.sort.SortbyDir, t.sort.SortbyNulls, t.sort.UseOp
		}
		outer.SortClause = append(outer.SortClause, n)
	}
	outer.FromClause = []*pg.Node{{Node: subselect(s, alias)}}
	if len(j.once) > 0 {
		outer.WhereClause = evaluated(j.once)
	}
	return outer
}

// outputName is the name of an output column for the outermost SELECT.
func outputName(i int) string { return "c" + itoa(int32(i+1)) }

// render is passes 10 to 12: it writes a secured tree, with names for the
// secured subqueries, parses the text, makes sure that it means the same and is
// secure, and puts the subqueries in. The deparser is not taken at its word.
func (j *job) render(tree *pg.ParseResult) (string, error) {
	deepest, most := 0, 0
	for _, p := range j.pieces {
		deepest, most = max(deepest, p.depth), most+p.nodes
	}
	text, again, _, err := j.written(tree, j.nodes, postgres.maxSecured-deepest, j.guard.opts.MaxNodes-most)
	if err != nil {
		return "", err
	}
	v := &verifier{policy: j.policy, schema: j.schema, params: j.params + len(j.values), pieces: len(j.pieces)}
	for _, p := range j.pieces {
		v.shown = append(v.shown, p.shown)
	}
	if err := v.statement(again, j.guard.opts.MaxRelations<<min(len(j.collections), 1), j.limit); err != nil {
		return "", j.insecure("write it in another way", err.Error())
	}
	text, err = j.splice(text, v.places)
	if err != nil {
		return "", j.insecure("write it in another way", err.Error())
	}
	return text, nil
}

// piece writes a secured subquery and verifies it.
func (j *job) piece(tree *pg.ParseResult) (*piece, error) {
	text, again, nodes, err := j.written(tree, postgres.maxSecured, postgres.maxSecured, j.guard.opts.MaxNodes)
	if err != nil {
		return nil, err
	}
	v := &verifier{policy: j.policy, schema: j.schema}
	if err := v.piece(again); err != nil {
		return nil, j.insecure("write it in another way", err.Error())
	}
	if len(v.shown) != 1 {
		return nil, j.insecure("", "no table")
	}
	return &piece{text: text, nodes: nodes, depth: depth(again), shown: v.shown[0]}, nil
}

// written is a tree's text and the tree that comes of parsing it, which is the
// same, with the number of its nodes. The tree was made from one of so many.
func (j *job) written(tree *pg.ParseResult, from, deepest, most int) (string, *pg.ParseResult, int, error) {
	// A text of few nodes is not deep; what is added to one makes it some levels
	// deeper.
	if 4*from+64 > deepest && depth(tree) > deepest {
		return "", nil, 0, tooLarge(-1, "use fewer levels of subqueries or views", "the statement is nested too deeply")
	}
	type rendered struct {
		text string
		tree *pg.ParseResult
	}
	again, err := run(j.ctx, &postgres, j.size, func() (rendered, error) {
		text, err := postgres.deparse(tree)
		if err != nil {
			return rendered{}, err
		}
		parsed, err := postgres.parse(text)
		return rendered{text, parsed}, err
	})
	if err != nil {
		if _, _, ok := postgres.syntaxError(err); ok {
			return "", nil, 0, j.insecure("write it in another way", err.Error())
		}
		return "", nil, 0, err
	}
	nodes := 0
	if d := difference(reflect.ValueOf(tree), reflect.ValueOf(again.tree), &nodes); d != "" {
		return "", nil, 0, j.insecure("write it in another way, for example with more brackets", "the text written means something else at "+d)
	}
	if nodes > most {
		return "", nil, 0, tooLarge(-1, "request less at once", "the statement is too large with its tables secured")
	}
	return again.text, again.tree, nodes, nil
}

// insecure refuses a statement that could not be secured. The cause is for the
// log.
func (j *job) insecure(hint, cause string) *fault {
	f := insecure("the statement could not be secured").advise("%s", hint)
	f.cause = cause
	return f
}

// refusal turns what stopped the job into the caller's error.
func (j *job) refusal(sql string, err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	return &Refusal{Kind: f.kind, Reason: f.reason, Hint: f.hint, Object: f.object, Cause: f.cause, Position: characters(sql, f.at),
		Tables: slices.Sorted(maps.Keys(j.tables))}
}

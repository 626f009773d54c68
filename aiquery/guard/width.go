package guard

import (
	"math"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// What a statement can make the database keep in memory is bounded before it
// runs. Every expression has a width, the most bytes its value may have; one that
// may be wider than maxValue is refused. Sorting, joining and grouping spill to
// files beyond work_mem. Collecting many values into one does not, so that the
// rows of such a SELECT are counted before they are collected, up to as many as
// maxCollected holds of their width.
const (
	maxValue     = 1 << 20          // bytes of a value that is computed
	maxRow       = 16 << 20         // bytes of a row, and of what is computed for one together
	maxLists     = 4 * maxCollected // bytes of what is made of collected values together
	maxShown     = 8                // collected values in a row that is returned
	maxCollected = 64 << 20         // bytes of what a SELECT collects
	maxInside    = 128 << 10
	overhead     = 48 // of each value that is collected

	narrow   = 31       // numbers, times, truth values
	longText = 64 << 10 // a text without a length in the dictionary, a parameter, and what WITH RECURSIVE goes on from
	letter   = 4        // bytes of a character
	digits   = 150_000  // of a number that has few in its text: 1e99999
)

// collection is a SELECT whose rows are collected into values.
type collection struct {
	query  *pg.SelectStmt // whose rows aggregates collect
	array  *pg.SubLink    // or ARRAY(SELECT …)
	width  int64          // of what is kept of each row
	window bool           // each row keeps what is collected up to it
	inside bool           // what it collects is collected again
}

// most is how many rows may be collected.
func (c *collection) most() int64 {
	bytes := int64(maxCollected)
	if c.inside {
		bytes = maxInside
	}
	n := max(bytes/(c.width+overhead), 1)
	if c.window {
		n = int64(math.Sqrt(float64(n)))
	}
	return n
}

// collects notes that an aggregate of a level collects what it is given, and
// returns the collection.
func (s *scope) collects(args value, window bool) *collection {
	c := &s.collected
	if window {
		c = &s.collectedOver
	}
	if *c == nil {
		*c = &collection{window: window}
	}
	(*c).takes(args)
	return *c
}

// takes adds to what is kept of each row.
func (c *collection) takes(args value) {
	c.width = min(c.width+args.width, math.MaxInt32)
	for _, inner := range args.lists {
		inner.inside = true
		c.width = min(c.width-min(args.width, maxCollected)+maxInside, math.MaxInt32)
	}
}

// countFirst has the rows of a SELECT counted before they are collected, up to
// one more than may be. It is done last: what is counted is what runs.
func (j *job) countFirst(c *collection) error {
	most := c.most()
	var what any = c.query
	if c.array != nil {
		what = c.array
	}
	if j.nodes += nodesBelow(what); j.nodes > j.guard.opts.MaxNodes { // each of several levels doubles those inside
		return tooLarge(-1, "collect values into lists on fewer levels", "the statement collects lists of lists")
	}
	rows := newSelect()
	rows.TargetList = []*pg.Node{target("", nullConst())}
	rows.LimitCount, rows.LimitOption = intConst(most+1), pg.LimitOption_LIMIT_OPTION_COUNT
	if c.array != nil {
		s := c.array.Subselect.GetSelectStmt()
		if few(s, most) {
			return nil
		}
		rows.FromClause = []*pg.Node{{Node: subselect(proto.Clone(s).(*pg.SelectStmt), &pg.Alias{Aliasname: reserved + "a"})}}
		around := newSelect()
		around.TargetList = []*pg.Node{target("", star())}
		around.FromClause = []*pg.Node{{Node: subselect(s, &pg.Alias{Aliasname: reserved + "a"})}}
		around.WhereClause = j.fewer(rows, most)
		c.array.Subselect = selectNode(around)
		return nil
	}
	s := c.query
	if len(s.FromClause) == 0 || len(s.FromClause) == 1 && few(s.FromClause[0].GetRangeSubselect().GetSubquery().GetSelectStmt(), most) {
		return nil
	}
	for _, n := range s.FromClause {
		rows.FromClause = append(rows.FromClause, proto.Clone(n).(*pg.Node))
	}
	if s.WhereClause != nil {
		rows.WhereClause = proto.Clone(s.WhereClause).(*pg.Node)
	}
	s.WhereClause = and(append([]*pg.Node{j.fewer(rows, most)}, terms(s.WhereClause)...))
	return nil
}

// few reports whether a LIMIT bounds the rows of a SELECT.
func few(s *pg.SelectStmt, most int64) bool {
	n := s.GetLimitCount().GetAConst().GetIval()
	return n != nil && int64(n.Ival) <= most && s.LimitOption != withTies
}

// narrows has WITH RECURSIVE go on from rows whose values are not wider than
// longText: what the recursive part makes of them is bounded thereby, however
// often it runs.
func (j *job) narrows(s *pg.SelectStmt, items []*item) error {
	for _, it := range items {
		seen := map[string]bool{}
		for _, c := range it.cols {
			if !c.grows || !it.relVisible {
				continue
			}
			if seen[c.name] {
				return &fault{kind: Syntax, at: -1, reason: "a WITH item that uses itself has several columns " + quote(c.name), hint: "give its columns names: WITH RECURSIVE name (a, b) AS …"}
			}
			seen[c.name] = true
			size := &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names(catalog, "octet_length"), Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL,
				Args: []*pg.Node{cast(columnRef(it.name, c.name), "text")}}}}
			j.narrowing = append(j.narrowing, narrowed{s, size})
		}
	}
	return nil
}

// narrowed is a SELECT that goes on from values of a size.
type narrowed struct {
	query *pg.SelectStmt
	size  *pg.Node
}

// fewer is a condition that there are no more rows than may be.
func (j *job) fewer(rows *pg.SelectStmt, most int64) *pg.Node {
	count := newSelect()
	count.TargetList = []*pg.Node{target("", &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{
		Funcname: names(catalog, "count"), AggStar: true, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}})}
	count.FromClause = []*pg.Node{{Node: subselect(rows, &pg.Alias{Aliasname: reserved + "n"})}}
	return j.bounded(&pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(count)}}}, most)
}

// bounded is a condition that holds, or fails with the state of the alarm if a number
// is greater than may be.
func (j *job) bounded(n *pg.Node, most int64) *pg.Node {
	tooMany := &pg.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: names(">"),
		Lexpr: n, Rexpr: j.lifted(Value{Type: "int8", Text: strconv.FormatInt(most, 10)})}}}
	fail := &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names(catalog, j.alarm.function), Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL,
		Args: []*pg.Node{cast(j.lifted(Value{Text: "-1"}), "float8")}}}}
	holds := evaluated([]*pg.Node{caseWhen(tooMany, fail)})
	holds.GetAExpr().Rexpr = j.lifted(Value{Type: "int4", Text: "0"})
	return holds
}

// alarm is how a statement fails that would collect more than may be: a function
// that has no result for -1, and the SQLSTATE of that. Nothing else in the statement
// may end in the same state, or what became of a row would be taken for it.
type alarm struct {
	function, state string
	others          map[string]bool // functions and operators with that state
}

var alarms = []alarm{
	{"sqrt", "2201F", set(`sqrt dsqrt power pow dpow numeric_power numeric_sqrt ^ |/`)},
	{"ln", "2201E", set(`ln dlog1 log log10 dlog10 numeric_ln numeric_log`)},
}

// setAlarm finds the alarm of a statement whose rows are to be counted.
func (j *job) setAlarm(s *pg.SelectStmt) error {
	used := map[string]bool{}
	var look func(m any) error
	look = func(m any) error {
		switch m := m.(type) {
		case *pg.FuncCall:
			name, _ := lastName(m.Funcname)
			used[name] = true
		case *pg.A_Expr:
			name, _ := lastName(m.Name)
			used[name] = true
		}
		return children(m, look)
	}
	if err := look(s); err != nil {
		return err
	}
	for _, a := range alarms {
		free := true
		for name := range a.others {
			free = free && !used[name]
		}
		if free {
			j.alarm = a
			return nil
		}
	}
	return tooLarge(-1, "compute the one in a statement of its own", "the statement collects values, and has powers or roots and logarithms besides")
}

// nodesBelow is how many messages there are below one.
func nodesBelow(m any) int {
	n := 1
	_ = children(m, func(c any) error {
		n += nodesBelow(c)
		return nil
	})
	return n
}

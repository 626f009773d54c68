package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// aggregateCall is a call of an aggregate, windowCall one of a window function.
type (
	aggregateCall struct {
		call *pg.FuncCall
		name string
		args value
	}
	windowCall aggregateCall
)

// correlating are aggregates over floating-point numbers whatever they are given.
var correlating = set(`corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy`)

// collects reports whether an aggregate's result depends on the order in which
// the rows come.
func (c *aggregateCall) collects() bool {
	return collecting[c.name] || correlating[c.name] || sums[c.name] && c.args.float
}

// closeAggregates orders what aggregates collect.
func (r *resolver) closeAggregates(s *pg.SelectStmt, level *scope, from order) error {
	asIs := from != open && len(s.GroupClause) == 0 && !slices.ContainsFunc(level.ordered, func(c *aggregateCall) bool {
		return len(c.call.AggOrder) > 0 || c.call.AggDistinct // these make the server sort the rows for all
	})
	for _, c := range level.ordered {
		m := c.call
		r.job.collects = r.job.collects || collectsRows[c.name]
		if !c.collects() || m.AggDistinct || m.AggWithinGroup || asIs && len(m.AggOrder) == 0 {
			continue
		}
		if len(m.AggOrder) == 0 && from == sorted && collecting[c.name] {
			return openOrder(m.Location, "write "+c.name+"(… ORDER BY …)", "the order of what %s collects is open, because GROUP BY may sort the rows anew", c.name)
		}
		m.AggOrder = sortedBy(m.AggOrder, c.keys())
	}
	return nil
}

// keys are what the rows are sorted by that an aggregate collects: its arguments.
func (c *aggregateCall) keys() (keys []*pg.Node) {
	what := column{unordered: c.args.unordered, look: c.args.look}
	if !collecting[c.name] {
		what.look = uniform // sums of equal numbers are equal
	}
	for _, a := range c.call.Args {
		if !fixed(a) {
			keys = append(keys, what.keys(a)...)
		}
	}
	return keys
}

// The bits of a window's frame, as PostgreSQL's parser sets them.
const (
	frameNonDefault     = 0x00001
	frameRange          = 0x00002
	frameRows           = 0x00004
	frameBetween        = 0x00010
	frameStartUnbounded = 0x00020
	frameEndUnbounded   = 0x00100
	frameOffsets        = 0x00800 | 0x01000 | 0x02000 | 0x04000
	frameExclusions     = 0x08000 | 0x10000 | 0x20000
	frameDefaults       = frameRange | frameStartUnbounded | 0x00400
	frameUnbounded      = frameStartUnbounded | frameEndUnbounded // all rows, whatever their order
	frameWholePartition = frameNonDefault | frameRows | frameBetween | frameStartUnbounded | frameEndUnbounded
)

// byPeers are window functions that give rows of equal order the same value.
var byPeers = set(`rank dense_rank percent_rank cume_dist`)

// byRow are window functions that look at single rows whatever the frame.
var byRow = set(`row_number ntile lag lead`)

// byFrame are window functions that look at single rows of the frame.
var byFrame = set(`first_value last_value nth_value`)

// closeWindows completes the order of window functions that tell rows of equal
// order apart.
func (r *resolver) closeWindows(s *pg.SelectStmt, level *scope, grouped bool, cols []column, nodes []*pg.Node) error {
	var keys []*pg.Node
	for _, c := range level.windows {
		r.job.collects = r.job.collects || collectsRows[c.name]
		if byPeers[c.name] {
			continue
		}
		def, err := effective(s, c.call.Over)
		if err != nil {
			return err
		}
		rows := def.FrameOptions&frameRows != 0
		single := byFrame[c.name] || (*aggregateCall)(c).collects()
		if !byRow[c.name] && !single && !rows {
			continue // rows of equal order are in the frame together
		}
		if keys == nil {
			if !grouped {
				keys = r.identity(level.items)
			} else if keys, err = groupKeys(s, level, cols, nodes); err != nil {
				return err
			}
		}
		if len(keys) > 0 && total(def.OrderClause, keys) {
			continue
		}
		if err := c.settleFrame(def); err != nil {
			return err
		}
		def.OrderClause = sortedBy(def.OrderClause, keys)
		c.call.Over = def
	}
	return nil
}

// settleFrame gives a window a frame that means the same once its rows have a total order.
func (c *windowCall) settleFrame(def *pg.WindowDef) error {
	first := c.name == "first_value" && def.FrameOptions&frameStartUnbounded != 0 && def.FrameOptions&frameExclusions == 0
	switch {
	case byRow[c.name]:
		def.FrameOptions, def.StartOffset, def.EndOffset = frameDefaults, nil, nil // they do not look at it
	case def.FrameOptions&frameRows != 0, first && def.FrameOptions&frameOffsets == 0, def.FrameOptions&(frameUnbounded|frameExclusions) == frameUnbounded:
	case len(def.OrderClause) == 0 && def.FrameOptions == frameDefaults:
		def.FrameOptions = frameWholePartition
	default:
		return openOrder(c.call.Location, "add columns that tell the rows apart to its ORDER BY, or give it a frame of ROWS",
			"the order in which %s sees the rows is open", c.name)
	}
	return nil
}

// effective returns a copy of a window's definition, its names replaced by what
// they stand for.
func effective(s *pg.SelectStmt, over *pg.WindowDef) (*pg.WindowDef, error) {
	def := &pg.WindowDef{PartitionClause: over.PartitionClause, OrderClause: slices.Clone(over.OrderClause),
		FrameOptions: over.FrameOptions, StartOffset: over.StartOffset, EndOffset: over.EndOffset, Location: over.Location}
	name := over.Refname
	if over.Name != "" {
		name = over.Name
	}
	for range len(s.WindowClause) + 1 {
		if name == "" {
			return def, nil
		}
		i := slices.IndexFunc(s.WindowClause, func(n *pg.Node) bool { return n.GetWindowDef().GetName() == name })
		if i < 0 {
			return nil, &fault{kind: Syntax, at: over.Location, reason: "there is no window " + quote(name)}
		}
		w := s.WindowClause[i].GetWindowDef()
		if len(def.PartitionClause) == 0 {
			def.PartitionClause = w.PartitionClause
		}
		if len(def.OrderClause) == 0 {
			def.OrderClause = slices.Clone(w.OrderClause)
		}
		if over.Name != "" && def.FrameOptions == over.FrameOptions {
			def.FrameOptions, def.StartOffset, def.EndOffset = w.FrameOptions, w.StartOffset, w.EndOffset
		}
		name = w.Refname
	}
	return nil, &fault{kind: Syntax, at: over.Location, reason: "the windows name one another"}
}

// total reports whether an order has all the keys.
func total(sorts, keys []*pg.Node) bool {
	return !slices.ContainsFunc(keys, func(k *pg.Node) bool {
		return !slices.ContainsFunc(sorts, func(s *pg.Node) bool {
			n := s.GetSortBy().GetNode()
			return n.GetColumnRef() != nil && sameReference(n, k)
		})
	})
}

// groupKeys returns what tells the rows of a grouped query apart.
func groupKeys(s *pg.SelectStmt, level *scope, cols []column, nodes []*pg.Node) ([]*pg.Node, error) {
	var keys []*pg.Node
	for _, n := range s.GroupClause {
		i := -1
		switch {
		case n.GetGroupingSet() != nil:
			return nil, openOrder(-1, "compute the groups in a subquery and number its rows", "the order of the rows of GROUPING SETS is open to window functions")
		case n.GetAConst().GetIval() != nil:
			if i = int(n.GetAConst().GetIval().Ival) - 1; i < 0 || i >= len(nodes) {
				continue // the server says what is wrong
			}
		case onePart(n) != "":
			if c, _, twice := level.local().columnNamed(onePart(n)); c == nil && !twice {
				i = slices.IndexFunc(cols, func(c column) bool { return c.name == onePart(n) })
			}
		}
		if i >= 0 {
			if n = nodes[i]; n == nil {
				return nil, openOrder(-1, "name the columns in GROUP BY", "the order of the rows is open to window functions")
			}
		}
		keys = append(keys, n)
	}
	return keys, nil
}

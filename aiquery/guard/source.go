package guard

// source is where a column's values come from: a column of a table, or what it
// is computed from.
//
// The database may evaluate an expression of the caller before the conditions
// that hide rows. A column that such an expression uses is therefore gated: its
// subquery shows NULL for hidden rows. Which columns that are is known only
// after the statement has been resolved, because a subquery's output may be
// used in a condition further out.
type source struct {
	gated    bool
	compared bool // as it is
	from     []*source
	equal    []*source // what it is said to be equal to
}

// link has either of two sources gated when the other is. The server takes equal
// columns for one another: what it compares a gated one with, a constant that GROUP
// BY needs for example, it compares with the other too.
func link(a, b *source) {
	if a == nil || b == nil || a == b {
		return
	}
	a.equal, b.equal = append(a.equal, b), append(b.equal, a)
	if a.gated {
		b.gate()
	}
	if b.gated {
		a.gate()
	}
}

// compare marks a source that is compared as it is, and what it passes on.
func (s *source) compare() {
	if s == nil || s.compared {
		return
	}
	s.compared = true
	for _, f := range s.from {
		f.compare()
	}
}

// gate marks a source, everything it is computed from, and what is equal to it.
func (s *source) gate() {
	if s == nil || s.gated {
		return
	}
	s.gated = true
	for _, list := range [][]*source{s.from, s.equal} {
		for _, f := range list {
			f.gate()
		}
	}
}

func gateAll(sources []*source) {
	for _, s := range sources {
		s.gate()
	}
}

// computed returns the source of a value that is made of others.
func computed(from []*source) *source {
	switch len(from) {
	case 0:
		return nil
	case 1:
		return from[0]
	}
	return &source{from: from}
}

// value is what is known of an expression.
type value struct {
	redacted  bool     // computed from redacted columns
	unordered bool     // may be of a type that cannot be sorted, or not easily: json, arrays
	float     bool     // may be a floating-point number, whose sum depends on the order
	look      likeness // of two values that are added, the less uniform counts
	bare      bool     // names columns outside aggregates
	anyOf     bool     // may be any of several equal values, which can look different: 1 and 1.00
	passes    bool     // of a subquery: its one column passes on a column of a table
	fails     bool     // names a column that may fail to be computed
	sources   []*source

	width int64 // the most bytes it has; see width.go
	parts []int64
	lists []*collection // that it holds
}

func (v *value) add(o value) {
	v.redacted = v.redacted || o.redacted
	v.unordered = v.unordered || o.unordered
	v.float = v.float || o.float
	v.look = together(v.look, o.look)
	v.anyOf = v.anyOf || o.anyOf
	v.bare = v.bare || o.bare
	v.fails = v.fails || o.fails
	v.sources = append(v.sources, o.sources...)
	v.wider(o.width)
	v.lists = append(v.lists, o.lists...)
}

// of is what is known of a column.
func (c *column) value() value {
	v := value{redacted: c.redacted, unordered: c.unordered, float: c.float, look: c.look, anyOf: c.anyOf, fails: c.fails, bare: true, width: c.width, lists: c.lists}
	if c.source != nil {
		v.sources = []*source{c.source}
	}
	return v
}

// column makes a column of an expression.
func (v value) column(name string) column {
	return column{name: name, redacted: v.redacted, unordered: v.unordered, float: v.float, look: v.look, anyOf: v.anyOf, bare: v.bare, source: computed(v.sources), width: v.width, lists: v.lists}
}

// family groups the types whose comparisons can neither fail nor take long.
type family int

const (
	noFamily family = iota
	numberFamily
	textFamily
	timeFamily
	boolFamily
	uuidFamily
)

var families = map[string]family{
	"int2": numberFamily, "int4": numberFamily, "int8": numberFamily, "numeric": numberFamily,
	"text": textFamily, "varchar": textFamily, "bpchar": textFamily, "name": textFamily,
	"date": timeFamily, "timestamp": timeFamily, "timestamptz": timeFamily,
	"bool": boolFamily, "uuid": uuidFamily,
}

// sortable are the types of columns that ORDER BY takes.
var sortable = set(`bool int2 int4 int8 numeric float4 float8 text varchar bpchar name char date time timetz timestamp
	timestamptz interval jsonb uuid bytea bit varbit`)

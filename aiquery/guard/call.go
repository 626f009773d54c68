package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// floats are functions that return floating-point numbers whatever they are
// given, in some version of PostgreSQL; others return them when given some.
var floats = set(`date_part extract sqrt cbrt exp ln log log10 power pow degrees radians pi sin cos tan asin acos atan atan2
	percent_rank cume_dist corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx
	regr_sxy regr_syy percentile_cont float4 float8`)

// sums are aggregates whose result over floating-point numbers depends on the
// order in which they come.
var sums = set(`sum avg stddev stddev_pop stddev_samp variance var_pop var_samp`)

// collecting are aggregates whose result depends on the order of the rows.
var collecting = set(`string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg any_value`)

// arrays are functions that return arrays.
var arrays = set(`array_agg array_append array_prepend array_cat array_remove array_replace array_positions string_to_array
	regexp_split_to_array regexp_match regexp_matches`)

// call resolves a call of a function.
func (r *resolver) call(m *pg.FuncCall, e env) (v value, err error) {
	name, _ := lastName(m.Funcname)
	if m.Over != nil || aggregates[name] {
		e = e.proved(afterRows)
	}
	var args value
	looks := whole
	for _, a := range m.Args {
		o, err := r.node(a, e)
		if err != nil {
			return v, err
		}
		looks = min(looks, o.look)
		args.add(o)
		v.parts = append(v.parts, o.width)
	}
	args.look = looks
	v.add(args)
	for _, list := range [][]*pg.Node{m.AggOrder, {m.AggFilter}} {
		for _, n := range list {
			o, err := r.node(n, e)
			if err != nil {
				return v, err
			}
			v.add(o)
		}
	}
	if m.Over != nil {
		o, err := r.expression(m.Over, e)
		if err != nil {
			return v, err
		}
		v.add(o)
	}
	switch {
	case m.Over != nil:
		if e.scope != nil {
			e.scope.windows = append(e.scope.windows, &windowCall{call: m, name: name, args: args})
		}
	case aggregates[name]:
		if e.scope != nil {
			e.scope.aggregated = true
			e.scope.ordered = append(e.scope.ordered, &aggregateCall{call: m, name: name, args: args})
		}
	}
	if collectsRows[name] && e.scope != nil {
		v.lists = []*collection{e.scope.collects(args, m.Over != nil)}
	}
	v.returned(name)
	v.look = callLook(name, looks)
	if m.Over != nil || aggregates[name] {
		v.sources, v.bare = nil, m.Over != nil && v.bare
	}
	if _, ok := tableFunctions[name]; ok && e.scope != nil {
		e.scope.expands = true
	}
	return v, nil
}

// returned adapts what is known of a call's arguments to its result.
func (v *value) returned(name string) {
	switch {
	case strings.HasPrefix(name, "jsonb_"), name == "to_jsonb":
		v.unordered = false
	case strings.HasPrefix(name, "json_"), name == "to_json", name == "row_to_json", name == "array_to_json":
		v.unordered = true
	}
	switch {
	case arrays[name]:
		v.unordered = true
	case name == "cardinality", strings.HasPrefix(name, "array_"):
		v.unordered = false
	}
	v.float = v.float || floats[name]
	v.anyOf = v.anyOf || choosing[name]
}

// choosing are aggregates that return one of several values that may be equal.
var choosing = set(`min max mode percentile_disc`)

// retype adapts what is known of a value to the type it is cast to.
func (v *value) retype(t *pg.TypeName) {
	typ := typeName(t)
	v.unordered = typ == "json" || len(t.GetArrayBounds()) > 0
	v.float = typ == "float4" || typ == "float8"
	v.look = looks[typ]
	if v.unordered {
		v.look = varied
	}
}

// typeName is the name of a type without its schema.
func typeName(t *pg.TypeName) string {
	name, _ := lastName(t.GetNames())
	return name
}

package transfer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// Bounds of looking records up.
const (
	maxFilter  = 4_500  // bytes of a condition, which travels in an address
	maxValues  = 50     // in one condition
	maxFound   = 5_000  // records of one condition
	maxCached  = 50_000 // texts of one reference
	maxNearest = 10     // texts that something near is looked for
)

// resolver finds the records that texts refer to: all texts of a chunk of rows in
// few requests, and each only once.
type resolver struct {
	client *erp.Client
	reg    Dictionary
	specs  map[*field]*reference
	asked  int // texts that something near was looked for
}

// reference is how the values of a field are found.
type reference struct {
	erp.RefLookup
	key     string // column of the foreign table that is stored; empty: the server finds by itself
	numeric bool   // the key is a number
	uuid    bool   // the key is the UUID
	by      string // column that the values are of; empty: any
	heading string // that would say the values are search keys
	cache   map[string]referred
}

// referred is what a text refers to.
type referred struct {
	send  any
	plain string
	err   error
}

func newResolver(client *erp.Client, reg Dictionary) *resolver {
	return &resolver{client: client, reg: reg, specs: map[*field]*reference{}}
}

// spec is how the values of a field are found. The error is about its heading.
func (r *resolver) spec(ctx context.Context, f *field) (*reference, error) {
	if s := r.specs[f]; s != nil {
		return s, nil
	}
	s := &reference{cache: map[string]referred{}, heading: f.col.Name + ":Value"}
	t, err := r.reg.Table(ctx, f.col.ForeignTable)
	switch {
	case errors.Is(err, registry.ErrNotFound) && f.by == "":
		s.Table = f.col.ForeignTable
	case err != nil:
		return nil, err
	default:
		if err := r.describe(ctx, s, f, &t); err != nil {
			return nil, err
		}
	}
	r.specs[f] = s
	return s, nil
}

func (r *resolver) describe(ctx context.Context, s *reference, f *field, t *registry.Table) error {
	s.RefLookup, s.key = lookupOf(ctx, r.reg, f.col, t)
	s.numeric = strings.EqualFold(s.key, t.Name+"_ID")
	if f.col.Type.IsUUID() {
		s.key, s.uuid, s.numeric = t.Name+"_UU", true, false
	}
	switch lower := strings.ToLower(f.by); {
	case f.by == "":
		return nil
	case lower == "id", strings.EqualFold(f.by, s.key):
		s.by = s.key
	case lower == "uid":
		s.by = t.Name + "_UU"
	default:
		col, ok := t.Column(f.by)
		if !ok || col.Virtual() || col.Secure || col.Encrypted {
			var names []string
			for _, c := range t.Columns {
				names = append(names, c.Name)
			}
			hint := ""
			if near := nearest.Name(f.by, names); near != "" {
				hint = fmt.Sprintf("; did you mean %q?", f.col.Name+":"+near)
			}
			return fmt.Errorf("%s has no column %s to find its records by%s", t.Name, text.Quote(f.by), hint)
		}
		if !col.Type.IsText() || col.ForeignTable != "" || col.Type.IsList() {
			return fmt.Errorf("records of %s are not found by %s, which is no text", t.Name, col.Name)
		}
		s.by, s.Columns = col.Name, []string{col.Name}
	}
	return nil
}

// lookupOf says how records of a table are called by name, for the values of a
// column that refers to it, and which column of the table the values are.
func lookupOf(ctx context.Context, reg Dictionary, col *registry.Column, t *registry.Table) (erp.RefLookup, string) {
	l := erp.RefLookup{Table: t.Name}
	key, display := t.Name+"_ID", ""
	if col.ReferenceID > 0 && !col.Type.IsList() {
		if ref, err := list(ctx, reg, col.ReferenceID); err == nil && ref.Lookup != nil {
			key, display = ref.Lookup.Key, ref.Lookup.Display
		}
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Readable() && !c.Key && (c.Name == "AD_Org_ID" || c.Parent) {
			l.Show = append(l.Show, c.Name)
		}
	}
	l.Columns, _ = t.NameColumns(display)
	return l, key
}

// way is by what a text is looked up.
type way int

const (
	byKey way = iota
	byUUID
	byName
)

func (s *reference) way(name string) way {
	_, isUUID := dict.ParseUUID(name)
	_, err := strconv.ParseInt(name, 10, 64)
	switch {
	case s.by != "" && strings.EqualFold(s.by, s.key):
		return byKey
	case s.by != "" && strings.EqualFold(s.by, s.Table+"_UU"):
		return byUUID
	case s.by != "":
		return byName
	case isUUID:
		return byUUID
	case s.numeric && err == nil, !s.numeric:
		return byKey
	}
	return byName
}

// resolve looks up all values of rows that refer to records. What is wrong with one
// is told to report.
func (r *resolver) resolve(ctx context.Context, values []*value, report func(*value, error)) error {
	type wanted struct {
		spec  *reference
		names map[string]bool
	}
	var order []*wanted
	bySpec := map[*reference]*wanted{}
	for _, v := range values {
		s, err := r.spec(ctx, v.field)
		if err != nil {
			return err
		}
		if _, known := s.cache[v.ref]; known {
			continue
		}
		w := bySpec[s]
		if w == nil {
			w = &wanted{s, map[string]bool{}}
			bySpec[s] = w
			order = append(order, w)
		}
		w.names[v.ref] = true
	}
	for _, w := range order {
		if len(w.spec.cache)+len(w.names) > maxCached {
			w.spec.cache = map[string]referred{}
			for _, v := range values { // those of this chunk that were known
				if r.specs[v.field] == w.spec {
					w.names[v.ref] = true
				}
			}
		}
		if err := r.find(ctx, w.spec, w.names); err != nil {
			return err
		}
	}
	for _, v := range values {
		got := r.specs[v.field].cache[v.ref]
		if got.err != nil {
			report(v, got.err)
			continue
		}
		v.send, v.plain = got.send, got.plain
	}
	return nil
}

// find fills the cache with what texts refer to.
func (r *resolver) find(ctx context.Context, s *reference, names map[string]bool) error {
	if s.key == "" {
		for name := range names {
			s.cache[name] = unchecked(name)
		}
		return nil
	}
	groups := map[way][]string{}
	for name := range names {
		w := s.way(name)
		groups[w] = append(groups[w], name)
	}
	for _, w := range []way{byKey, byUUID, byName} {
		list := groups[w]
		slices.Sort(list)
		if err := r.findAll(ctx, s, w, list); err != nil {
			if errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound) {
				for _, name := range list { // the role may not read the table: the ERP decides
					s.cache[name] = unchecked(name)
				}
				continue
			}
			return fmt.Errorf("looking up records of %s: %w", s.Table, err)
		}
	}
	return nil
}

// unchecked is a text that the server resolves.
func unchecked(name string) referred {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return referred{send: n, plain: name}
	}
	if _, ok := dict.ParseUUID(name); ok {
		return referred{send: map[string]string{"uid": name}, plain: name}
	}
	return referred{send: map[string]string{"identifier": name}, plain: name}
}

// findAll looks texts up that are of one kind.
func (r *resolver) findAll(ctx context.Context, s *reference, w way, names []string) error {
	var single []string
	columns := 1
	if w == byName {
		columns = max(2*len(s.Columns), 1)
	}
	for _, chunk := range chunks(names, columns) {
		filter, left := s.filter(w, chunk)
		single = append(single, left...)
		if filter.IsZero() {
			continue
		}
		index := map[string][]erp.Record{}
		q := &erp.Query{Filter: filter, Select: s.selected(), Top: 100, Limit: maxFound}
		for rec, err := range r.client.Records(ctx, s.Table, q) {
			if err != nil {
				return err
			}
			for _, name := range s.names(w, rec) {
				if !slices.ContainsFunc(index[name], func(known erp.Record) bool { return known.ID() == rec.ID() }) {
					index[name] = append(index[name], rec)
				}
			}
		}
		for _, name := range chunk {
			if slices.Contains(left, name) {
				continue
			}
			if err := r.take(ctx, s, w, name, index[fold(w, name)]); err != nil {
				return err
			}
		}
	}
	for _, name := range single { // the filter language cannot write them
		if err := r.findOne(ctx, s, name); err != nil {
			return err
		}
	}
	return nil
}

// fold is what texts are compared by: names without regard to case.
func fold(w way, name string) string {
	if w == byName {
		return strings.ToLower(name)
	}
	return name
}

// filter is the condition that finds records; left are texts that it cannot have.
func (s *reference) filter(w way, names []string) (f erp.Filter, left []string) {
	switch w {
	case byKey:
		if !s.numeric {
			return anyOf(s.key, names)
		}
		var numbers []int64
		for _, name := range names {
			if n, err := strconv.ParseInt(name, 10, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) == 0 {
			return f, nil
		}
		return erp.ActiveOrNot(erp.In(s.key, numbers...)), nil
	case byUUID:
		return erp.ActiveOrNot(erp.In(s.Table+"_UU", names...)), nil
	}
	var all []erp.Filter
	for _, column := range s.Columns {
		lower := make([]string, len(names))
		for i, name := range names {
			lower[i] = strings.ToLower(name)
		}
		one, inexpressible := anyOf(string(erp.ToLower(column)), lower)
		// Some databases know small letters of ASCII only.
		if exact := slices.DeleteFunc(slices.Clone(names), isASCII); len(exact) > 0 {
			as, _ := anyOf(column, exact)
			one = erp.Or(one, as)
		}
		if all = append(all, one); left == nil {
			for i, name := range names {
				if slices.Contains(inexpressible, lower[i]) {
					left = append(left, name)
				}
			}
		}
	}
	return erp.Or(all...), left
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// anyOf is true if a column is one of the texts; left are those that the filter
// language cannot write.
func anyOf(column string, names []string) (f erp.Filter, left []string) {
	var listed []string
	var filters []erp.Filter
	for _, name := range names {
		if one := erp.In(erp.Column(column), name); !broken(one) {
			listed = append(listed, name)
		} else if one := erp.Eq(erp.Column(column), name); !broken(one) {
			filters = append(filters, one)
		} else {
			left = append(left, name)
		}
	}
	if len(listed) > 0 {
		filters = append(filters, erp.In(erp.Column(column), listed...))
	}
	return erp.Or(filters...), left
}

func broken(f erp.Filter) bool {
	_, err := f.Render()
	return err != nil
}

// chunks splits texts so that a condition fits into an address that has each of
// them as often as there are columns.
func chunks(names []string, columns int) [][]string {
	var out [][]string
	size := 0
	for _, name := range names {
		length := len(url.QueryEscape(name)) + 9 // quotes and a comma
		if n := len(out); n == 0 || len(out[n-1]) == maxValues || size+length > maxFilter/columns {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], name)
		size += length
	}
	return out
}

// selected are the columns to read.
func (s *reference) selected() []string {
	var all []string
	for _, column := range slices.Concat(s.Columns, s.Show, []string{s.key}) {
		if !strings.EqualFold(column, s.Table+"_ID") && !strings.EqualFold(column, s.Table+"_UU") && !slices.Contains(all, column) {
			all = append(all, column)
		}
	}
	return all
}

// names are the texts that a record is found by.
func (s *reference) names(w way, rec erp.Record) []string {
	switch w {
	case byKey:
		return []string{s.keyOf(rec)}
	case byUUID:
		return []string{rec.UUID()}
	}
	var names []string
	for _, column := range s.Columns {
		if name, ok := rec.Text(column); ok && name != "" {
			names = append(names, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	return names
}

// keyOf is what a record is referred to by.
func (s *reference) keyOf(rec erp.Record) string {
	switch {
	case s.uuid:
		return rec.UUID()
	case s.numeric:
		return rec.ID().String()
	}
	if ref, ok := rec.Ref(s.key); ok {
		return ref.ID.String()
	}
	name, _ := rec.Text(s.key)
	return name
}

// take notes what a text refers to.
func (r *resolver) take(ctx context.Context, s *reference, w way, name string, found []erp.Record) error {
	if len(found) > 1 && w == byName { // capitals count where they tell records apart
		var exact []erp.Record
		for _, rec := range found {
			if slices.ContainsFunc(s.Columns, func(c string) bool {
				is, _ := rec.Text(c)
				return strings.TrimSpace(is) == name
			}) {
				exact = append(exact, rec)
			}
		}
		if len(exact) > 0 {
			found = exact
		}
	}
	switch {
	case len(found) == 1:
		s.cache[name] = s.refer(found[0])
	case len(found) > 1:
		matches := make([]erp.RefMatch, len(found))
		for i, rec := range found {
			matches[i] = erp.RefMatch{ID: rec.ID(), Record: rec}
		}
		s.cache[name] = referred{err: s.ambiguous(name, matches)}
	case w == byKey && s.numeric:
		hint := ""
		if slices.Contains(s.Columns, "Value") && s.by == "" {
			hint = fmt.Sprintf("; if it is a search key, write the heading %s", s.heading)
		}
		s.cache[name] = referred{err: fmt.Errorf("there is no record %s in %s that the role may see%s", text.Quote(name), s.Table, hint)}
	case w != byName || r.asked >= maxNearest || len(s.Columns) == 0:
		s.cache[name] = referred{err: fmt.Errorf("no record of %s that the role may see is called %s", s.Table, text.Quote(name))}
	default:
		r.asked++
		return r.findOne(ctx, s, name)
	}
	return nil
}

func (s *reference) refer(rec erp.Record) referred {
	key := s.keyOf(rec)
	if n, ok := rec.ID().Int(); ok && s.numeric {
		return referred{send: n, plain: key}
	}
	return referred{send: key, plain: key}
}

// findOne looks one name up by itself, which also finds what is near.
func (r *resolver) findOne(ctx context.Context, s *reference, name string) error {
	l := s.RefLookup
	if s.key != "" && !s.numeric && !s.uuid && !slices.Contains(l.Show, s.key) {
		l.Show = append(slices.Clone(l.Show), s.key)
	}
	if len(l.Columns) == 0 {
		s.cache[name] = unchecked(name)
		return nil
	}
	found, err := r.client.FindRef(ctx, l, name)
	var wrong *erp.RefError
	switch {
	case err == nil:
		s.cache[name] = s.refer(found.Record)
	case errors.As(err, &wrong) && len(wrong.Matches) > 0:
		s.cache[name] = referred{err: s.ambiguous(name, wrong.Matches)}
	case errors.As(err, &wrong), errors.Is(err, erp.ErrInvalid):
		s.cache[name] = referred{err: err}
	default:
		return err
	}
	return nil
}

// ambiguous says which records a name may mean.
func (s *reference) ambiguous(name string, matches []erp.RefMatch) error {
	var words []string
	for i, m := range matches {
		if i == 5 {
			words = append(words, fmt.Sprintf("and %d more", len(matches)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s (%s)", m.ID, text.Shorten(strings.Join(m.Facts(s.RefLookup), ", "), 120)))
	}
	return fmt.Errorf("%d records of %s are called %s: %s; give the number of the one that is meant, or find it by a column with a heading such as %s",
		len(matches), s.Table, text.Quote(name), strings.Join(words, "; "), s.heading)
}

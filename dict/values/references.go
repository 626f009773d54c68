package values

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/internal/searches"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// Bounds of looking records up.
const (
	maxFound   = 5_000  // records of one condition
	maxCached  = 50_000 // texts of one reference
	maxNearest = 10     // texts that something near is looked for
)

// reference is how the values of a field are found.
type reference struct {
	erp.RefLookup
	key      string // column of the foreign table that is stored; empty: the server finds by itself
	numeric  bool   // the key is a number
	uuid     bool   // the key is the UUID
	inactive bool   // deactivated records have names, too
	beyond   bool   // numbers and UUIDs may be of records that the role does not see
	by       string // column that the values are of; empty: any
	byValue  string // writes that the values are search keys; empty: nothing does
	cache    map[string]referred
}

// referred is what a text refers to.
type referred struct {
	send  any
	plain string
	name  string // of the record
	err   error
}

// Check fails if the values of a target that refers to records cannot be found as its
// By says.
func (r *Reader) Check(ctx context.Context, t Target) error {
	_, err := r.spec(ctx, &t)
	return err
}

// by is how a record is named by one of its columns; empty: in no way.
func (r *Reader) by(f *Target, column string) string {
	switch {
	case r.filters:
		return ""
	case r.opts.Advice.By == "":
		return f.Name + ":" + column
	}
	return strings.ReplaceAll(r.opts.Advice.By, "COLUMN", column)
}

// spec is how the values of a target are found. The error is about its By.
func (r *Reader) spec(ctx context.Context, f *Target) (*reference, error) {
	if s := r.specs[*f]; s != nil {
		return s, nil
	}
	s := &reference{cache: map[string]referred{}, beyond: f.Beyond, inactive: r.opts.Inactive}
	t, err := r.dict.Table(ctx, f.Foreign)
	switch {
	case errors.Is(err, registry.ErrNotFound) && f.By == "":
		s.Table = f.Foreign
	case err != nil:
		return nil, err
	default:
		if err := r.describe(ctx, s, f, &t); err != nil {
			return nil, err
		}
	}
	r.specs[*f] = s
	return s, nil
}

func (r *Reader) describe(ctx context.Context, s *reference, f *Target, t *registry.Table) error {
	s.RefLookup, s.key = r.lookup(ctx, f, t)
	if f.By == "" && slices.Contains(s.Columns, "Value") {
		s.byValue = r.by(f, "Value")
	}
	s.numeric = strings.EqualFold(s.key, t.Name+"_ID")
	if f.Type.IsUUID() {
		s.key, s.uuid, s.numeric = t.Name+"_UU", true, false
	}
	switch lower := strings.ToLower(f.By); {
	case f.By == "":
		return nil
	case lower == "id", strings.EqualFold(f.By, s.key):
		s.by = s.key
	case lower == "uid":
		s.by = t.Name + "_UU"
	default:
		col, err := r.naming(f, t)
		if err != nil {
			return err
		}
		s.by, s.Columns = col.Name, []string{col.Name}
	}
	return nil
}

// naming is the column that the By of a target names.
func (r *Reader) naming(f *Target, t *registry.Table) (registry.Column, error) {
	col, ok := t.Column(f.By)
	if !ok || !col.Readable() {
		var names []string
		for i := range t.Columns {
			if t.Columns[i].Readable() {
				names = append(names, t.Columns[i].Name)
			}
		}
		hint := ""
		if near := nearest.Name(f.By, names); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", r.by(f, near))
		}
		return col, wrong("%s has no column %s to find its records by%s", t.Name, text.Quote(f.By), hint)
	}
	if r.opts.Secret != nil && r.opts.Secret(col.Name) {
		return col, wrong("%s holds secrets: records are not found by it", col.Name)
	}
	if !col.Type.IsText() || col.ForeignTable != "" || col.Type.IsList() {
		return col, wrong("records of %s are found by columns of text, and %s is not one", t.Name, col.Name)
	}
	return col, nil
}

// lookup says how records of a table are called by name, for the values of a
// column that refers to it, and which column of the table the values are.
func (r *Reader) lookup(ctx context.Context, col *Target, t *registry.Table) (erp.RefLookup, string) {
	l := erp.RefLookup{Table: t.Name}
	key, display := t.Name+"_ID", ""
	if col.ReferenceID > 0 && !col.Type.IsList() {
		if ref, err := r.list(ctx, col.ReferenceID); err == nil && ref.Lookup != nil {
			key, display = ref.Lookup.Key, ref.Lookup.Display
		}
	}
	l.Columns, l.Identifier = t.NameColumns(display)
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Readable() && !c.Key && (c.Name == "AD_Org_ID" || c.Parent) && !slices.Contains(l.Identifier, c.Name) {
			l.Show = append(l.Show, c.Name)
		}
	}
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

// Lookup finds the records that values name: all of them in few requests, and each
// record only once. It calls report with what is wrong with one. Values that name no
// record are left as they are.
func (r *Reader) Lookup(ctx context.Context, all []*Value, report func(*Value, error)) error {
	values := slices.DeleteFunc(slices.Clone(all), func(v *Value) bool { return v.name == "" })
	type wanted struct {
		spec  *reference
		names map[string]bool
	}
	var order []*wanted
	bySpec := map[*reference]*wanted{}
	for _, v := range values {
		s, err := r.spec(ctx, &v.target)
		if err != nil {
			return err
		}
		if _, known := s.cache[v.name]; known {
			continue
		}
		w := bySpec[s]
		if w == nil {
			w = &wanted{s, map[string]bool{}}
			bySpec[s] = w
			order = append(order, w)
		}
		w.names[v.name] = true
	}
	for _, w := range order {
		if len(w.spec.cache)+len(w.names) > maxCached {
			w.spec.cache = map[string]referred{}
			for _, v := range values { // those of this chunk that were known
				if r.specs[v.target] == w.spec {
					w.names[v.name] = true
				}
			}
		}
		if err := r.find(ctx, w.spec, w.names); err != nil {
			return err
		}
	}
	for _, v := range values {
		got := r.specs[v.target].cache[v.name]
		if got.err != nil {
			report(v, got.err)
			continue
		}
		v.Send, v.Plain, v.Name, v.name = got.send, got.plain, got.name, ""
	}
	return nil
}

// find fills the cache with what texts refer to.
func (r *Reader) find(ctx context.Context, s *reference, names map[string]bool) error {
	if s.key == "" || r.client == nil {
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
func (r *Reader) findAll(ctx context.Context, s *reference, w way, names []string) error {
	var single []string
	columns := 1
	if w == byName {
		columns = max(2*len(s.Columns), 1)
	}
	for _, chunk := range searches.Chunks(names, columns) {
		filter, left := s.filter(w, chunk)
		single = append(single, left...)
		index, err := r.indexed(ctx, s, w, filter)
		if err != nil {
			return err
		}
		for _, name := range chunk {
			if slices.Contains(left, name) {
				continue
			}
			if err := r.remember(ctx, s, w, name, index[fold(w, name)]); err != nil {
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

// indexed reads the records of a condition, by the texts they are found by. No condition
// finds none.
func (r *Reader) indexed(ctx context.Context, s *reference, w way, filter erp.Filter) (map[string][]erp.Record, error) {
	index := map[string][]erp.Record{}
	if filter.IsZero() {
		return index, nil
	}
	q := &erp.Query{Filter: filter, Select: s.selected(), Top: 100, Limit: maxFound}
	for rec, err := range r.client.Records(ctx, s.Table, q) {
		if err != nil {
			return nil, err
		}
		for _, name := range s.names(w, rec) {
			if !slices.ContainsFunc(index[name], func(known erp.Record) bool { return known.ID() == rec.ID() }) {
				index[name] = append(index[name], rec)
			}
		}
	}
	return index, nil
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
			f, left = searches.AnyOf(s.key, names)
			return s.also(f), left
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
		one, inexpressible := searches.AnyOf(string(erp.ToLower(column)), lower)
		// Some databases know small letters of ASCII only.
		if exact := slices.DeleteFunc(slices.Clone(names), isASCII); len(exact) > 0 {
			as, _ := searches.AnyOf(column, exact)
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
	return s.also(erp.Or(all...)), left
}

// also is a condition that finds deactivated records as well where those count.
func (s *reference) also(f erp.Filter) erp.Filter {
	if s.inactive && !f.IsZero() {
		return erp.ActiveOrNot(f)
	}
	return f
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// selected are the columns to read.
func (s *reference) selected() []string {
	var all []string
	if s.inactive {
		all = []string{"IsActive"}
	}
	for _, column := range slices.Concat(s.Identifier, s.Columns, s.Show, []string{s.key}) {
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

// preferred are the active records, or all where none is.
func preferred(found []erp.Record) []erp.Record {
	active := slices.DeleteFunc(slices.Clone(found), func(rec erp.Record) bool {
		active, ok := rec.Bool("IsActive")
		return ok && !active
	})
	if len(active) > 0 {
		return active
	}
	return found
}

// exactly are the records that have the name with the same capitals.
func (s *reference) exactly(name string, found []erp.Record) []erp.Record {
	return slices.DeleteFunc(slices.Clone(found), func(rec erp.Record) bool {
		return !slices.ContainsFunc(s.Columns, func(c string) bool {
			is, _ := rec.Text(c)
			return strings.TrimSpace(is) == name
		})
	})
}

// remember keeps what a text refers to, by the records that were found.
func (r *Reader) remember(ctx context.Context, s *reference, w way, name string, found []erp.Record) error {
	found = preferred(found)
	if exact := s.exactly(name, found); w == byName && len(exact) > 0 {
		found = exact // capitals count where they tell records apart
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
	case s.beyond && w != byName:
		s.cache[name] = unchecked(name)
	case w == byKey && s.numeric:
		return r.noKey(ctx, s, name)
	case w != byName || r.asked >= maxNearest || len(s.Columns) == 0:
		s.cache[name] = referred{err: s.missing(name, nil)}
	default:
		r.asked++
		return r.findOne(ctx, s, name)
	}
	return nil
}

// noKey caches what a number that is not a key refers to: in filters, a record of that
// name, else an error.
func (r *Reader) noKey(ctx context.Context, s *reference, name string) error {
	if r.filters && len(s.Columns) > 0 {
		return r.findOne(ctx, s, name)
	}
	hint := ""
	if s.byValue != "" {
		hint = fmt.Sprintf("; if it is a search key, write %s", s.byValue)
	}
	s.cache[name] = referred{err: fmt.Errorf("there is no record %s in %s that the role may see%s", text.Quote(name), s.Table, hint)}
	return nil
}

func (s *reference) refer(rec erp.Record) referred {
	key, name := s.keyOf(rec), s.nameOf(rec)
	if n, ok := rec.ID().Int(); ok && s.numeric {
		return referred{send: n, plain: key, name: name}
	}
	return referred{send: key, plain: key, name: name}
}

// nameOf is what people call a record; empty: nothing that was read says it.
func (s *reference) nameOf(rec erp.Record) string {
	for _, column := range slices.Concat([]string{"Name", "DocumentNo", "Value"}, s.Columns) {
		if name, ok := rec.Text(column); ok && name != "" {
			return name
		}
	}
	return ""
}

// findOne looks one name up by itself, which also finds what is near.
func (r *Reader) findOne(ctx context.Context, s *reference, name string) error {
	l := s.RefLookup
	if s.inactive {
		l.Filter = erp.ActiveOrNot(l.Filter)
	}
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
	case errors.As(err, &wrong):
		s.cache[name] = referred{err: s.missing(name, wrong.Near)}
	case errors.Is(err, erp.ErrInvalid):
		s.cache[name] = referred{err: err}
	default:
		return err
	}
	return nil
}

// missing says that no record has a name, and which are near.
func (s *reference) missing(name string, near []erp.RefMatch) error {
	hint := ""
	if len(near) > 0 {
		hint = "; did you mean " + s.list(near, " or ") + "?"
	}
	return fmt.Errorf("no record of %s that the role may see is called %s%s", s.Table, text.Quote(name), hint)
}

// ambiguous says which records a name may mean.
func (s *reference) ambiguous(name string, matches []erp.RefMatch) error {
	advice := "give the number of the one that is meant"
	if s.byValue != "" {
		advice += ", or write " + s.byValue
	}
	return notOne{fmt.Errorf("%d records of %s are called %s: %s; %s", len(matches), s.Table, text.Quote(name), s.list(matches, "; "), advice), ErrSeveral}
}

// list shows records with what tells them apart.
func (s *reference) list(matches []erp.RefMatch, between string) string {
	var words []string
	for i, m := range matches {
		if i == 5 {
			words = append(words, fmt.Sprintf("and %d more", len(matches)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s (%s)", m.ID, text.Shorten(strings.Join(m.Facts(s.RefLookup), ", "), 120)))
	}
	return strings.Join(words, between)
}

func readReference(v *Value, cell Cell) error {
	s, ok := key(cell)
	if !ok || cell.Kind == Bool {
		return wrong("%s refers to a record of %s: give its number, UUID, search key or name", v.target.Name, v.target.Foreign)
	}
	if s = strings.TrimSpace(s); s == "" || s == strconv.Itoa(erp.NoRef) {
		v.clear()
		return nil
	}
	if len(s) > maxName {
		return wrong("%s is too long for a record of %s", text.Quote(s), v.target.Foreign)
	}
	v.name = s
	return nil
}

// maxName bounds the text that a record is looked up by, which travels in an
// address.
const maxName = 500 // bytes

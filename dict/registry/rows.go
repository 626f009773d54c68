package registry

import "slices"

// attribute ties a column of the dictionary to a field of T. Exactly one of
// text, num and flag is set.
type attribute[T any] struct {
	column SourceColumn
	text   func(*T) *string
	num    func(*T) *int
	flag   func(*T) *bool
}

func textColumn[T any](name string, at func(*T) *string) attribute[T] {
	return attribute[T]{column: SourceColumn{name, SourceText, true}, text: at}
}

func intColumn[T any](name string, at func(*T) *int) attribute[T] {
	return attribute[T]{column: SourceColumn{name, SourceInt, true}, num: at}
}

func flagColumn[T any](name string, at func(*T) *bool) attribute[T] {
	return attribute[T]{column: SourceColumn{name, SourceFlag, true}, flag: at}
}

// needed marks a column without which the rows are of no use.
func needed[T any](a attribute[T]) attribute[T] {
	a.column.Optional = false
	return a
}

// rowKind is one table of the dictionary with the rows read from it.
type rowKind interface {
	source() SourceTable
	// timeless is source without the time of change.
	timeless() SourceTable
	// reset forgets the rows in c, or makes room for n.
	reset(c *content, n int)
	// add appends a row to c; a nil intern takes texts as they are.
	add(c *content, values []SourceValue, intern func(string) string)
	count(c *content) int
	// values takes row i of c apart.
	values(c *content, i int, into []SourceValue)
	// share lets to have from's rows.
	share(to, from *content)
	// append adds from's rows to those of to, in a slice of its own.
	append(to, from *content)
	// times are when the rows of c were changed; nil when that was not read.
	times(c *content) []int64
	// merge lets to have before's rows, with those of changes in place of rows
	// with the same key. The rows of before may be settled, see SourceTable.
	merge(to, before, changes *content, settled bool) merged
}

// kind is the rowKind of rows of type T.
type kind[T any] struct {
	table      string
	key        string
	optional   bool
	attributes []attribute[T]
	rows       func(*content) *[]T
	updated    func(*times) *[]int64
}

func (k *kind[T]) source() SourceTable {
	t := k.timeless()
	t.Columns = append(t.Columns, SourceColumn{"Updated", SourceTime, true})
	return t
}

func (k *kind[T]) timeless() SourceTable {
	t := SourceTable{Name: k.table, Key: k.key, Optional: k.optional}
	for _, a := range k.attributes {
		t.Columns = append(t.Columns, a.column)
	}
	return t
}

func (k *kind[T]) reset(c *content, n int) {
	*k.rows(c), *k.updated(&c.updated) = make([]T, 0, n), make([]int64, 0, n)
}

func (k *kind[T]) count(c *content) int { return len(*k.rows(c)) }

func (k *kind[T]) share(to, from *content) {
	*k.rows(to), *k.updated(&to.updated) = *k.rows(from), *k.updated(&from.updated)
}

func (k *kind[T]) times(c *content) []int64 { return *k.updated(&c.updated) }

func (k *kind[T]) append(to, from *content) {
	*k.rows(to) = slices.Concat(*k.rows(to), *k.rows(from))
}

func (k *kind[T]) add(c *content, values []SourceValue, intern func(string) string) {
	rows := k.rows(c)
	if len(*rows) == cap(*rows) {
		*rows = slices.Grow(*rows, max(64, len(*rows)/2))
	}
	*rows = (*rows)[:len(*rows)+1]
	row := &(*rows)[len(*rows)-1]
	for i := range k.attributes {
		switch a := &k.attributes[i]; a.column.Type {
		case SourceText:
			if text := values[i].Text; intern == nil {
				*a.text(row) = text
			} else {
				*a.text(row) = intern(text)
			}
		case SourceInt:
			*a.num(row) = int(values[i].Int)
		case SourceFlag:
			*a.flag(row) = values[i].Int == 1
		}
	}
	if len(values) > len(k.attributes) {
		updated := k.updated(&c.updated)
		*updated = append(*updated, values[len(k.attributes)].Int)
	}
}

func (k *kind[T]) values(c *content, i int, into []SourceValue) {
	row := &(*k.rows(c))[i]
	for i := range k.attributes {
		into[i] = SourceValue{}
		switch a := &k.attributes[i]; a.column.Type {
		case SourceText:
			into[i].Text = *a.text(row)
		case SourceInt:
			into[i].Int = int64(*a.num(row))
		case SourceFlag:
			if *a.flag(row) {
				into[i].Int = 1
			}
		}
	}
	if len(into) > len(k.attributes) {
		into[len(k.attributes)] = SourceValue{}
		if times := k.times(c); len(times) > 0 {
			into[len(k.attributes)].Int = times[i]
		}
	}
}

// content is the rows of a dictionary, one slice per kind, ordered as
// newCatalog puts them.
type content struct {
	tables       []Table
	columns      []Column
	elements     []Element
	references   []Reference
	entries      []ListValue
	lookups      []Lookup
	rules        []ValRule
	windows      []Window
	tabs         []Tab
	fields       []Field
	processes    []Process
	parameters   []Parameter
	indexes      []Index
	indexColumns []IndexColumn
	updated      times
}

// times are when the rows were changed, in the same order; a slice is empty when
// that was not read.
type times struct {
	tables, columns, elements, references, entries, lookups, rules, windows, tabs, fields, processes, parameters,
	indexes, indexColumns []int64
}

// rowKinds lists all kinds, always in the same order.
func rowKinds() []rowKind {
	return []rowKind{
		tableKind(), columnKind(), elementKind(), referenceKind(), entryKind(), lookupKind(), ruleKind(),
		windowKind(), tabKind(), fieldKind(), processKind(), parameterKind(), indexKind(), indexColumnKind(),
	}
}

// SourceTables lists the tables that a [Cache] reads from its source, for tests
// of sources.
func SourceTables() []SourceTable { return sourcesOf(rowKinds()) }

func sourcesOf(kinds []rowKind) []SourceTable {
	tables := make([]SourceTable, len(kinds))
	for i, k := range kinds {
		tables[i] = k.source()
	}
	return tables
}

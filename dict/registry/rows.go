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
	// reset forgets the rows in c, or makes room for n.
	reset(c *content, n int)
	// add appends a row to c.
	add(c *content, values []SourceValue, intern func(string) string)
	count(c *content) int
	// values takes row i of c apart.
	values(c *content, i int, into []SourceValue)
	// share lets to have from's rows.
	share(to, from *content)
	// append adds from's rows to those of to, in a slice of its own.
	append(to, from *content)
}

// kind is the rowKind of rows of type T.
type kind[T any] struct {
	table      string
	key        string
	optional   bool
	attributes []attribute[T]
	rows       func(*content) *[]T
}

func (k *kind[T]) source() SourceTable {
	t := SourceTable{Name: k.table, Key: k.key, Optional: k.optional}
	for _, a := range k.attributes {
		t.Columns = append(t.Columns, a.column)
	}
	return t
}

func (k *kind[T]) reset(c *content, n int) { *k.rows(c) = make([]T, 0, n) }

func (k *kind[T]) count(c *content) int { return len(*k.rows(c)) }

func (k *kind[T]) share(to, from *content) { *k.rows(to) = *k.rows(from) }

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
			*a.text(row) = intern(values[i].Text)
		case SourceInt:
			*a.num(row) = int(values[i].Int)
		case SourceFlag:
			*a.flag(row) = values[i].Int == 1
		}
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

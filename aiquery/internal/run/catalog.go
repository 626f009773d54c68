package run

import "slices"

// Catalog holds the relations and functions of a database.
type Catalog struct {
	Relations map[string]*Relation // by physical name
	Functions map[string]bool      // of the ERP's schema that are known to be harmless
}

// Relation is a table or view.
type Relation struct {
	Name       string
	Kind       RelationKind
	Columns    []Column
	Key        []string // columns that have a value in every row and together another in each
	Definition string   // of a view
}

// RelationKind tells tables from views.
type RelationKind byte

// The kinds of relations.
const (
	BaseTable RelationKind = iota + 1
	PlainView
	OpaqueView // materialized, or a foreign table: it cannot be inlined
)

// Column is a physical column.
type Column struct {
	Name, Type string // Type is PostgreSQL's name for it
	Whole      bool   // it is a number that is declared without decimals
}

// Has reports whether there is a column of that physical name.
func (r *Relation) Has(column string) bool {
	return slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Name == column })
}

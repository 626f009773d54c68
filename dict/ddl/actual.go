package ddl

import "strings"

// Actual is a table as a database has it.
type Actual struct {
	Table   string
	Columns []ActualColumn
	Keys    []ActualKey // foreign keys
	Indexes []string    // names of indexes and of the constraints that have one
	// Missing is set when the database has no such table.
	Missing bool
	// View is set when it is a view.
	View bool
}

// ActualColumn is a column as a database has it.
type ActualColumn struct {
	Name    string
	Type    string // as the dialect writes it in small letters: varchar(60)
	NotNull bool
	Default string // as the database tells it; empty: none
}

// ActualKey is a foreign key over one column as a database has it.
type ActualKey struct {
	Name         string
	Column       string
	Target       string // table
	TargetColumn string
	Delete       string // "": no action, CASCADE, SET NULL
}

// Column finds a column by name, ignoring case.
func (a *Actual) Column(name string) (ActualColumn, bool) {
	for _, c := range a.Columns {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return ActualColumn{}, false
}

// key finds the foreign key of a column.
func (a *Actual) key(column string) (ActualKey, bool) {
	for _, k := range a.Keys {
		if strings.EqualFold(k.Column, column) {
			return k, true
		}
	}
	return ActualKey{}, false
}

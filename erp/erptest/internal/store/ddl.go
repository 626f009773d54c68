package store

import (
	"context"
	"fmt"
	"strings"
)

// NewTable completes a table put together outside the dictionary, so that its
// columns are found by name.
func NewTable(t Table) *Table {
	t.byName = make(map[string]*Column, len(t.Columns))
	for _, c := range t.Columns {
		t.byName[strings.ToUpper(c.Name)] = c
	}
	return &t
}

// DDLError tells why the database could not be brought in step with the
// dictionary, in words for the person who asked for it.
type DDLError struct{ Reason string }

func (e *DDLError) Error() string { return e.Reason }

func ddlErrorf(format string, args ...any) error {
	return &DDLError{Reason: fmt.Sprintf(format, args...)}
}

// PhysicalColumn is a column as the database has it.
type PhysicalColumn struct {
	Name    string
	Type    string // the declared type
	NotNull bool
	Default string // SQL, "" for none
	Key     bool   // part of the primary key
}

// TableExists reports whether the database has a table or view of that name, in
// any case.
func (tx *Tx) TableExists(ctx context.Context, name string) (bool, error) {
	if tx.exists[name] {
		return true, nil
	}
	var n int
	// The columns are found by the database's own index of names; its list of
	// tables would be read from end to end.
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM pragma_table_info(?) LIMIT 1)`, name).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("looking for table %s: %w", name, err)
	}
	if n > 0 {
		if tx.exists == nil {
			tx.exists = map[string]bool{}
		}
		tx.exists[name] = true
	}
	return n > 0, nil
}

// PhysicalColumns lists the columns the database has in a table, none when
// there is no such table.
func (tx *Tx) PhysicalColumns(ctx context.Context, name string) ([]PhysicalColumn, error) {
	rows, err := tx.Query(ctx, `SELECT name, type, "notnull", COALESCE(dflt_value,''), pk>0 FROM pragma_table_info(?)`, name)
	if err != nil {
		return nil, fmt.Errorf("reading the columns the database has in %s: %w", name, err)
	}
	defer rows.Close()
	var out []PhysicalColumn
	for rows.Next() {
		var c PhysicalColumn
		if err := rows.Scan(&c.Name, &c.Type, &c.NotNull, &c.Default, &c.Key); err != nil {
			return nil, fmt.Errorf("reading the columns the database has in %s: %w", name, err)
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

// CreateTable makes the physical table of the dictionary's definition: every
// column that is not virtual, in alphabetical order as the ERP does, the key,
// and the unique index of the UUID column. It returns the statements.
func (tx *Tx) CreateTable(ctx context.Context, t *Table) (string, error) {
	statements, err := createSQL(t, t.Name)
	if err != nil {
		return "", err
	}
	for _, s := range statements {
		if _, err := tx.Exec(ctx, s); err != nil {
			return "", fmt.Errorf("creating table %s: %w", t.Name, err)
		}
	}
	return strings.Join(statements, ";\n"), nil
}

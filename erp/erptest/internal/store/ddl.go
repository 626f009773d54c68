package store

import (
	"context"
	"fmt"
)

// PhysicalColumn is a column as the database has it.
type PhysicalColumn struct {
	Name    string
	Type    string // the declared type
	NotNull bool
	Default string // SQL, "" for none
	Key     bool
}

// TableExists tells whether the database has a table or view of that name, in
// any case.
func (tx *Tx) TableExists(ctx context.Context, name string) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE type IN ('table','view') AND name=? COLLATE NOCASE`, name).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("looking for table %s: %w", name, err)
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

package store

import (
	"context"
	"fmt"

	"github.com/erphub/erphub/internal/sqlquote"
)

// RenameColumn gives a column of a table another name in the database, with what it
// holds. It returns the statement.
func (tx *Tx) RenameColumn(ctx context.Context, table, from, to string) (string, error) {
	return tx.rename(ctx, "ALTER TABLE "+sqlquote.Name(table)+" RENAME COLUMN "+sqlquote.Name(from)+" TO "+sqlquote.Name(to))
}

// RenameTable gives a table another name in the database, with what it holds. It
// returns the statement.
func (tx *Tx) RenameTable(ctx context.Context, from, to string) (string, error) {
	return tx.rename(ctx, "ALTER TABLE "+sqlquote.Name(from)+" RENAME TO "+sqlquote.Name(to))
}

func (tx *Tx) rename(ctx context.Context, statement string) (string, error) {
	if _, err := tx.Exec(ctx, statement); err != nil {
		return statement, fmt.Errorf("renaming in the database: %w", err)
	}
	tx.exists = nil
	return statement, nil
}

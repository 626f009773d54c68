package seed

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// IndexStatements are the statements that make the indexes of a table beside those
// of its key and its UUID.
func IndexStatements(t *store.Table) []string {
	var out []string
	for _, x := range indexesOf(t) {
		complete := true
		for _, name := range x.columns {
			c, ok := t.Column(name)
			complete = complete && ok && !c.IsVirtual()
		}
		if complete {
			out = append(out, strings.Replace(x.statement(), "CREATE INDEX", "CREATE INDEX IF NOT EXISTS", 1))
		}
	}
	return out
}

// Equip gives a database whose dictionary came from another ERP what the server's
// own code needs beside it: the tables and columns that the other ERP does not
// have, without entries in the dictionary, the secret of its tokens, and the marks
// of this version. It returns what it added, as Table or Table.Column.
func Equip(ctx context.Context, tx *store.Tx) (added []string, err error) {
	own, err := ownTables(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range own {
		have, err := tx.PhysicalColumns(ctx, t.Name)
		if err != nil {
			return nil, err
		}
		if len(have) == 0 {
			if err := makeTable(ctx, tx, t); err != nil {
				return nil, err
			}
			added = append(added, t.Name)
			continue
		}
		columns, err := addColumns(ctx, tx, t, have)
		if err != nil {
			return nil, err
		}
		added = append(added, columns...)
	}
	if _, err := tx.Exec(ctx, UploadPieces); err != nil {
		return nil, err
	}
	// A server that makes them has its connections read the schema again.
	if _, err := tx.Exec(ctx, AuthTables); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM AD_SysConfig WHERE Name='REST_TOKEN_SECRET'`); err != nil {
		return nil, err
	}
	if err := addSecrets(ctx, tx); err != nil {
		return nil, err
	}
	return added, mark(ctx, tx)
}

func makeTable(ctx context.Context, tx *store.Tx, t *store.Table) error {
	statement := EmptyView(t)
	if !t.IsView {
		layout, err := store.LayoutOf(t)
		if err != nil {
			return err
		}
		statement = layout.SQL
	}
	if _, err := tx.Exec(ctx, statement); err != nil {
		return fmt.Errorf("making the table %s: %w", t.Name, err)
	}
	return nil
}

// addColumns adds what a table does not have, and returns the names with that of the table.
func addColumns(ctx context.Context, tx *store.Tx, t *store.Table, have []store.PhysicalColumn) (added []string, err error) {
	there := map[string]bool{}
	for _, c := range have {
		there[strings.ToUpper(c.Name)] = true
	}
	for _, c := range t.Columns {
		if t.IsView || c.IsVirtual() || there[strings.ToUpper(c.Name)] {
			continue
		}
		clause := sqlquote.Name(c.Name) + " " + c.SQLType()
		if c.Ref == displaytype.YesNo {
			clause += " NOT NULL DEFAULT 'N'"
		}
		if _, err := tx.Exec(ctx, "ALTER TABLE "+sqlquote.Name(t.Name)+" ADD COLUMN "+clause); err != nil {
			return nil, fmt.Errorf("adding the column %s.%s: %w", t.Name, c.Name, err)
		}
		added = append(added, t.Name+"."+c.Name)
	}
	return added, nil
}

// EmptyView is the statement that makes a view without rows, "" when the
// dictionary has no columns of it.
func EmptyView(t *store.Table) string {
	var columns []string
	for _, c := range t.Columns {
		if !c.IsVirtual() {
			columns = append(columns, nothing(c)+" AS "+sqlquote.Name(c.Name))
		}
	}
	if len(columns) == 0 {
		return ""
	}
	return "CREATE VIEW " + sqlquote.Name(t.Name) + " AS SELECT " + strings.Join(columns, ", ") + " WHERE 1=0"
}

// nothing is a missing value of the column's type: copies of the database in others
// compare values by type.
func nothing(c *store.Column) string {
	switch c.Kind() {
	case store.KindInteger:
		return "CAST(NULL AS INTEGER)"
	case store.KindDecimal:
		return "CAST(NULL AS NUMERIC)"
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return "CAST(NULL AS TIMESTAMP)"
	}
	return "NULL"
}

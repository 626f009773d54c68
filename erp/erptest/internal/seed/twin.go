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
// of this version. It returns what it added, as Table or Table.Column, and the views of
// the dictionary of which it is not known here what they show, or not of each column.
func Equip(ctx context.Context, tx *store.Tx) (added, views []string, err error) {
	own, err := ownTables()
	if err != nil {
		return nil, nil, err
	}
	if views, err = addViews(ctx, tx); err != nil {
		return nil, nil, err
	}
	for _, t := range own {
		have, err := tx.PhysicalColumns(ctx, t.Name)
		if err != nil {
			return nil, nil, err
		}
		if t.IsView {
			continue // addViews
		}
		if len(have) == 0 {
			if err := makeTable(ctx, tx, t); err != nil {
				return nil, nil, err
			}
			added = append(added, t.Name)
			continue
		}
		columns, err := addColumns(ctx, tx, t, have)
		if err != nil {
			return nil, nil, err
		}
		added = append(added, columns...)
	}
	if _, err := tx.Exec(ctx, ServerTables+Marks); err != nil {
		return nil, nil, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM AD_SysConfig WHERE Name='REST_TOKEN_SECRET'`); err != nil {
		return nil, nil, err
	}
	return added, views, addSecrets(ctx, tx)
}

func makeTable(ctx context.Context, tx *store.Tx, t *store.Table) error {
	layout, err := store.LayoutOf(t)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, layout.SQL); err != nil {
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
		if c.IsVirtual() || there[strings.ToUpper(c.Name)] {
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

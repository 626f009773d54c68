package engine

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// checkUniqueKeys refuses a record that repeats another's unique key: those of
// the ERP's own tables, and those the dictionary declares (AD_TableIndex).
func checkUniqueKeys(ctx context.Context, tx *store.Tx, r *Record) error {
	var keys [][]string
	if key := seed.UniqueKey(r.Table.Name); key != nil {
		keys = append(keys, key)
	}
	declared, err := declaredKeys(ctx, tx, r.Table)
	if err != nil {
		return err
	}
	for _, key := range append(keys, declared...) {
		if err := checkUniqueKey(ctx, tx, r, key); err != nil {
			return err
		}
	}
	return nil
}

// declaredKeys are the columns of the unique indexes the dictionary declares
// for a table; indexes over expressions are left to the database.
func declaredKeys(ctx context.Context, tx *store.Tx, t *store.Table) ([][]string, error) {
	found, err := tx.Values(ctx, `SELECT i.AD_TableIndex_ID, COALESCE(c.ColumnName,'') FROM AD_TableIndex i
		JOIN AD_IndexColumn ic ON ic.AD_TableIndex_ID=i.AD_TableIndex_ID AND ic.IsActive='Y'
		LEFT JOIN AD_Column c ON c.AD_Column_ID=ic.AD_Column_ID AND COALESCE(ic.ColumnSQL,'')=''
		WHERE i.AD_Table_ID=? AND i.IsUnique='Y' AND i.IsActive='Y' ORDER BY i.AD_TableIndex_ID, ic.SeqNo`, t.ID)
	if err != nil {
		return nil, err
	}
	var keys [][]string
	last, usable := int64(-1), true
	for _, values := range found {
		row := store.Row{"id": values[0], "column": values[1]}
		id, column := row.Int("id"), row.String("column")
		if id != last {
			if !usable {
				keys = keys[:len(keys)-1]
			}
			keys, last, usable = append(keys, nil), id, true
		}
		usable = usable && column != ""
		keys[len(keys)-1] = append(keys[len(keys)-1], column)
	}
	if !usable {
		keys = keys[:len(keys)-1]
	}
	return keys, nil
}

func checkUniqueKey(ctx context.Context, tx *store.Tx, r *Record, key []string) error {
	var parts, shown []string
	var args []any
	changed := false
	for _, name := range key {
		col, ok := r.Table.Column(name)
		if !ok || col.IsVirtual() || !r.Has(col.Name) {
			return nil // NULLs are never equal
		}
		changed = changed || r.changed(col.Name)
		parts, args = append(parts, sqlquote.Name(col.Name)+"=?"), append(args, r.Row[col.Name])
		if col.Name != "AD_Client_ID" && col.Name != "AD_Org_ID" {
			shown = append(shown, col.Name)
		}
	}
	if !changed {
		return nil
	}
	if !r.IsNew() {
		where, own, err := r.Where()
		if err != nil {
			return err
		}
		parts, args = append(parts, "NOT ("+where+")"), append(args, own...)
	}
	n, err := tx.Count(ctx, r.Table, strings.Join(parts, " AND "), args...)
	if err != nil {
		return publicWriteError(r, err)
	}
	if n > 0 {
		return PublicError("Record already exists: " + strings.Join(shown, ", "))
	}
	return nil
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxCascade bounds how deep deletion follows references.
const maxCascade = 20

// Delete deletes a record with what depends on it, or refuses because
// something else still refers to it.
func (s *Session) Delete(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row) error {
	return s.removeAt(ctx, tx, t, row, 0)
}

func (s *Session) removeAt(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row, depth int) error {
	if depth > maxCascade {
		return PublicError("Records depend on each other too deeply to be deleted")
	}
	r := &Record{Table: t, Old: row, Row: row}
	rules := rulesOf(t)
	if rules.beforeDelete != nil {
		if err := rules.beforeDelete(ctx, s, tx, r); err != nil {
			return err
		}
	}
	if err := s.releaseReferences(ctx, tx, r, depth); err != nil {
		return err
	}
	where, args, err := r.Where()
	if err != nil {
		return err
	}
	if _, err := tx.Delete(ctx, t, where, args...); err != nil {
		return publicDeleteError(err)
	}
	if err := s.removeAttachments(ctx, tx, r); err != nil {
		return err
	}
	if err := s.logDelete(ctx, tx, r); err != nil {
		return err
	}
	if rules.afterDelete != nil {
		return rules.afterDelete(ctx, s, tx, r)
	}
	return nil
}

func publicDeleteError(err error) error {
	if strings.Contains(err.Error(), "FOREIGN KEY") {
		return WithCause("Record not deleted - there are dependent records", err)
	}
	return err
}

// reference is a column elsewhere that may point at a record.
type reference struct {
	table  *store.Table
	column *store.Column
	rule   string // AD_Column.FKConstraintType
}

// releaseReferences treats what points at a record as the foreign keys of the
// dictionary say: dependents go too, loose references are cleared, and any
// other refuses the deletion.
func (s *Session) releaseReferences(ctx context.Context, tx *store.Tx, r *Record, depth int) error {
	key := r.Table.KeyColumn()
	if key == nil {
		return nil
	}
	to, err := store.Derive(tx, "references to "+r.Table.Name, func() (*references, error) { return referencesTo(ctx, tx, r.Table, key) })
	if err != nil {
		return err
	}
	id := r.ID()
	pointing, err := to.pointingAt(ctx, tx, id)
	if err != nil {
		return err
	}
	for _, ref := range pointing {
		rows, err := tx.Select(ctx, ref.table, store.Selection{Where: store.Expr(ref.table, ref.column) + "=?", Args: []any{id}})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if strings.EqualFold(ref.table.Name, r.Table.Name) && row.Int(key.Name) == id {
				continue // it points at itself
			}
			rule := ref.rule
			if strings.EqualFold(ref.table.Name, r.Table.Name+"_Trl") {
				rule = "C" // translations go with what they translate
			}
			switch rule {
			case "C", "M":
				err = s.removeAt(ctx, tx, ref.table, row, depth+1)
			case "S", "T":
				dependent := &Record{Table: ref.table, Old: row, Row: row}
				var where string
				var args []any
				if where, args, err = dependent.Where(); err == nil {
					_, err = tx.Set(ctx, ref.table, store.Row{ref.column.Name: nil}, where, args...)
				}
			default:
				err = PublicError(fmt.Sprintf("Record not deleted - there are dependent records in the table %s for the column %s", ref.table.Label, ref.column.Label))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// references are the columns that can point at the records of a table.
type references struct {
	all  []reference
	asks []string // each selects the places in all of columns with the value ?1
}

// mostAsked is how long a statement may be to be kept for the next time.
const mostAsked = 3500

// ask makes the statements. A table may have two hundred columns that point at it, and
// nearly all of them have no such record.
func (r *references) ask() {
	var b strings.Builder
	for i, ref := range r.all {
		switch {
		case b.Len() > mostAsked:
			r.asks = append(r.asks, b.String())
			b.Reset()
		case b.Len() > 0:
			b.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&b, "SELECT %d WHERE EXISTS (SELECT 1 FROM %s WHERE %s=?1)", i, sqlquote.Name(ref.table.Name), store.Expr(ref.table, ref.column))
	}
	if b.Len() > 0 {
		r.asks = append(r.asks, b.String())
	}
}

// pointingAt finds the columns that point at a record.
func (r *references) pointingAt(ctx context.Context, tx *store.Tx, id int64) (pointing []reference, err error) {
	for _, ask := range r.asks {
		rows, err := tx.Query(ctx, ask, id)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var i int
			if err := rows.Scan(&i); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			pointing = append(pointing, r.all[i])
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	return pointing, nil
}

// referencesTo finds the columns that can point at a table: those named like
// its key, and those whose reference leads to it.
func referencesTo(ctx context.Context, tx *store.Tx, t *store.Table, key *store.Column) (*references, error) {
	rows, err := tx.Query(ctx, `SELECT t.TableName, c.ColumnName, COALESCE(c.FKConstraintType,'')
		FROM AD_Column c JOIN AD_Table t ON t.AD_Table_ID=c.AD_Table_ID
		WHERE c.IsActive='Y' AND t.IsActive='Y' AND t.IsView='N' AND COALESCE(c.ColumnSQL,'')=''
		AND (c.ColumnName=? COLLATE NOCASE OR c.AD_Reference_Value_ID IN (
			SELECT r.AD_Reference_ID FROM AD_Ref_Table r JOIN AD_Table rt ON rt.AD_Table_ID=r.AD_Table_ID
			WHERE rt.TableName=? COLLATE NOCASE))
		ORDER BY t.TableName, c.AD_Column_ID`, key.Name, t.Name)
	if err != nil {
		return nil, err
	}
	type candidate struct{ table, column, rule string }
	var found []candidate
	for rows.Next() {
		var f candidate
		if err := rows.Scan(&f.table, &f.column, &f.rule); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		found = append(found, f)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	var refs references
	for _, f := range found {
		table, err := tx.Table(ctx, f.table)
		if err != nil {
			return nil, err
		}
		col, ok := table.Column(f.column)
		if !ok || !col.IsLookup() || col.Kind() != store.KindInteger || col.Key && strings.EqualFold(table.Name, t.Name) {
			continue
		}
		if target, err := tx.TargetTable(ctx, col); err != nil || !strings.EqualFold(target, t.Name) {
			if err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case f.rule == "D", f.rule == "" && ofEveryRecord[strings.ToUpper(col.Name)] && !(col.Parent && table.EntityType == "D"):
			continue
		case col.Parent && table.EntityType == "D":
			f.rule = "C" // the ERP's own parts go with their wholes
		}
		exists, err := HasPhysicalColumn(ctx, tx, table.Name, col.Name)
		if err != nil {
			return nil, err
		}
		if exists {
			refs.all = append(refs.all, reference{table, col, f.rule})
		}
	}
	refs.ask()
	return &refs, nil
}

// ofEveryRecord are references that all tables have, and that hold nothing back unless a
// rule says so.
var ofEveryRecord = map[string]bool{"AD_CLIENT_ID": true, "AD_ORG_ID": true, "CREATEDBY": true, "UPDATEDBY": true}

// HasPhysicalColumn reports whether the table has the column in the database.
func HasPhysicalColumn(ctx context.Context, tx *store.Tx, table, column string) (bool, error) {
	columns, err := tx.PhysicalColumns(ctx, table)
	if err != nil {
		return false, err
	}
	for _, col := range columns {
		if strings.EqualFold(col.Name, column) {
			return true, nil
		}
	}
	return false, nil
}

package twin

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// hidden reports what may be there without the API showing it. It refuses a table that
// the role may not read, but leaves out a column that a rule hides as if nothing were
// in it, and rows as if there were none. The rules of the roles that were copied tell
// of which columns that may be so.
func (c *clone) hidden(ctx context.Context, tables []*store.Table) error {
	if c.src.Kind() != restKind {
		return nil
	}
	return c.work.Update(ctx, func(tx *store.Tx) error {
		byColumn, err := columnRules(ctx, tx)
		if err != nil {
			return err
		}
		empty := 0
		for _, t := range tables {
			var st tableState
			found, err := loadIn(ctx, tx, "table:"+t.Name, &st)
			if err != nil {
				return err
			}
			if r := &st.Report; !found || r.Skipped != "" || r.Unreadable != "" || r.Part == Referenced {
				continue
			}
			if st.Report.Source.Rows == 0 && st.Report.Rows == 0 {
				empty++
				continue
			}
			changed, err := hiddenColumns(ctx, tx, t, &st.Report, byColumn)
			if err != nil {
				return err
			}
			if changed {
				if err := save(ctx, tx, "table:"+t.Name, &st); err != nil {
					return err
				}
			}
		}
		if empty == 0 {
			return nil
		}
		return c.note(ctx, tx, fmt.Sprintf("%d tables that were asked for show no rows to this login: the API does not say whether they are empty, or the role hides their rows", empty))
	})
}

// hiddenColumns notes the columns of a table that a rule hides and that nothing was
// read of.
func hiddenColumns(ctx context.Context, tx *store.Tx, t *store.Table, r *TableReport, rules map[int64]string) (changed bool, err error) {
	for _, col := range t.Columns {
		roles, ruled := rules[col.ID]
		if !ruled || col.IsVirtual() || r.NotCopied[col.Name] != "" {
			continue
		}
		var shown int64
		if err := tx.QueryRow(ctx, "SELECT COUNT("+sqlquote.Name(col.Name)+") FROM "+sqlquote.Name(t.Name)).Scan(&shown); err != nil {
			return false, err
		}
		if shown > r.Filled[col.Name] {
			continue
		}
		if r.NotCopied == nil {
			r.NotCopied = map[string]string{}
		}
		r.NotCopied[col.Name] = "cannot tell: no record shows a value, and rules of these roles hide the column: " + roles
		changed = true
	}
	return changed, nil
}

// columnRules are the names of the roles from which a rule hides a column, by its
// number.
func columnRules(ctx context.Context, tx *store.Tx) (map[int64]string, error) {
	out := map[int64]string{}
	exists, err := tx.TableExists(ctx, "AD_Column_Access")
	if err != nil || !exists {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT a.AD_Column_ID, r.Name FROM AD_Column_Access a JOIN AD_Role r ON r.AD_Role_ID=a.AD_Role_ID
		WHERE a.IsActive='Y' AND a.IsExclude='Y' AND COALESCE(a.IsReadOnly,'N')<>'Y' ORDER BY a.AD_Column_ID, r.Name`)
	if err != nil {
		return nil, fmt.Errorf("reading the rules about columns: %w", err)
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	for rows.Next() {
		var id int64
		var role string
		if err := rows.Scan(&id, &role); err != nil {
			return nil, err
		}
		out[id] = strings.TrimPrefix(out[id]+", "+role, ", ")
	}
	return out, rows.Err()
}

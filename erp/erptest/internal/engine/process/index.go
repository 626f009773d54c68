package process

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// ValidateIndex makes the index in the database that an AD_TableIndex record
// declares. One of that name is made anew, so that a changed declaration takes
// effect.
func ValidateIndex(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	indexes, err := tx.Table(ctx, "AD_TableIndex")
	if err != nil {
		return Result{}, err
	}
	row, err := tx.One(ctx, indexes, "AD_TableIndex_ID=?", run.RecordID)
	if errors.Is(err, sql.ErrNoRows) {
		return Failed("there is no index with AD_TableIndex_ID %d", run.RecordID), nil
	}
	if err != nil {
		return Result{}, err
	}
	name := row.String("Name")
	t, err := tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if errors.Is(err, store.ErrNoTable) {
		return Failed("the table of index %s is not active", name), nil
	}
	if err != nil {
		return Result{}, err
	}
	if there, err := tx.TableExists(ctx, t.Name); err != nil {
		return Result{}, err
	} else if !there {
		return Failed("table %s is not in the database yet; synchronize it first", t.Name), nil
	}
	if row.Bool("IsCreateConstraint") && !row.Bool("IsUnique") {
		return Failed("index %s is to be a constraint, which must be unique", name), nil
	}
	columns, refused, err := indexColumns(ctx, tx, t, run.RecordID)
	if err != nil || refused != "" {
		return Failed("index %s: %s", name, refused), err
	}
	return makeIndex(ctx, tx, t, name, columns, row.Bool("IsUnique"))
}

// indexColumns are the columns of a declared index in their order, or what
// keeps it from being made.
func indexColumns(ctx context.Context, tx *store.Tx, t *store.Table, id int64) (columns []string, refused string, err error) {
	parts, err := tx.Table(ctx, "AD_IndexColumn")
	if err != nil {
		return nil, "", err
	}
	rows, err := tx.Select(ctx, parts, store.Selection{Where: "AD_TableIndex_ID=? AND IsActive='Y'", Args: []any{id}, OrderBy: "SeqNo, AD_IndexColumn_ID"})
	if err != nil {
		return nil, "", err
	}
	present, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return nil, "", err
	}
	there := map[string]bool{}
	for _, p := range present {
		there[strings.ToLower(p.Name)] = true
	}
	for _, r := range rows {
		if r.String("ColumnSQL") != "" {
			return nil, "the embedded ERP makes no indexes over expressions", nil
		}
		i := r.Int("AD_Column_ID")
		name := ""
		for _, col := range t.Columns {
			if col.ID == i {
				name = col.Name
			}
		}
		if !there[strings.ToLower(name)] {
			return nil, fmt.Sprintf("AD_Column_ID %d is no column of %s in the database", i, t.Name), nil
		}
		columns = append(columns, name)
	}
	if len(columns) == 0 {
		return nil, "No index columns specified", nil
	}
	return columns, "", nil
}

func makeIndex(ctx context.Context, tx *store.Tx, t *store.Table, name string, columns []string, unique bool) (Result, error) {
	result := Result{Summary: "Created index successfully"}
	if err := tx.MakeAbsent(ctx, t.Name, name); err != nil {
		return Result{}, err
	}
	var other string
	err := tx.QueryRow(ctx, `SELECT tbl_name FROM sqlite_schema WHERE name=? COLLATE NOCASE`, name).Scan(&other)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Result{}, err
	}
	if err == nil {
		if !strings.EqualFold(other, t.Name) || strings.EqualFold(name, t.Name) {
			return Failed("the name %s is taken in the database", name), nil
		}
		same, err := sameIndex(ctx, tx, t.Name, name, columns, unique)
		if err != nil {
			return Result{}, err
		}
		if same {
			return Result{Summary: "No changes to the index"}, nil
		}
		if _, err := tx.Exec(ctx, "DROP INDEX "+sqlquote.Name(name)); err != nil {
			return Result{}, err
		}
		result.Summary = "Modified index successfully"
		result.Logs = []LogLine{{Number: "0", Message: "DROP INDEX " + name}}
	}
	kind := "INDEX "
	if unique {
		kind = "UNIQUE INDEX "
	}
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = sqlquote.Name(c)
	}
	statement := "CREATE " + kind + sqlquote.Name(name) + " ON " + sqlquote.Name(t.Name) + " (" + strings.Join(quoted, ", ") + ")"
	if _, err := tx.Exec(ctx, statement); err != nil {
		var refused *sqlite.Error
		if errors.As(err, &refused) && refused.Code()&0xff == 19 { // SQLITE_CONSTRAINT
			return Failed("the rows of %s do not fit index %s: some repeat its values", t.Name, name), nil
		}
		return Result{}, fmt.Errorf("making index %s: %w", name, err)
	}
	shown := "CREATE " + kind + name + " ON " + t.Name + " (" + strings.Join(columns, ",") + ")"
	result.Logs = append(result.Logs, LogLine{Number: "0", Message: shown})
	return result, nil
}

// sameIndex reports whether the index in the database has these columns in this
// order, and is unique or not as said.
func sameIndex(ctx context.Context, tx *store.Tx, table, name string, columns []string, unique bool) (bool, error) {
	var there bool
	if err := tx.QueryRow(ctx, `SELECT "unique" FROM pragma_index_list(?) WHERE name=? COLLATE NOCASE`, table, name).Scan(&there); err != nil {
		return false, err
	}
	var list string
	if err := tx.QueryRow(ctx, `SELECT group_concat(name, ',' ORDER BY seqno) FROM pragma_index_info(?)`, name).Scan(&list); err != nil {
		return false, err
	}
	return there == unique && strings.EqualFold(list, strings.Join(columns, ",")), nil
}

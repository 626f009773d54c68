package process

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// renameColumn gives a column another element: the column takes the element's name in
// the dictionary and in the database, where it keeps what it holds.
func renameColumn(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Column"); err != nil {
		return Result{}, err
	}
	column, err := engine.OneRow(ctx, tx, "AD_Column", run.RecordID)
	if err != nil {
		return Result{}, err
	}
	element, err := engine.OneRow(ctx, tx, "AD_Element", run.id("AD_Element_ID"))
	if err != nil {
		return Result{}, err
	}
	if column == nil || element == nil || column.Int("AD_Element_ID") == element.Int("AD_Element_ID") {
		return Failed("Invalid: System Element"), nil
	}
	name := element.String("ColumnName")
	n, err := count(ctx, tx, "AD_Column", "AD_Table_ID=? AND ColumnName=? COLLATE NOCASE", column.Int("AD_Table_ID"), name)
	if err != nil {
		return Result{}, err
	}
	if n > 0 {
		return Failed("Already Exists: DB Column Name = %s", name), nil
	}
	report, err := renameInDatabase(ctx, tx, column, name)
	if err != nil {
		return Result{}, err
	}
	if err := s.ChangeRow(ctx, tx, "AD_Column", column, store.Row{"AD_Element_ID": element.Int("AD_Element_ID")}); err != nil {
		return Result{}, err
	}
	tx.DictionaryChanged()
	return Result{Summary: "OK", Logs: []LogLine{{Message: report}}}, nil
}

// newName is the record whose name changes and what it will be called; the record is
// nil when the process refuses.
func newName(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, table, noun string) (store.Row, string, Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, table); err != nil {
		return nil, "", Result{}, err
	}
	row, err := engine.OneRow(ctx, tx, table, run.RecordID)
	if err != nil {
		return nil, "", Result{}, err
	}
	name := strings.TrimSpace(run.Text("New" + noun + "Name"))
	if row == nil || name == "" || strings.EqualFold(name, row.String(noun+"Name")) {
		return nil, "", Failed("Invalid: New %s Name", noun), nil
	}
	n, err := count(ctx, tx, table, noun+"Name=? COLLATE NOCASE", name)
	if err == nil && n > 0 {
		return nil, "", Failed("Already Exists: DB %s Name = %s", noun, name), nil
	}
	return row, name, Result{}, err
}

// renameElement gives an element, and every column that has it, another name in the
// dictionary and in the database.
func renameElement(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	element, name, refused, err := newName(ctx, s, tx, run, "AD_Element", "Column")
	if err != nil || element == nil {
		return refused, err
	}
	n, err := count(ctx, tx, "AD_Column", `AD_Element_ID=? AND AD_Table_ID IN (SELECT AD_Table_ID FROM AD_Table WHERE IsView='Y')`, run.RecordID)
	if err != nil {
		return Result{}, err
	}
	if n > 0 {
		return Failed("Not implemented yet - cannot change column in view"), nil
	}
	logs, err := renameEverywhere(ctx, s, tx, element, name)
	return Result{Summary: "OK", Logs: logs}, err
}

// renameTable gives a table another name in the dictionary and in the database, and
// with it its sequences, its id and its UUID column, wherever these are used.
func renameTable(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	table, name, refused, err := newName(ctx, s, tx, run, "AD_Table", "Table")
	if err != nil || table == nil {
		return refused, err
	}
	old := table.String("TableName")
	result := Result{Summary: "OK"}
	elements, err := engine.RowsWhere(ctx, tx, "AD_Element", "AD_Element_ID", "LOWER(ColumnName) IN (?,?)",
		strings.ToLower(old)+"_id", strings.ToLower(old)+"_uu")
	if err != nil {
		return Result{}, err
	}
	for _, element := range elements {
		suffix := element.String("ColumnName")
		logs, err := renameEverywhere(ctx, s, tx, element, name+strings.ToUpper(suffix[len(suffix)-3:]))
		if err != nil {
			return Result{}, err
		}
		result.Logs = append(result.Logs, logs...)
	}
	report, err := tx.RenameTable(ctx, old, name)
	if err != nil {
		return Result{}, err
	}
	result.Logs = append(result.Logs, LogLine{Message: report})
	if err := renameSequences(ctx, tx, old, name); err != nil {
		return Result{}, err
	}
	err = s.ChangeRow(ctx, tx, "AD_Table", table, store.Row{"TableName": name})
	tx.DictionaryChanged()
	return result, err
}

// renameSequences lets the sequences of a table's ids and document numbers follow its name.
func renameSequences(ctx context.Context, tx *store.Tx, old, name string) error {
	sequences, err := tx.Table(ctx, "AD_Sequence")
	if err != nil {
		return err
	}
	for _, q := range []struct{ old, new, description, isTable string }{
		{old, name, "Table " + name, "Y"},
		{"DocumentNo_" + old, "DocumentNo_" + name, "DocumentNo/Value for Table " + name, "N"},
	} {
		if _, err := tx.Set(ctx, sequences, store.Row{"Name": q.new, "Description": q.description}, "Name=? AND IsTableID=?", q.old, q.isTable); err != nil {
			return err
		}
	}
	return nil
}

// renameEverywhere gives an element another name, and the columns that have it.
func renameEverywhere(ctx context.Context, s *engine.Session, tx *store.Tx, element store.Row, name string) ([]LogLine, error) {
	columns, err := engine.RowsWhere(ctx, tx, "AD_Column", "AD_Column_ID", "AD_Element_ID=?", element.Int("AD_Element_ID"))
	if err != nil {
		return nil, err
	}
	var logs []LogLine
	for _, column := range columns {
		report, err := renameInDatabase(ctx, tx, column, name)
		if err != nil {
			return nil, err
		}
		logs = append(logs, LogLine{Message: report})
	}
	err = s.ChangeRow(ctx, tx, "AD_Element", element, store.Row{"ColumnName": name})
	tx.DictionaryChanged()
	return logs, err
}

// renameInDatabase gives a column of the dictionary another name in the database, and
// tells the statement.
func renameInDatabase(ctx context.Context, tx *store.Tx, column store.Row, name string) (string, error) {
	was := column.String("ColumnName")
	if strings.EqualFold(was, name) {
		return was + " - rename not required", nil
	}
	table, err := engine.OneRow(ctx, tx, "AD_Table", column.Int("AD_Table_ID"))
	if err != nil {
		return "", err
	}
	there, err := engine.HasPhysicalColumn(ctx, tx, table.String("TableName"), was)
	if err != nil {
		return "", err
	}
	if !there {
		return "", engine.PublicError("the database has no column " + table.String("TableName") + "." + was + " to rename; synchronize it first")
	}
	return tx.RenameColumn(ctx, table.String("TableName"), was, name)
}

func count(ctx context.Context, tx *store.Tx, table, where string, args ...any) (int, error) {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return 0, err
	}
	return tx.Count(ctx, t, where, args...)
}

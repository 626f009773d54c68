package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// ownPrograms are those of this package, by the last part of the class name.
var ownPrograms = map[string]Program{
	"ColumnSync": synchronize, "DatabaseTableColumnRename": renameColumn, "DatabaseElementColumnRename": renameElement,
	"DatabaseTableRename": renameTable, "TableCreateColumns": createColumnsFromDatabase, "CreateTable": createTable,
	"CopyColumnsFromTable": copyColumns, "CreateWindowFromTable": createWindow, "TabCreateFields": createFields,
	"SynchronizeTerminology": synchronizeTerminology, "SequenceCheck": checkSequences, "RoleAccessUpdate": roleAccessProcess,
	"UUIDGenerator": generateUUIDs, "TableIndexValidate": ValidateIndex, "CacheReset": resetCache, "WindowCopy": copyWindow,
	"TabCopy": copyTab, "BPartnerOrgLink": linkOrganization, "CopyFromOrder": copyOrderLines, "InOutGenerate": generateShipments,
	"InvoiceGenerate": generateInvoices, "PackInFolder": importFolder,
}

func resetCache(_ context.Context, _ *engine.Session, tx *store.Tx, _ *Run) (Result, error) {
	tx.DictionaryChanged()
	return Result{Summary: "Cache Reset"}, nil
}

func importFolder(context.Context, *engine.Session, *store.Tx, *Run) (Result, error) {
	return Failed("the embedded ERP has no folder to import packages from; attach the archive to an AD_Package_Imp_Proc record and run PackIn"), nil
}

// implement runs what stands behind a process: the program of its
// class, or its report.
func (t *Manager) implement(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	class := implementation(run.Process)
	for _, programs := range []map[string]Program{ownPrograms, t.programs} {
		if program := programs[class]; program != nil {
			return program(ctx, s, tx, run)
		}
	}
	if IsReport(run.Process) {
		return runReport(ctx, s, tx, run)
	}
	if isDocumentProcess(run.Process) {
		return processRecord(ctx, s, tx, run)
	}
	what := cmp.Or(run.Process.String("Classname"), run.Process.String("Value"))
	return Failed("the embedded ERP has no program for %s", what), nil
}

// Failed is the result of a process that reports an error.
func Failed(format string, args ...any) Result {
	return Result{Summary: fmt.Sprintf(format, args...), IsError: true}
}

// synchronize brings the database in line with the dictionary: the column the
// record id names, or, which the real server does not offer, a whole table when
// the request says that the record is one (table-id or model-name).
func synchronize(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if run.RecordID == 0 {
		return Failed("No Column"), nil // in the words of the real server
	}
	tables, err := tx.Table(ctx, "AD_Table")
	if err != nil {
		return Result{}, err
	}
	if run.TableID == tables.ID && !s.ERP.Options.Strict {
		t, err := tx.TableByID(ctx, run.RecordID)
		if err != nil {
			return Failed("There is no active table with AD_Table_ID %d", run.RecordID), nil //nolint:nilerr // said in the result
		}
		if len(t.Columns) == 0 {
			return Failed("Table %s has no columns yet", t.Name), nil
		}
		report, err := tx.SyncTable(ctx, t)
		return syncOutcome(t, report, err)
	}
	return syncColumnsSince(ctx, tx, run.RecordID, run.Text("DateFrom"))
}

// syncOutcome is the result of bringing a table in line with the dictionary.
func syncOutcome(t *store.Table, report string, err error) (Result, error) {
	var ddl *store.DDLError
	switch {
	case errors.As(err, &ddl):
		return Failed("%s", ddl.Error()), nil
	case err != nil:
		return Result{}, fmt.Errorf("synchronizing %s: %w", t.Name, err)
	case report == "":
		report = "No SQL: the database has what the dictionary says"
	}
	return Result{Summary: report}, nil
}

func checkSequences(ctx context.Context, s *engine.Session, tx *store.Tx, _ *Run) (Result, error) {
	names, err := tx.TableNames(ctx)
	if err != nil {
		return Result{}, err
	}
	result := Result{}
	for _, name := range sortedNames(names) {
		t, err := tx.Table(ctx, name)
		if err != nil {
			return result, err
		}
		key := t.KeyColumn()
		if t.IsView || key == nil {
			continue
		}
		if exists, err := engine.HasPhysicalColumn(ctx, tx, t.Name, key.Name); err != nil || !exists {
			if err != nil {
				return result, err
			}
			continue
		}
		if err := tx.EnsureSequence(ctx, t.Name); err != nil {
			return result, err
		}
		var highest int64
		if err := tx.QueryRow(ctx, "SELECT COALESCE(MAX("+sqlquote.Name(key.Name)+"),0) FROM "+sqlquote.Name(t.Name)).Scan(&highest); err != nil {
			return result, err
		}
		next := max(highest+1, store.FirstCustomID)
		sequences, err := tx.Table(ctx, "AD_Sequence")
		if err != nil {
			return result, err
		}
		n, err := tx.Set(ctx, sequences, store.Row{"CurrentNext": next}, "Name=? COLLATE NOCASE AND IsTableID='Y' AND CurrentNext<?", t.Name, next)
		if err != nil {
			return result, err
		}
		if n > 0 {
			result.Logs = append(result.Logs, LogLine{Message: fmt.Sprintf("%s: next id is %d", t.Name, next)})
		}
	}
	result.Summary = "Sequence Check"
	return result, nil
}

func roleAccessProcess(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	where, args := "IsManual='N' AND IsActive='Y'", []any(nil)
	if id := run.id("AD_Role_ID"); id > 0 {
		where, args = where+" AND AD_Role_ID=?", append(args, id)
	}
	if s.ClientID != 0 {
		where, args = where+" AND AD_Client_ID=?", append(args, s.ClientID)
	}
	roles, err := engine.RowsWhere(ctx, tx, "AD_Role", "AD_Role_ID", where, args...)
	if err != nil {
		return Result{}, err
	}
	result := Result{Summary: fmt.Sprintf("%d roles updated", len(roles))}
	for _, role := range roles {
		n, err := s.UpdateRoleAccess(ctx, tx, role, run.flag("ResetAccess", false))
		if err != nil {
			return result, err
		}
		result.Logs = append(result.Logs, LogLine{Message: fmt.Sprintf("%s: %d objects", role.String("Name"), n)})
	}
	return result, nil
}

func generateUUIDs(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if run.flag("IsClearUUID", false) {
		return Failed("UUIDs are not cleared: they identify records to other systems"), nil
	}
	names, err := tx.TableNames(ctx)
	if err != nil {
		return Result{}, err
	}
	wanted := run.Text("TableName")
	result := Result{}
	for _, name := range sortedNames(names) {
		if wanted != "" && !strings.EqualFold(name, wanted) {
			continue
		}
		t, err := tx.Table(ctx, name)
		if err != nil {
			return result, err
		}
		uu, key := t.UUColumn(), t.KeyColumn()
		if t.IsView || uu == nil || key == nil {
			continue
		}
		given, err := giveUUIDs(ctx, tx, t, key, uu)
		if err != nil {
			return result, err
		}
		if given > 0 {
			result.Logs = append(result.Logs, LogLine{Number: fmt.Sprint(given), Message: t.Name})
		}
	}
	result.Summary = fmt.Sprintf("UUIDs given in %d tables", len(result.Logs))
	return result, nil
}

// giveUUIDs gives one to each record that has none, and counts them.
func giveUUIDs(ctx context.Context, tx *store.Tx, t *store.Table, key, uu *store.Column) (int, error) {
	if exists, err := engine.HasPhysicalColumn(ctx, tx, t.Name, uu.Name); err != nil || !exists {
		return 0, err
	}
	rows, err := tx.Select(ctx, t, store.Selection{
		Columns: []*store.Column{key}, Where: "COALESCE(" + sqlquote.Name(uu.Name) + ",'')=''", OrderBy: sqlquote.Name(key.Name),
	})
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		if _, err := tx.Set(ctx, t, store.Row{uu.Name: store.NewUUID()}, sqlquote.Name(key.Name)+"=?", row.Int(key.Name)); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// synchronizeTerminology passes the terms of the elements on to the columns
// and centrally maintained fields that differ.
func synchronizeTerminology(ctx context.Context, s *engine.Session, tx *store.Tx, _ *Run) (Result, error) {
	res, err := tx.Exec(ctx, `UPDATE AD_Column SET
		ColumnName=(SELECT e.ColumnName FROM AD_Element e WHERE e.AD_Element_ID=AD_Column.AD_Element_ID),
		Name=(SELECT e.Name FROM AD_Element e WHERE e.AD_Element_ID=AD_Column.AD_Element_ID),
		Description=(SELECT e.Description FROM AD_Element e WHERE e.AD_Element_ID=AD_Column.AD_Element_ID),
		Help=(SELECT e.Help FROM AD_Element e WHERE e.AD_Element_ID=AD_Column.AD_Element_ID)
		WHERE EXISTS (SELECT 1 FROM AD_Element e WHERE e.AD_Element_ID=AD_Column.AD_Element_ID
			AND (e.ColumnName<>AD_Column.ColumnName OR e.Name<>AD_Column.Name))`)
	if err != nil {
		return Result{}, err
	}
	columns, err := res.RowsAffected()
	if err != nil {
		return Result{}, err
	}
	res, err = tx.Exec(ctx, `UPDATE AD_Field SET
		Name=(SELECT c.Name FROM AD_Column c WHERE c.AD_Column_ID=AD_Field.AD_Column_ID),
		Description=(SELECT c.Description FROM AD_Column c WHERE c.AD_Column_ID=AD_Field.AD_Column_ID),
		Help=(SELECT c.Help FROM AD_Column c WHERE c.AD_Column_ID=AD_Field.AD_Column_ID)
		WHERE IsCentrallyMaintained='Y' AND EXISTS (SELECT 1 FROM AD_Column c
			WHERE c.AD_Column_ID=AD_Field.AD_Column_ID AND c.Name<>AD_Field.Name)`)
	if err != nil {
		return Result{}, err
	}
	fields, err := res.RowsAffected()
	if err != nil {
		return Result{}, err
	}
	tx.DictionaryChanged()
	return Result{Summary: fmt.Sprintf("%d columns and %d fields synchronized", columns, fields)}, nil
}

// tableOf is the table a process is to work on: the one its record names.
func tableOf(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (*store.Table, store.Row, error) {
	row, err := engine.OneRow(ctx, tx, "AD_Table", run.RecordID)
	if err != nil {
		return nil, nil, err
	}
	if run.RecordID == 0 || row == nil {
		return nil, nil, engine.PublicError("No table: give its AD_Table_ID as record-id")
	}
	t, err := tx.TableByID(ctx, run.RecordID)
	if err != nil {
		return nil, nil, engine.WithCause(engine.PublicError("The table is not active"), err)
	}
	return t, row, nil
}

// mustWriteDictionary refuses those who may not change a table of the
// dictionary, whatever process they may run.
func mustWriteDictionary(ctx context.Context, s *engine.Session, tx *store.Tx, table string) error {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return err
	}
	if !s.Role.CanWrite(t) {
		return engine.Refuse(engine.Denied, "Access denied", "Access denied for table: "+t.Name)
	}
	return nil
}

package process

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// ownOfEach are the columns that no copy of a record takes over.
var ownOfEach = []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"}

// copiedValues are the values that a copy of a record begins with: those of all
// columns but the keys and what each record has of its own.
func copiedValues(t *store.Table, from store.Row) store.Row {
	row, uu := store.Row{}, t.UUColumn()
	for _, col := range t.Columns {
		v, ok := from[col.Name]
		if !ok || col.IsVirtual() || col.Key || uu != nil && uu.Name == col.Name || slices.Contains(ownOfEach, col.Name) {
			continue
		}
		row[col.Name] = v // nothing is a value, too: no default takes its place
	}
	return row
}

// copyWindow copies the active tabs of a window, with their fields, to the window that
// is the record of the run, and the window's translations.
func copyWindow(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Tab"); err != nil {
		return Result{}, err
	}
	from, to, err := fromTo(ctx, tx, run, "AD_Window", "Window")
	if err != nil {
		return Result{}, err
	}
	if err := copyTranslations(ctx, tx, "AD_Window", from.Int("AD_Window_ID"), to.Int("AD_Window_ID")); err != nil {
		return Result{}, err
	}
	t, err := tx.Table(ctx, "AD_Tab")
	if err != nil {
		return Result{}, err
	}
	tabs, err := engine.RowsWhere(ctx, tx, t.Name, "SeqNo, AD_Tab_ID", "AD_Window_ID=? AND IsActive='Y'", from.Int("AD_Window_ID"))
	if err != nil {
		return Result{}, err
	}
	fields := 0
	for _, tab := range tabs {
		values := copiedValues(t, tab)
		for _, name := range []string{"AD_Client_ID", "AD_Org_ID", "AD_Window_ID", "EntityType"} {
			values[name] = to[name]
		}
		made, err := s.InsertRow(ctx, tx, t.Name, values)
		if err != nil {
			return Result{}, err
		}
		if err := copyTranslations(ctx, tx, t.Name, tab.Int("AD_Tab_ID"), made.ID()); err != nil {
			return Result{}, err
		}
		n, err := copyFields(ctx, s, tx, tab, made.Row)
		if err != nil {
			return Result{}, err
		}
		fields += n
	}
	return copied(ctx, s, tx, fmt.Sprintf(" #%d/%d", len(tabs), fields))
}

// copyTab copies the fields of a tab to the tab that is the record of the run, which
// must be of the same table, and the tab's translations.
func copyTab(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Field"); err != nil {
		return Result{}, err
	}
	from, to, err := fromTo(ctx, tx, run, "AD_Tab", "Tab")
	if err != nil {
		return Result{}, err
	}
	if from.Int("AD_Table_ID") != to.Int("AD_Table_ID") {
		return Failed("Error Table"), nil
	}
	if err := copyTranslations(ctx, tx, "AD_Tab", from.Int("AD_Tab_ID"), to.Int("AD_Tab_ID")); err != nil {
		return Result{}, err
	}
	n, err := copyFields(ctx, s, tx, from, to)
	if err != nil {
		return Result{}, err
	}
	return copied(ctx, s, tx, fmt.Sprintf(" #%d", n))
}

// fromTo are the record that the parameter of a copy names, and the one of the run.
func fromTo(ctx context.Context, tx *store.Tx, run *Run, table, label string) (from, to store.Row, err error) {
	if from, err = engine.OneRow(ctx, tx, table, run.id(table+"_ID")); err != nil {
		return nil, nil, err
	}
	if to, err = engine.OneRow(ctx, tx, table, run.RecordID); err != nil {
		return nil, nil, err
	}
	switch {
	case from == nil:
		err = engine.PublicError("NotFound (from->) " + label)
	case to == nil:
		err = engine.PublicError("NotFound (to<-) " + label)
	}
	return from, to, err
}

func copied(ctx context.Context, s *engine.Session, tx *store.Tx, how string) (Result, error) {
	label, err := engine.Message(ctx, tx, "Copied", s.Language, "Copied")
	return Result{Summary: label + how}, err
}

// copyFields copies the fields of a tab to another one, but for columns that have a
// field there already, and returns how many it copied.
func copyFields(ctx context.Context, s *engine.Session, tx *store.Tx, from, to store.Row) (int, error) {
	t, err := tx.Table(ctx, "AD_Field")
	if err != nil {
		return 0, err
	}
	there, err := engine.RowsWhere(ctx, tx, t.Name, "", "AD_Tab_ID=?", to.Int("AD_Tab_ID"))
	if err != nil {
		return 0, err
	}
	has := map[int64]bool{}
	for _, field := range there {
		has[field.Int("AD_Column_ID")] = true
	}
	fields, err := engine.RowsWhere(ctx, tx, t.Name, "SeqNo, AD_Field_ID", "AD_Tab_ID=?", from.Int("AD_Tab_ID"))
	if err != nil {
		return 0, err
	}
	n := 0
	for _, field := range fields {
		if has[field.Int("AD_Column_ID")] {
			continue
		}
		values := copiedValues(t, field)
		for _, name := range []string{"AD_Client_ID", "AD_Org_ID", "AD_Tab_ID", "EntityType"} {
			values[name] = to[name]
		}
		values["IsActive"] = field["IsActive"]
		made, err := s.InsertRow(ctx, tx, t.Name, values)
		if err != nil {
			return n, err
		}
		if err := copyTranslations(ctx, tx, t.Name, field.Int("AD_Field_ID"), made.ID()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// copyTranslations gives a record the translations of another one of its table, in the
// languages that both have.
func copyTranslations(ctx context.Context, tx *store.Tx, table string, from, to int64) error {
	t, err := tx.Table(ctx, table+"_Trl")
	if err != nil {
		return err
	}
	if exists, err := tx.TableExists(ctx, t.Name); err != nil || !exists {
		return err
	}
	var set []string
	for _, name := range []string{"Name", "Description", "Help", "CommitWarning", "IsTranslated"} {
		if _, ok := t.Column(name); ok {
			set = append(set, sqlquote.Name(name))
		}
	}
	columns, key, own := strings.Join(set, ", "), sqlquote.Name(table+"_ID"), sqlquote.Name(t.Name)
	same := "FROM " + own + " AS other WHERE other." + key + "=? AND other.AD_Language=" + own + ".AD_Language"
	_, err = tx.Exec(ctx, "UPDATE "+own+" SET ("+columns+")=(SELECT "+columns+" "+same+") WHERE "+key+"=? AND EXISTS (SELECT 1 "+same+")", from, to, from)
	return err
}

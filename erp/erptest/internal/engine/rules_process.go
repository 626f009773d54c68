package engine

import (
	"context"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

func beforeProcess(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if !r.Has("AllowMultipleExecution") {
		r.Set("AllowMultipleExecution", "P")
	}
	return nil
}

func afterProcess(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if !r.IsNew() {
		return s.renameMenus(ctx, tx, r)
	}
	return s.GrantAll(ctx, tx, "AD_Process_Access", "AD_Process_ID", r.ID())
}

// beforeParameter takes the terms of a centrally maintained parameter from its
// element; one without an element cannot be centrally maintained.
func beforeParameter(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Int("AD_Element_ID") == 0 {
		r.Set("IsCentrallyMaintained", "N")
	}
	if r.Row.Bool("IsCentrallyMaintained") && (r.IsNew() || r.changed("AD_Element_ID")) {
		element, err := OneRow(ctx, tx, "AD_Element", r.Row.Int("AD_Element_ID"))
		if err != nil {
			return err
		}
		r.take(element, "ColumnName", "Name", "Description", "Help")
	}
	if err := checkLogic(r, "ReadOnlyLogic", "DisplayLogic"); err != nil {
		return err
	}
	for name, label := range map[string]string{"ValueMin": "Min Value", "ValueMax": "Max Value"} {
		if !r.Has(name) {
			continue
		}
		value, ok := r.Row.String(name), true
		switch ref := columnRef(r); {
		case ref == displaytype.Date:
			_, err := time.Parse(time.DateOnly, value[:min(len(value), len(time.DateOnly))])
			ok = err == nil
		case isNumericRef(ref):
			_, ok = ParseRat(value)
		}
		if !ok {
			return saveError(label + " : " + JSONOf(value) + " does not fit the reference of the parameter")
		}
	}
	return nil
}

// beforeTableReference lets a reference that shows the identifiers of its table
// display the table's key.
func beforeTableReference(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Bool("IsDisplayIdentifier") {
		t, err := tx.TableByID(ctx, r.Row.Int("AD_Table_ID"))
		if err != nil {
			return saveError("the table of the reference is not active")
		}
		if key := t.KeyColumn(); key != nil {
			r.Set("AD_Display", key.ID)
		}
		r.Set("DisplaySQL", nil)
	}
	if r.Row.String("DisplaySQL") != "" {
		r.Set("IsValueDisplayed", "N")
	}
	return nil
}

func beforeTableIndex(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	return checkIdentifier("Name", strings.TrimSpace(r.Row.String("Name")))
}

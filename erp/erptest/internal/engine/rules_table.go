package engine

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeTable checks an AD_Table record. It makes no column and no database
// table; the synchronisation process does.
func beforeTable(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Bool("IsView") && r.Row.Bool("IsDeleteable") {
		r.Set("IsDeleteable", "N")
	}
	if err := checkIdentifier("TableName", r.Row.String("TableName")); err != nil {
		return err
	}
	return checkUnique(ctx, tx, r, "TableName")
}

// afterTable gives a new table its sequence of ids and follows a change of
// the name's case.
func afterTable(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.Row.Bool("IsView") {
		return nil
	}
	name := r.Row.String("TableName")
	if was := r.Old.String("TableName"); was != name && strings.EqualFold(was, name) {
		sequences, err := tx.Table(ctx, "AD_Sequence")
		if err != nil {
			return err
		}
		_, err = tx.Set(ctx, sequences, store.Row{"Name": name}, "Name=? AND IsTableID='Y'", was)
		return err
	}
	return tx.EnsureSequence(ctx, name)
}

func afterTableDelete(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	sequences, err := tx.Table(ctx, "AD_Sequence")
	if err != nil {
		return err
	}
	_, err = tx.Delete(ctx, sequences, "Name=? COLLATE NOCASE AND IsTableID='Y' AND AD_Client_ID=0", r.Row.String("TableName"))
	return err
}

// beforeElement keeps column names unique among the elements.
func beforeElement(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	r.Set("ColumnName", strings.TrimSpace(r.Row.String("ColumnName")))
	if err := checkIdentifier("ColumnName", r.Row.String("ColumnName")); err != nil {
		return err
	}
	return checkUnique(ctx, tx, r, "ColumnName")
}

// afterElement passes changed terms on to the columns, parameters and fields
// that take them from the element.
func afterElement(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if r.IsNew() {
		return nil
	}
	terms := store.Row{}
	for _, name := range []string{"Name", "Description", "Help", "Placeholder"} {
		if _, ok := r.Table.Column(name); ok && r.changed(name) {
			terms[name] = r.Row[name]
		}
	}
	renamed := r.changed("ColumnName")
	if len(terms) == 0 && !renamed {
		return nil
	}
	for _, target := range []struct {
		table, where string
		withName     bool
	}{
		{"AD_Column", "AD_Element_ID=?", true},
		{"AD_Process_Para", "AD_Element_ID=? AND IsCentrallyMaintained='Y'", true},
		{"AD_InfoColumn", "AD_Element_ID=? AND IsCentrallyMaintained='Y'", true},
		{"AD_Field", "AD_Column_ID IN (SELECT AD_Column_ID FROM AD_Column WHERE AD_Element_ID=?) AND IsCentrallyMaintained='Y'", false},
	} {
		t, err := tx.Table(ctx, target.table)
		if err != nil {
			continue // an ERP without that part of the dictionary
		}
		change := terms.Of(t)
		if _, ok := t.Column("ColumnName"); ok && renamed && target.withName {
			change["ColumnName"] = r.Row["ColumnName"]
		}
		if len(change) == 0 {
			continue
		}
		if _, err := tx.Set(ctx, t, change, target.where, r.ID()); err != nil {
			return err
		}
	}
	return nil
}

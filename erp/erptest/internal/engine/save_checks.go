package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// checkReferences refuses references to records that do not exist, and, of
// requests, to those of another tenant or, where the table has none for all
// tenants, of the system. Only what changes is looked at. References by text are
// not looked at.
func (s *Session) checkReferences(ctx context.Context, tx *store.Tx, r *Record) error {
	for _, col := range r.changedReferences() {
		if kind := col.Kind(); kind != store.KindInteger && kind != store.KindUUID {
			continue
		}
		v := r.Row[col.Name]
		to, err := s.refer(ctx, tx, col, v)
		switch {
		case err != nil:
			return err
		case to.missing:
			return Invalidf("Foreign ID %v not found in %s", v, col.Name)
		case !to.owned || r.Body == nil:
			continue
		}
		if to.owner == 0 && !forAllTenants(to.table) || to.owner != 0 && to.owner != s.ClientID {
			return refusef(CrossTenant, msgValidation, "Cross tenant ID %v not allowed in %s", v, col.Name)
		}
	}
	return nil
}

// MissingReference is the first column of a record, text or not, that refers to a
// record that does not exist or is another tenant's, or nil. Only what changes is
// looked at.
func (s *Session) MissingReference(ctx context.Context, tx *store.Tx, r *Record) (*store.Column, error) {
	for _, col := range r.changedReferences() {
		to, err := s.refer(ctx, tx, col, r.Row[col.Name])
		if err != nil {
			return nil, err
		}
		if to.missing || to.owned && s.ClientID != 0 && to.owner != 0 && to.owner != s.ClientID {
			return col, nil
		}
	}
	return nil, nil
}

// changedReferences are the columns that refer to other records and change.
func (r *Record) changedReferences() []*store.Column {
	var columns []*store.Column
	for _, col := range r.Table.Columns {
		if !col.IsLookup() || col.IsVirtual() || col.Ref == displaytype.Image || !r.Has(col.Name) || !r.changed(col.Name) ||
			col.Key && strings.EqualFold(col.Name, r.Table.Name+"_ID") {
			continue
		}
		columns = append(columns, col)
	}
	return columns
}

// referred is what a column refers to. The zero value is a record that cannot be
// looked for.
type referred struct {
	table   *store.Table
	missing bool
	owned   bool  // the table has rows of tenants
	owner   int64 // AD_Client_ID
}

func (s *Session) refer(ctx context.Context, tx *store.Tx, col *store.Column, v any) (referred, error) {
	if v == int64(0) || v == "" {
		return referred{}, nil // 0 stands for no document type yet, and the like; real records with id 0 exist in the seed
	}
	name, err := tx.TargetTable(ctx, col)
	if err != nil || name == "" {
		return referred{}, err
	}
	target, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return referred{}, nil // nothing to check against
	}
	if err != nil {
		return referred{}, err
	}
	if exists, err := tx.TableExists(ctx, target.Name); err != nil || !exists {
		return referred{}, err
	}
	keys := keyColumns(Field{Name: col.Name, Kind: col.Kind()}, target)
	if len(keys) == 0 {
		return referred{}, nil
	}
	to, columns := referred{table: target}, keys
	if client, ok := target.Column("AD_Client_ID"); ok && !client.IsVirtual() {
		to.owned, columns = true, append(slices.Clip(keys), client)
	}
	rows, err := tx.Select(ctx, target, store.Selection{
		Columns: columns, Where: sqlquote.Name(keys[0].Name) + "=?", Args: []any{v}, Limit: 1,
	})
	if to.missing = len(rows) == 0; !to.missing {
		to.owner = rows[0].Int("AD_Client_ID")
	}
	return to, err
}

// forAllTenants reports whether the system's records of a table are for all tenants.
func forAllTenants(t *store.Table) bool {
	return t.AccessLevel == "4" || t.AccessLevel == "6" || t.AccessLevel == "7"
}

// checkUUIDs refuses texts of archives that are not UUIDs; from requests the ERP
// takes any text.
func checkUUIDs(r *Record) error {
	for _, col := range r.Table.Columns {
		if v := r.Row.String(col.Name); col.Kind() == store.KindUUID && r.changed(col.Name) && v != "" && !IsUUID(v) {
			return PublicError("Invalid UUID for column " + col.Name + ": " + JSONOf(v))
		}
	}
	return nil
}

// checkMandatory lists the mandatory columns without a value: all of a new
// record, of an existing one those the request named.
func (s *Session) checkMandatory(r *Record) error {
	var missing []string
	for _, col := range r.Table.Columns {
		if r.Has(col.Name) || !col.Mandatory || mandatoryExempt(r.Table, col) || !r.IsNew() && !r.named(col.Name) {
			continue
		}
		missing = append(missing, PropertyName(col.Name))
	}
	if len(missing) > 0 {
		return Invalidf("%s%s", MsgFillMandatory, strings.Join(missing, ", "))
	}
	return nil
}

// mandatoryExempt are the columns the ERP fills in itself.
func mandatoryExempt(t *store.Table, col *store.Column) bool {
	switch {
	case col.IsVirtual(), col.Ref == displaytype.YesNo,
		col.Key && strings.HasSuffix(col.Name, "_ID"),
		strings.HasPrefix(col.Name, "Created"), strings.HasPrefix(col.Name, "Updated"),
		col.Name == "Value", col.Name == "DocumentNo", col.Name == "M_AttributeSetInstance_ID":
		return true
	}
	uu := t.UUColumn()
	return uu != nil && uu.Name == col.Name
}

// checkValues cuts texts to the length of their columns, and refuses numbers
// outside the bounds of the column.
func checkValues(r *Record) error {
	for _, col := range r.Table.Columns {
		if col.IsVirtual() || !r.Has(col.Name) || !r.changed(col.Name) {
			continue
		}
		switch col.Kind() {
		case store.KindText, store.KindUUID:
			if text, ok := r.Row[col.Name].(string); ok {
				if strings.ContainsRune(text, 0) {
					return PublicError("Invalid character in " + col.Name)
				}
				r.Set(col.Name, fitted(col, text))
			}
		case store.KindInteger, store.KindDecimal:
			if err := checkBounds(r, col); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkBounds(r *Record, col *store.Column) error {
	value, ok := ParseRat(r.Row.String(col.Name))
	if !ok {
		return nil
	}
	if low, ok := ParseRat(col.ValueMin); ok && value.Cmp(low) < 0 {
		return PublicError(fmt.Sprintf("Value of column %s is less than %s", col.Name, col.ValueMin))
	}
	if high, ok := ParseRat(col.ValueMax); ok && value.Cmp(high) > 0 {
		return PublicError(fmt.Sprintf("Value of column %s is more than %s", col.Name, col.ValueMax))
	}
	return nil
}

// constraintColumns finds in SQLite's messages what a constraint is about:
// "UNIQUE constraint failed: T.A, T.B".
var constraintColumns = lazyregexp.New(`constraint failed: ((?:[A-Za-z0-9_]+\.[A-Za-z0-9_]+(?:, )?)+)`)

// publicWriteError gives the database's refusals texts of the ERP's kind;
// other errors stay as they are, and private.
func publicWriteError(r *Record, err error) error {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return err
	}
	what := r.Table.Name
	if m := constraintColumns().FindStringSubmatch(db.Error()); m != nil {
		var names []string
		for qualified := range strings.SplitSeq(m[1], ", ") {
			_, name, _ := strings.Cut(qualified, ".")
			if name != "AD_Client_ID" && name != "AD_Org_ID" {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			what = strings.Join(names, ", ")
		}
	}
	switch db.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return WithCause(PublicError("Record already exists: "+what), err)
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return WithCause(PublicError("Mandatory column without a value: "+what), err)
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return WithCause(PublicError("Value not allowed in "+r.Table.Name), err)
	case sqlite3.SQLITE_ERROR:
		if exists := !strings.Contains(db.Error(), "no such table"); !exists {
			return WithCause(PublicError("Table "+r.Table.Name+" does not exist in the database; synchronize it first"), err)
		}
		if strings.Contains(db.Error(), "no column named") || strings.Contains(db.Error(), "no such column") {
			return WithCause(PublicError("A column of "+r.Table.Name+" does not exist in the database; synchronize it first"), err)
		}
	}
	return err
}

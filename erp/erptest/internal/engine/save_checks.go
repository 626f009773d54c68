package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// checkReferences refuses references to records that do not exist or belong
// to another tenant. Only what changes is looked at.
func (s *Session) checkReferences(ctx context.Context, tx *store.Tx, r *Record) error {
	for _, col := range r.Table.Columns {
		if !col.IsLookup() || col.IsVirtual() || col.Ref == store.TypeImage || !r.Has(col.Name) || !r.changed(col.Name) {
			continue
		}
		if col.Key && strings.EqualFold(col.Name, r.Table.Name+"_ID") {
			continue
		}
		ok, err := s.referenceExists(ctx, tx, col, r.Row[col.Name])
		if err != nil {
			return err
		}
		if !ok {
			return Invalidf("Foreign ID %v not found in %s", r.Row[col.Name], col.Name)
		}
	}
	return nil
}

func (s *Session) referenceExists(ctx context.Context, tx *store.Tx, col *store.Column, v any) (bool, error) {
	kind := col.Kind()
	if kind == store.KindInteger && v == int64(0) {
		return true, nil // "no document type yet" and the like; real records with id 0 exist in the seed
	}
	name, err := tx.TargetTable(ctx, col)
	if err != nil || name == "" {
		return err == nil, err
	}
	target, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return true, nil // nothing to check against
	}
	if err != nil {
		return false, err
	}
	if exists, err := tx.TableExists(ctx, target.Name); err != nil || !exists {
		return err == nil, err
	}
	keys := keyColumns(Field{Name: col.Name, Kind: kind}, target)
	if len(keys) == 0 {
		return true, nil
	}
	where, args := store.Quote(keys[0].Name)+"=?", []any{v}
	if _, ok := target.Column("AD_Client_ID"); ok && s.ClientID != 0 {
		where, args = where+" AND AD_Client_ID IN (0,?)", append(args, s.ClientID)
	}
	n, err := tx.Count(ctx, target, where, args...)
	return n > 0, err
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
	case col.IsVirtual(), col.Ref == store.TypeYesNo,
		col.Key && strings.HasSuffix(col.Name, "_ID"),
		strings.HasPrefix(col.Name, "Created"), strings.HasPrefix(col.Name, "Updated"),
		col.Name == "Value", col.Name == "DocumentNo", col.Name == "M_AttributeSetInstance_ID":
		return true
	}
	uu := t.UUColumn()
	return uu != nil && uu.Name == col.Name
}

// checkValues refuses what the database could not hold: texts longer than
// their column, malformed UUIDs, numbers outside the bounds of the column.
func checkValues(r *Record) error {
	for _, col := range r.Table.Columns {
		if col.IsVirtual() || !r.Has(col.Name) || !r.changed(col.Name) {
			continue
		}
		switch col.Kind() {
		case store.KindText:
			s := r.Row.String(col.Name)
			if n := utf8.RuneCountInString(s); n > textLimit(col) {
				return PublicError(fmt.Sprintf("Value too long for column %s: %d characters, at most %d", col.Name, n, textLimit(col)))
			}
		case store.KindUUID:
			if s := r.Row.String(col.Name); !IsUUID(s) {
				return PublicError(fmt.Sprintf("Invalid UUID for column %s: %s", col.Name, JSONOf(s)))
			}
		case store.KindInteger, store.KindDecimal:
			if err := checkBounds(r, col); err != nil {
				return err
			}
		}
	}
	return nil
}

// textLimit is how many characters a text column holds.
func textLimit(col *store.Column) int {
	const unlimited = 1 << 30
	switch col.Ref {
	case store.TypeTextLong, store.TypeJSON:
		return unlimited
	case store.TypeText:
		if col.Length == 0 || col.Length >= 4000 {
			return unlimited
		}
	}
	if col.Length <= 0 {
		return unlimited
	}
	return col.Length
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
var constraintColumns = regexp.MustCompile(`constraint failed: ((?:[A-Za-z0-9_]+\.[A-Za-z0-9_]+(?:, )?)+)`)

// publicWriteError gives the database's refusals texts of the ERP's kind;
// other errors stay as they are, and private.
func publicWriteError(r *Record, err error) error {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return err
	}
	what := r.Table.Name
	if m := constraintColumns.FindStringSubmatch(db.Error()); m != nil {
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

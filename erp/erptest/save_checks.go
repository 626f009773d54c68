package erptest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// checkReferences refuses references to records that do not exist or belong
// to another tenant. Only what changes is looked at.
func (s *session) checkReferences(ctx context.Context, tx *store.Tx, r *record) error {
	for _, col := range r.table.Columns {
		if !col.IsLookup() || col.IsVirtual() || col.Ref == store.TypeImage || !r.has(col.Name) || !r.changed(col.Name) {
			continue
		}
		if col.Key && strings.EqualFold(col.Name, r.table.Name+"_ID") {
			continue
		}
		ok, err := s.referenceExists(ctx, tx, col, r.row[col.Name])
		if err != nil {
			return err
		}
		if !ok {
			return invalid("Foreign ID %v not found in %s", r.row[col.Name], col.Name)
		}
	}
	return nil
}

func (s *session) referenceExists(ctx context.Context, tx *store.Tx, col *store.Column, v any) (bool, error) {
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
	keys := keyColumns(field{name: col.Name, kind: kind}, target)
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
func (s *session) checkMandatory(r *record) error {
	var missing []string
	for _, col := range r.table.Columns {
		if r.has(col.Name) || !col.Mandatory || mandatoryExempt(r.table, col) || !r.isNew() && !r.named(col.Name) {
			continue
		}
		missing = append(missing, propertyName(col.Name))
	}
	if len(missing) > 0 {
		return invalid("%s%s", msgFillMandatory, strings.Join(missing, ", "))
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
func checkValues(r *record) error {
	for _, col := range r.table.Columns {
		if col.IsVirtual() || !r.has(col.Name) || !r.changed(col.Name) {
			continue
		}
		switch col.Kind() {
		case store.KindText:
			s := r.row.String(col.Name)
			if n := utf8.RuneCountInString(s); n > textLimit(col) {
				return plainError(fmt.Sprintf("Value too long for column %s: %d characters, at most %d", col.Name, n, textLimit(col)))
			}
		case store.KindUUID:
			if s := r.row.String(col.Name); !isUUID(s) {
				return plainError(fmt.Sprintf("Invalid UUID for column %s: %s", col.Name, jsonOf(s)))
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

func checkBounds(r *record, col *store.Column) error {
	value, ok := parseRat(r.row.String(col.Name))
	if !ok {
		return nil
	}
	if low, ok := parseRat(col.ValueMin); ok && value.Cmp(low) < 0 {
		return plainError(fmt.Sprintf("Value of column %s is less than %s", col.Name, col.ValueMin))
	}
	if high, ok := parseRat(col.ValueMax); ok && value.Cmp(high) > 0 {
		return plainError(fmt.Sprintf("Value of column %s is more than %s", col.Name, col.ValueMax))
	}
	return nil
}

// constraintColumns finds in SQLite's messages what a constraint is about:
// "UNIQUE constraint failed: T.A, T.B".
var constraintColumns = regexp.MustCompile(`constraint failed: ((?:[A-Za-z0-9_]+\.[A-Za-z0-9_]+(?:, )?)+)`)

// publicWriteError gives the database's refusals texts of the ERP's kind;
// other errors stay as they are, and private.
func publicWriteError(r *record, err error) error {
	var db *sqlite.Error
	if !errors.As(err, &db) {
		return err
	}
	what := r.table.Name
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
		return withCause(plainError("Record already exists: "+what), err)
	case sqlite3.SQLITE_CONSTRAINT_NOTNULL:
		return withCause(plainError("Mandatory column without a value: "+what), err)
	case sqlite3.SQLITE_CONSTRAINT_CHECK:
		return withCause(plainError("Value not allowed in "+r.table.Name), err)
	case sqlite3.SQLITE_ERROR:
		if exists := !strings.Contains(db.Error(), "no such table"); !exists {
			return withCause(plainError("Table "+r.table.Name+" does not exist in the database; synchronize it first"), err)
		}
		if strings.Contains(db.Error(), "no column named") || strings.Contains(db.Error(), "no such column") {
			return withCause(plainError("A column of "+r.table.Name+" does not exist in the database; synchronize it first"), err)
		}
	}
	return err
}

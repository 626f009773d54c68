package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// columnDefaults makes up for what a request for a column may leave out here
// although the real server wants it: the element is found by the column's
// name, or created.
func columnDefaults(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if s.ERP.Options.Strict || r.Has("AD_Element_ID") {
		if id := r.Row.Int("AD_Element_ID"); id != 0 && !s.ERP.Options.Strict && !r.Has("ColumnName") {
			element, err := OneRow(ctx, tx, "AD_Element", id)
			if err != nil {
				return err
			}
			r.Set("ColumnName", element["ColumnName"])
		}
		return nil
	}
	name := strings.TrimSpace(r.Row.String("ColumnName"))
	if name == "" || checkIdentifier("ColumnName", name) != nil {
		return nil // said by the checks on saving
	}
	id, err := s.ElementFor(ctx, tx, name, r.Row)
	if err != nil {
		return err
	}
	r.Set("AD_Element_ID", id)
	return nil
}

// ElementFor is the element of a column name. It makes a missing one from the
// other values.
func (s *Session) ElementFor(ctx context.Context, tx *store.Tx, name string, values store.Row) (int64, error) {
	elements, err := tx.Table(ctx, "AD_Element")
	if err != nil {
		return 0, err
	}
	found, err := tx.One(ctx, elements, "ColumnName=? COLLATE NOCASE", name)
	if err == nil {
		return found.Int("AD_Element_ID"), nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	label := cmp.Or(values.String("Name"), name)
	row := store.Row{"ColumnName": name, "Name": label, "PrintName": label, "AD_Client_ID": int64(0), "AD_Org_ID": int64(0)}
	for _, column := range []string{"Description", "Help", "EntityType"} {
		if v, ok := values[column]; ok {
			row[column] = v
		}
	}
	element, err := s.InsertRow(ctx, tx, "AD_Element", row)
	if err != nil {
		return 0, fmt.Errorf("making the element %s: %w", name, err)
	}
	return element.ID(), nil
}

// StandardColumns are in every table, and treated alike in a few rules.
var StandardColumns = map[string]bool{
	"AD_CLIENT_ID": true, "AD_ORG_ID": true, "ISACTIVE": true, "CREATED": true, "CREATEDBY": true,
	"UPDATED": true, "UPDATEDBY": true, "PROCESSING": true,
}

// beforeColumn runs the rules for an AD_Column record in the ERP's order.
func beforeColumn(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	t, err := OneRow(ctx, tx, "AD_Table", r.Row.Int("AD_Table_ID"))
	if err != nil {
		return err
	}
	steps := []func() error{
		func() error { return checkColumnNames(r) },
		func() error { return checkColumnLength(r) },
		func() error { return checkColumnType(r) },
		func() error { return checkIdentifierSequence(ctx, tx, r) },
		func() error { return applyColumnFlags(r, t) },
		func() error { return takeFromElement(ctx, tx, r) },
		func() error { return applyCopyAndPattern(r, t) },
		func() error { return checkOneKey(ctx, tx, r) },
		func() error { return fillSelectionSequence(ctx, tx, r) },
		func() error { return checkLogic(r, "ReadOnlyLogic") },
		func() error { return growTranslation(ctx, tx, r, t) },
		func() error { return applyTypeRules(ctx, tx, r, t) },
		func() error { return checkUniqueColumn(ctx, tx, r) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// A column as its rules see it.
func columnRef(r *Record) int           { return int(r.Row.Int("AD_Reference_ID")) }
func columnVirtual(r *Record) bool      { return r.Row.String("ColumnSQL") != "" }
func columnUpper(r *Record) string      { return strings.ToUpper(r.Row.String("ColumnName")) }
func isOwnUUID(r, table store.Row) bool { return ownUUIDName(table, r.String("ColumnName")) }

// ownUUIDName reports whether a column is the UUID column of its table.
func ownUUIDName(table store.Row, column string) bool {
	return strings.EqualFold(column, table.String("TableName")+"_UU")
}

// columnType is empty for a display type that there is not.
func columnType(ref int) displaytype.Type {
	t, _ := displaytype.Of(ref)
	return t
}

func isUUIDRef(ref int) bool { return columnType(ref).Storage == displaytype.StoreUUID }
func isDateRef(ref int) bool { return columnType(ref).Java == "Timestamp" }

func isIDRef(ref int) bool {
	t := columnType(ref)
	return t.Java == "Integer" && t.Storage != displaytype.StoreInteger
}

func isNumericRef(ref int) bool {
	t := columnType(ref)
	return t.Storage == displaytype.StoreInteger || t.Storage == displaytype.StoreDecimal
}

func isLookupRef(ref int) bool {
	t := columnType(ref)
	return t.Picked == displaytype.FromList || t.Picked == displaytype.FromTable
}

// isLargeRef reports whether columns of a type have no length.
func isLargeRef(ref int) bool {
	switch columnType(ref).Storage {
	case displaytype.StoreBinary, displaytype.StoreLongText, displaytype.StoreJSON:
		return true
	}
	return false
}

func checkColumnNames(r *Record) error {
	if err := checkIdentifier("ColumnName", r.Row.String("ColumnName")); err != nil {
		return err
	}
	if name := r.Row.String("FKConstraintName"); name != "" {
		return checkIdentifier("FKConstraintName", name)
	}
	return nil
}

func checkColumnLength(r *Record) error {
	ref, length := columnRef(r), r.Row.Int("FieldLength")
	switch {
	case isLargeRef(ref):
		r.Set("FieldLength", int64(0))
	case length != 0 || ref == displaytype.Text:
	case isIDRef(ref):
		r.Set("FieldLength", int64(10))
	case isNumericRef(ref):
		r.Set("FieldLength", int64(14))
	case isDateRef(ref):
		r.Set("FieldLength", int64(7))
	default:
		return PublicError(MsgFillMandatory + "Length")
	}
	return nil
}

func checkColumnType(r *Record) error {
	ref := columnRef(r)
	if (ref == displaytype.Table || ref == displaytype.TableUU) && !r.Has("AD_Reference_Value_ID") {
		return PublicError(MsgFillMandatory + "Reference Key")
	}
	if ref != displaytype.Button {
		r.Set("IsToolbarButton", "N")
	}
	if columnVirtual(r) {
		return nil
	}
	low, ok1 := ParseRat(r.Row.String("ValueMin"))
	high, ok2 := ParseRat(r.Row.String("ValueMax"))
	if ok1 && ok2 && high.Cmp(low) < 0 {
		return PublicError("Maximum value must be greater than or equal to minimum value.: Max. Value")
	}
	return nil
}

func checkIdentifierSequence(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Row.Bool("IsIdentifier") || !r.Has("SeqNo") {
		return nil
	}
	n, err := tx.Count(ctx, r.Table, "AD_Table_ID=? AND AD_Column_ID<>? AND IsIdentifier='Y' AND SeqNo=?",
		r.Row.Int("AD_Table_ID"), r.ID(), r.Row.Int("SeqNo"))
	if err != nil {
		return err
	}
	if n > 0 {
		return PublicError("Record already exists: Sequence")
	}
	return nil
}

func applyColumnFlags(r *Record, table store.Row) error {
	if columnVirtual(r) {
		r.Set("IsMandatory", "N")
		r.Set("IsUpdateable", "N")
		if strings.HasPrefix(r.Row.String("ColumnSQL"), "@SQL") {
			r.Set("IsIdentifier", "N")
		}
	}
	if r.Row.Bool("IsParent") || r.Row.Bool("IsKey") {
		r.Set("IsUpdateable", "N")
	}
	if r.Row.Bool("IsAlwaysUpdateable") && !r.Row.Bool("IsUpdateable") {
		r.Set("IsAlwaysUpdateable", "N")
	}
	if r.Row.Bool("IsEncrypted") && !mayEncrypt(r, table) {
		r.Set("IsEncrypted", "N")
	}
	return nil
}

func mayEncrypt(r *Record, table store.Row) bool {
	name, ref := columnUpper(r), columnRef(r)
	switch name {
	case "DOCUMENTNO", "VALUE", "NAME":
		return false
	}
	return !(r.Row.Bool("IsKey") || r.Row.Bool("IsParent") || StandardColumns[name] || columnVirtual(r) ||
		r.Row.Bool("IsIdentifier") || r.Row.Bool("IsTranslated") || isOwnUUID(r.Row, table) || isUUIDRef(ref) ||
		isLookupRef(ref) || isLargeRef(ref))
}

// takeFromElement copies the element's terms into a new column, or one whose
// element changed.
func takeFromElement(ctx context.Context, tx *store.Tx, r *Record) error {
	id := r.Row.Int("AD_Element_ID")
	if id == 0 || !r.IsNew() && !r.changed("AD_Element_ID") {
		return nil
	}
	element, err := OneRow(ctx, tx, "AD_Element", id)
	if err != nil || element == nil {
		return err
	}
	r.take(element, "ColumnName", "Name", "Description", "Help", "Placeholder")
	return nil
}

func applyCopyAndPattern(r *Record, table store.Row) error {
	if r.Row.Bool("IsAllowCopy") && (r.Row.Bool("IsKey") || columnVirtual(r) || isOwnUUID(r.Row, table) || StandardColumns[columnUpper(r)]) {
		r.Set("IsAllowCopy", "N")
	}
	if pattern := r.Row.String("FormatPattern"); pattern != "" {
		switch ref := columnRef(r); {
		case isNumericRef(ref):
			if !validNumberPattern(pattern) {
				return PublicError("Could not save the record: Invalid number format: " + JSONOf(pattern))
			}
		case isDateRef(ref):
			if !validDatePattern(pattern) {
				return PublicError("Could not save the record: Invalid date pattern: " + JSONOf(pattern))
			}
		default:
			r.Set("FormatPattern", nil)
		}
	}
	if r.Row.Bool("IsSecure") && r.Row.Bool("IsAllowLogging") {
		r.Set("IsAllowLogging", "N")
	}
	return nil
}

func checkOneKey(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Row.Bool("IsKey") || !r.Row.Bool("IsActive") {
		return nil
	}
	n, err := tx.Count(ctx, r.Table, "AD_Table_ID=? AND AD_Column_ID<>? AND IsKey='Y' AND IsActive='Y'",
		r.Row.Int("AD_Table_ID"), r.ID())
	if err != nil {
		return err
	}
	if n > 0 {
		return saveError("The table has already a key column, there can be just one key.")
	}
	return nil
}

func fillSelectionSequence(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Row.Bool("IsSelectionColumn") || r.Row.Int("SeqNoSelection") > 0 {
		return nil
	}
	return nextTen(ctx, tx, r, "SeqNoSelection", "IsSelectionColumn='Y'")
}

// nextTen sets a sequence number to the next multiple of ten in the table.
func nextTen(ctx context.Context, tx *store.Tx, r *Record, column, condition string) error {
	if _, ok := r.Table.Column(column); !ok {
		return nil
	}
	var highest int64
	err := tx.QueryRow(ctx, "SELECT COALESCE(MAX("+sqlquote.Name(column)+"),0) FROM AD_Column WHERE AD_Table_ID=? AND "+condition,
		r.Row.Int("AD_Table_ID")).Scan(&highest)
	if err != nil {
		return err
	}
	r.Set(column, (highest/10+1)*10)
	return nil
}

// growTranslation makes a column of a translation table as long as the one it
// translates.
func growTranslation(ctx context.Context, tx *store.Tx, r *Record, table store.Row) error {
	base, ok := strings.CutSuffix(strings.ToUpper(table.String("TableName")), "_TRL")
	if !ok {
		return nil
	}
	t, err := NamedTable(ctx, tx, base)
	if err != nil || t == nil {
		return err
	}
	if col, ok := t.Column(r.Row.String("ColumnName")); ok && col.Translated && int64(col.Length) > r.Row.Int("FieldLength") {
		r.Set("FieldLength", int64(col.Length))
	}
	return nil
}

func applyTypeRules(ctx context.Context, tx *store.Tx, r *Record, table store.Row) error {
	ref := columnRef(r)
	if ref != displaytype.Button {
		r.Set("AD_InfoWindow_ID", nil)
	}
	if isUUIDRef(ref) {
		r.Set("FieldLength", int64(36))
		if !strings.HasSuffix(r.Row.String("ColumnName"), "_UU") {
			return saveError("UUID Columns must end with suffix _UU")
		}
	}
	if ref == displaytype.YesNo {
		r.Set("IsMandatory", "Y")
		if !r.Has("DefaultValue") {
			value := "N"
			if columnUpper(r) == "ISACTIVE" {
				value = "Y"
			}
			r.Set("DefaultValue", value)
		}
	}
	if r.Row.Bool("IsPartitionKey") && r.Row.Int("SeqNoPartition") == 0 {
		if err := nextTen(ctx, tx, r, "SeqNoPartition", "IsPartitionKey='Y' AND IsActive='Y'"); err != nil {
			return err
		}
	}
	if ref == displaytype.Payment {
		r.Set("AD_Reference_Value_ID", int64(195))
	}
	if isOwnUUID(r.Row, table) && ref != displaytype.UUID {
		r.Set("AD_Reference_ID", int64(displaytype.UUID))
		r.Set("FieldLength", int64(36))
	}
	return nil
}

func checkUniqueColumn(ctx context.Context, tx *store.Tx, r *Record) error {
	return checkUnique(ctx, tx, r, "AD_Table_ID", "ColumnName")
}

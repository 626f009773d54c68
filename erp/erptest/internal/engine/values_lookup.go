package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// zeroIDTables really have a record with id 0; elsewhere 0 clears a reference.
var zeroIDTables = []string{
	"AD_Org", "AD_OrgInfo", "AD_Client", "AD_ClientInfo", "AD_Role", "AD_System", "AD_ReportView", "C_DocType",
	"GL_Category", "M_AttributeSet", "M_AttributeSetInstance", "AD_AllClients_V", "AD_AllUsers_V", "AD_AllRoles_V",
}

func isZeroIDTable(name string) bool {
	return slices.ContainsFunc(zeroIDTables, func(t string) bool { return strings.EqualFold(t, name) })
}

// convertLookup reads a reference to a record, or a value of a list, in any of
// the forms the API accepts: the key itself, or an object with id, identifier,
// uid, or lookupColumn and lookupValue, whichever leads somewhere first.
func (s *Session) convertLookup(ctx context.Context, tx *store.Tx, f Field, v any) (any, error) {
	isID := f.Kind == store.KindInteger
	switch v := v.(type) {
	case []any:
		if f.ref == displaytype.ChosenMultipleSelectionList {
			return s.convertSelections(ctx, tx, f, v)
		}
	case nil:
		if isID && !isList(f.ref) || f.Kind == store.KindUUID {
			return nil, couldNot(nil, f.target)
		}
		return nil, nil
	case *wire.Object:
		found, err := s.findReference(ctx, tx, f, v)
		if err != nil {
			return nil, err
		}
		if found == nil {
			return nil, couldNot(v, f.target)
		}
		return s.keyValue(f, found)
	case json.Number, string:
		return s.keyValue(f, v)
	case bool:
		return s.keyValue(f, strconv.FormatBool(v))
	}
	return nil, couldNot(v, f.target)
}

func isList(ref int) bool {
	switch ref {
	case displaytype.List, displaytype.RadioGroupList, displaytype.Payment, displaytype.ChosenMultipleSelectionList:
		return true
	}
	return false
}

// keyValue makes a stored key of the number or text a reference was given as. Text
// that is not a number is left to the column to refuse.
func (s *Session) keyValue(f Field, v any) (any, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case json.Number:
		n, ok := wrapped(string(v))
		switch {
		case !ok:
			return nil, couldNot(v, f.target)
		case f.Kind != store.KindInteger:
			return unlisted(FormatID(n)), nil
		case n < 0, n == 0 && !isZeroIDTable(f.target):
			return nil, nil
		}
		return n, nil
	case string:
		if f.Kind != store.KindInteger {
			return text(f, v)
		}
		n, err := strconv.ParseInt(v, 10, 32)
		switch {
		case err != nil:
			return v, nil
		case n == 0 && !isZeroIDTable(f.target):
			return nil, nil
		}
		return n, nil
	}
	return nil, couldNot(v, f.target)
}

// findReference is the key an object leads to, nil when it leads nowhere.
func (s *Session) findReference(ctx context.Context, tx *store.Tx, f Field, o *wire.Object) (any, error) {
	if id, ok := o.Get("id"); ok {
		switch id.(type) {
		case string, json.Number:
			return id, nil
		}
		return nil, couldNot(o, f.target)
	}
	if f.target == "" {
		return nil, nil
	}
	t, err := tx.Table(ctx, f.target)
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if identifier, _ := o.Get("identifier"); identifier != nil {
		found, err := s.findByIdentifier(ctx, tx, f, t, identifier)
		if err != nil || found != nil {
			return found, err
		}
	}
	if uid, _ := o.Get("uid"); uid != nil {
		found, err := findByUID(ctx, tx, f, t, uid)
		if err != nil || found != nil {
			return found, err
		}
	}
	name, ok := o.Get("lookupColumn")
	if !ok {
		return nil, nil
	}
	columnName, _ := name.(string)
	col, ok := t.Column(columnName)
	if !ok {
		return nil, PublicError("Column not found -> " + t.Name + "." + JSONOf(name))
	}
	value, _ := o.Get("lookupValue")
	return s.findOnly(ctx, tx, f, t, col, value)
}

func (s *Session) findByIdentifier(ctx context.Context, tx *store.Tx, f Field, t *store.Table, identifier any) (any, error) {
	if ids := t.Identifiers(); len(ids) > 0 {
		found, err := s.findOnly(ctx, tx, f, t, ids[0], identifier)
		if err != nil || found != nil {
			return found, err
		}
	}
	if f.refValue == 0 {
		return nil, nil
	}
	ref, err := tx.Reference(ctx, f.refValue)
	if err != nil || ref.Table == nil {
		return nil, nil //nolint:nilerr // a reference that is not there displays nothing
	}
	display, ok := t.Column(ref.Table.Display)
	if !ok {
		return nil, nil
	}
	return s.findOnly(ctx, tx, f, t, display, identifier)
}

func findByUID(ctx context.Context, tx *store.Tx, f Field, t *store.Table, uid any) (any, error) {
	s, ok := uid.(string)
	uu := t.UUColumn()
	if !ok || uu == nil {
		return nil, nil
	}
	rows, err := tx.Select(ctx, t, store.Selection{Columns: keyColumns(f, t), Where: store.Expr(t, uu) + "=?", Args: []any{s}, Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return KeyOf(f, t, rows[0]), nil
}

// findOnly is the key of the one record, of those the session may read, whose
// column holds the value; nil when there is none.
func (s *Session) findOnly(ctx context.Context, tx *store.Tx, f Field, t *store.Table, col *store.Column, value any) (any, error) {
	wanted, err := searchValue(col, value)
	if err != nil {
		return nil, err
	}
	if wanted == nil {
		return nil, nil
	}
	where, args := store.Expr(t, col)+"=?", []any{wanted}
	access, accessArgs, err := s.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if access != "" {
		where, args = where+" AND ("+access+")", append(args, accessArgs...)
	}
	rows, err := tx.Select(ctx, t, store.Selection{Columns: keyColumns(f, t), Where: where, Args: args, Limit: 2})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if len(rows) > 1 {
		return nil, PublicError("More than one ID found for " + t.Name + "." + col.Name + " = " + JSONOf(value))
	}
	return KeyOf(f, t, rows[0]), nil
}

// searchValue is the value to compare a column with.
func searchValue(col *store.Column, value any) (any, error) {
	f := Field{Name: col.Name, ref: col.Ref, Kind: col.Kind()}
	switch f.Kind {
	case store.KindInteger:
		return Integer(f, value)
	case store.KindDecimal:
		return decimal(f, value)
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return moment(f, value, time.UTC)
	case store.KindBool:
		return YesNo(value), nil
	case store.KindBytes:
		return nil, nil
	}
	return text(f, value)
}

// keyColumns are the columns of the target a reference may hold.
func keyColumns(f Field, t *store.Table) []*store.Column {
	var out []*store.Column
	if f.Kind == store.KindUUID {
		if uu := t.UUColumn(); uu != nil {
			out = append(out, uu)
		}
		return out
	}
	if named, ok := t.Column(f.Name); ok && f.Kind == store.KindText { // AD_Language, EntityType
		return append(out, named)
	}
	if key := t.KeyColumn(); key != nil {
		out = append(out, key)
	}
	return out
}

// KeyOf is the key a reference to the row holds. References by text, such as
// EntityType, hold the column of their own name.
func KeyOf(f Field, t *store.Table, row store.Row) any {
	for _, col := range keyColumns(f, t) {
		if v, ok := row[col.Name]; ok {
			return v
		}
	}
	return nil
}

// convertSelections reads the comma-separated keys of a multiple selection.
func (s *Session) convertSelections(ctx context.Context, tx *store.Tx, f Field, v any) (any, error) {
	var list []any
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return text(f, v)
	case json.Number:
		return string(v), nil
	case []any:
		list = v
	case *wire.Object:
		chosen, _ := v.Get("selections")
		var ok bool
		if list, ok = chosen.([]any); !ok {
			return nil, couldNot(v, f.target)
		}
	default:
		return nil, couldNot(v, f.target)
	}
	keys := make([]string, 0, len(list))
	for _, item := range list {
		switch item := item.(type) {
		case json.Number:
			keys = append(keys, string(item))
		case string:
			keys = append(keys, item)
		case *wire.Object:
			single := f
			single.Kind = store.KindInteger
			found, err := s.findReference(ctx, tx, single, item)
			if err != nil {
				return nil, err
			}
			switch found := found.(type) {
			case int64:
				keys = append(keys, strconv.FormatInt(found, 10))
			case json.Number:
				keys = append(keys, string(found))
			case string:
				keys = append(keys, found)
			default:
				return nil, couldNot(v, f.target)
			}
		default:
			return nil, couldNot(v, f.target)
		}
	}
	return text(f, strings.Join(keys, ","))
}

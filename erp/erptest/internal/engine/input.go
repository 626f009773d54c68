package engine

import (
	"context"
	"errors"
	"maps"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// MayWrite refuses what the role may not write. recordID 0 is a new record.
func (s *Session) MayWrite(r *Record, recordID int64) error {
	err := s.MayUpdate(r.Table, r.Row.Int("AD_Client_ID"), r.Row.Int("AD_Org_ID"), recordID)
	var denied *AccessDenied
	if errors.As(err, &denied) {
		return Refuse(Denied, "Update error", "Role does not have access")
	}
	return err
}

// ReadNew makes a record of a request. What the table's program sets comes first;
// then every column, in the dictionary's order, gets the request's value or its
// default. preset values, a child's key of its parent, win over the request.
func (s *Session) ReadNew(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object, preset store.Row) (*Record, error) {
	if err := s.checkMembers(ctx, tx, t, body); err != nil {
		return nil, err
	}
	r := &Record{Table: t, Row: store.Row{}, Body: body}
	if err := s.construct(ctx, tx, r); err != nil {
		return nil, err
	}
	given, err := s.givenValues(ctx, tx, t, body)
	if err != nil {
		return nil, err
	}
	vars := Variables{Session: s, Record: r, Given: given, login: &loginContext{s: s}}
	for _, col := range t.Columns {
		v, ok := Member(body, col.Name)
		if !ok {
			if err := s.setDefault(ctx, tx, vars, col); err != nil {
				return nil, err
			}
			continue
		}
		if err := s.setMember(ctx, tx, r, col, v); err != nil {
			return nil, err
		}
	}
	r.SetAll(preset)
	if rules := rulesOf(t); rules.defaults != nil {
		return r, rules.defaults(ctx, s, tx, r)
	}
	return r, nil
}

// readPlain makes a record of what a request gives and the table's program sets,
// without defaults of the dictionary.
func (s *Session) readPlain(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) (*Record, error) {
	if err := s.checkMembers(ctx, tx, t, body); err != nil {
		return nil, err
	}
	r := &Record{Table: t, Row: store.Row{}, Body: body}
	if err := s.construct(ctx, tx, r); err != nil {
		return nil, err
	}
	return r, s.setMembers(ctx, tx, r)
}

// givenValues are the scalar members of a body, for the variables in defaults.
func (s *Session) givenValues(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) (store.Row, error) {
	given := store.Row{}
	for _, col := range t.Columns {
		v, ok := Member(body, col.Name)
		if _, object := v.(*wire.Object); !ok || object || v == nil || IsArray(v) {
			continue
		}
		stored, err := s.memberValue(ctx, tx, col, v)
		if err != nil {
			return nil, err
		}
		if number, ok := stored.(unlisted); ok {
			stored = string(number)
		}
		if stored != nil {
			given[col.Name] = stored
		}
	}
	return given, nil
}

// setMember assigns a member of a request to its column, if it changes anything
// and the request may change it.
func (s *Session) setMember(ctx context.Context, tx *store.Tx, r *Record, col *store.Column, v any) error {
	stored, err := s.memberValue(ctx, tx, col, v)
	if err != nil {
		return err
	}
	if stored == nil && isEmptyText(col, v) {
		stored = ""
	}
	was, had := r.Row[col.Name]
	if !had && stored == nil || had && stored != nil && SameValue(was, stored) && col.Kind() != store.KindBool {
		return nil // but flags always count as changed, as in the ERP
	}
	if ok, err := s.Writable(ctx, tx, r, col); err != nil || !ok {
		return err
	}
	return s.assign(ctx, tx, r, col, stored)
}

// isEmptyText reports whether a value is the empty text for a column that keeps
// texts. It is a value as others until the record is written.
func isEmptyText(col *store.Column, v any) bool {
	k := col.Kind()
	return v == "" && (k == store.KindText || k == store.KindUUID)
}

// checkMembers checks the names in a body, unless that is deactivated.
func (s *Session) checkMembers(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) error {
	if s.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_EXISTING_COLUMN", "Y") == "N" {
		return nil
	}
	return checkNames(t, body)
}

// Writable reports whether a request may give the column that value; depending
// on the configuration a refusal is an error or the value is passed over.
func (s *Session) Writable(ctx context.Context, tx *store.Tx, r *Record, col *store.Column) (bool, error) {
	refusal, final := "", !r.IsNew() && !col.AlwaysUpdateable
	switch {
	case !r.IsNew() && !col.Updateable:
		refusal = "Cannot update column " + col.Name
	case col.IsVirtual():
		refusal = "Cannot update virtual column " + col.Name
	case (col.Secure || col.Encrypted) && s.Sysconfig(ctx, tx, "REST_ALLOW_UPDATE_SECURE_COLUMN", "Y") == "N":
		refusal = "Cannot update secure/encrypted column " + col.Name
	case !s.Role.CanWriteColumn(r.Table, col):
		refusal = "No access to update column " + col.Name
	case final && r.Old.Bool("Processed"):
		refusal = "Cannot update " + col.Name + " on processed record"
	case final && r.Old.Bool("Posted"):
		refusal = "Cannot update " + col.Name + " on posted record"
	default:
		return true, nil
	}
	if s.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_UPDATABLE_COLUMN", "Y") == "N" {
		return false, nil
	}
	return false, Invalidf("%s", refusal)
}

// ReadChange applies the members of a body to a stored row. Members that
// change nothing are passed over before anything is said against them.
func (s *Session) ReadChange(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row, body *wire.Object) (*Record, error) {
	if err := s.checkMembers(ctx, tx, t, body); err != nil {
		return nil, err
	}
	r := &Record{Table: t, Old: row, Row: maps.Clone(row), Body: body}
	return r, s.setMembers(ctx, tx, r)
}

// setMembers assigns all members of the record's body.
func (s *Session) setMembers(ctx context.Context, tx *store.Tx, r *Record) error {
	for _, col := range r.Table.Columns {
		if v, ok := Member(r.Body, col.Name); ok {
			if err := s.setMember(ctx, tx, r, col, v); err != nil {
				return err
			}
		}
	}
	return nil
}

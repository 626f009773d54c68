package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"

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

// placeholder is how a batch refers to a table it made: @XX_Demo_ID@.
var placeholder = regexp.MustCompile(`^@(\w+)_ID@$`)

// ReadNew makes a record of a request. preset values, a child's key of its
// parent, win over the request.
func (s *Session) ReadNew(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object, preset store.Row) (*Record, error) {
	if err := s.checkMembers(ctx, tx, t, body); err != nil {
		return nil, err
	}
	r := &Record{Table: t, Row: store.Row{}, Body: body}
	if _, ok := Member(body, "AD_Client_ID"); !ok {
		r.Set("AD_Client_ID", s.ClientID)
	}
	for _, col := range t.Columns {
		v, ok := Member(body, col.Name)
		if !ok {
			continue
		}
		v, err := s.resolvePlaceholder(ctx, tx, col, v)
		if err != nil {
			return nil, err
		}
		stored, err := s.ToStored(ctx, tx, col, v)
		if err != nil {
			return nil, err
		}
		if stored == nil {
			continue
		}
		if ok, err := s.Writable(ctx, tx, r, col); err != nil {
			return nil, err
		} else if ok {
			r.Set(col.Name, stored)
		}
	}
	for name, v := range preset {
		r.Set(name, v)
	}
	return r, s.FillDefaults(ctx, tx, r, body)
}

// resolvePlaceholder replaces @<TableName>_ID@ in AD_Column.AD_Table_ID by the
// id of that table, which the real server does not do.
func (s *Session) resolvePlaceholder(ctx context.Context, tx *store.Tx, col *store.Column, v any) (any, error) {
	text, ok := v.(string)
	if !ok || s.ERP.Options.Strict || col.Name != "AD_Table_ID" {
		return v, nil
	}
	m := placeholder.FindStringSubmatch(text)
	if m == nil {
		return v, nil
	}
	t, err := tx.Table(ctx, m[1])
	if errors.Is(err, store.ErrNoTable) {
		return nil, Invalidf("Foreign ID %s not found in %s", text, col.Name)
	}
	if err != nil {
		return nil, err
	}
	return numberOf(t.ID), nil
}

// checkMembers checks the names in a body, unless that is deactivated.
func (s *Session) checkMembers(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) error {
	if s.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_EXISTING_COLUMN", "Y") == "N" {
		return nil
	}
	return checkNames(t, body)
}

// Writable tells whether a request may give the column that value; depending
// on the configuration a refusal is an error or the value is passed over.
func (s *Session) Writable(ctx context.Context, tx *store.Tx, r *Record, col *store.Column) (bool, error) {
	refusal := ""
	switch {
	case !r.IsNew() && !col.Updateable:
		refusal = "Cannot update column " + col.Name
	case col.IsVirtual():
		refusal = "Cannot update virtual column " + col.Name
	case (col.Secure || col.Encrypted) && s.Sysconfig(ctx, tx, "REST_ALLOW_UPDATE_SECURE_COLUMN", "Y") == "N":
		refusal = "Cannot update secure/encrypted column " + col.Name
	}
	if refusal == "" {
		switch {
		case !s.Role.CanWriteColumn(r.Table, col):
			refusal = "No access to update column " + col.Name
		case !r.IsNew() && !col.AlwaysUpdateable && r.Old.Bool("Processed"):
			refusal = "Cannot update " + col.Name + " on processed record"
		case !r.IsNew() && !col.AlwaysUpdateable && r.Old.Bool("Posted"):
			refusal = "Cannot update " + col.Name + " on posted record"
		}
	}
	if refusal == "" {
		return true, nil
	}
	if s.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_UPDATABLE_COLUMN", "Y") == "N" {
		return false, nil
	}
	return false, Invalidf("%s", refusal)
}

// numberOf is an id as a JSON number.
func numberOf(id int64) json.Number { return json.Number(FormatID(id)) }

// ReadChange applies the members of a body to a stored row. Members that
// change nothing are passed over before anything is said against them.
func (s *Session) ReadChange(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row, body *wire.Object) (*Record, error) {
	if err := s.checkMembers(ctx, tx, t, body); err != nil {
		return nil, err
	}
	r := &Record{Table: t, Old: row, Row: maps.Clone(row), Body: body}
	for _, col := range t.Columns {
		v, ok := Member(body, col.Name)
		if !ok {
			continue
		}
		stored, err := s.ToStored(ctx, tx, col, v)
		if err != nil {
			return nil, err
		}
		was, had := row[col.Name]
		if !had && stored == nil || had && stored != nil && SameValue(was, stored) {
			continue
		}
		if ok, err := s.Writable(ctx, tx, r, col); err != nil {
			return nil, err
		} else if ok {
			r.Set(col.Name, stored)
		}
	}
	return r, nil
}

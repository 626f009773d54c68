package engine

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// logged reports whether changes of the table go to AD_ChangeLog.
func (s *Session) logged(ctx context.Context, tx *store.Tx, t *store.Table) (*store.Table, bool, error) {
	if !t.IsChangeLog || t.Name == "AD_ChangeLog" || s.SessionID == 0 {
		return nil, false, nil
	}
	log, err := NamedTable(ctx, tx, "AD_ChangeLog")
	return log, log != nil, err
}

// logChange records a saved change: of a new record its key only, else every
// changed column with its value before and after.
func (s *Session) logChange(ctx context.Context, tx *store.Tx, r *Record) error {
	log, ok, err := s.logged(ctx, tx, r.Table)
	if err != nil || !ok {
		return err
	}
	if r.IsNew() {
		for _, key := range []*store.Column{r.Table.KeyColumn(), r.Table.UUColumn()} {
			if key != nil {
				return s.writeLog(ctx, tx, log, r, key, "I", nil, r.Row[key.Name])
			}
		}
		return nil
	}
	for _, col := range r.Table.Columns {
		switch {
		case col.IsVirtual(), col.Encrypted, col.Secure, !r.changed(col.Name), col.Kind() == store.KindBytes,
			col.Name == "Updated", col.Name == "UpdatedBy":
			continue
		}
		if err := s.writeLog(ctx, tx, log, r, col, "U", r.Old[col.Name], r.Row[col.Name]); err != nil {
			return err
		}
	}
	return nil
}

// logDelete records the values a deleted record had.
func (s *Session) logDelete(ctx context.Context, tx *store.Tx, r *Record) error {
	log, ok, err := s.logged(ctx, tx, r.Table)
	if err != nil || !ok {
		return err
	}
	for _, col := range r.Table.Columns {
		v, has := r.Old[col.Name]
		if !has || col.IsVirtual() || col.Encrypted || col.Secure || col.Kind() == store.KindBytes {
			continue
		}
		if err := s.writeLog(ctx, tx, log, r, col, "D", v, nil); err != nil {
			return err
		}
	}
	return nil
}

// maxLogged is how much of a value the log holds.
const maxLogged = 2000

func (s *Session) writeLog(ctx context.Context, tx *store.Tx, log *store.Table, r *Record, col *store.Column, event string, was, is any) error {
	id, err := tx.NextID(ctx, log.Name)
	if err != nil {
		return err
	}
	now := s.StoredNow()
	values := store.Row{
		"AD_ChangeLog_ID": id, "AD_ChangeLog_UU": store.NewUUID(), "AD_Client_ID": r.Row.Int("AD_Client_ID"),
		"AD_Org_ID": r.Row.Int("AD_Org_ID"), "IsActive": "Y", "Created": now, "CreatedBy": s.UserID,
		"Updated": now, "UpdatedBy": s.UserID, "AD_Session_ID": s.SessionID, "AD_Table_ID": r.Table.ID,
		"AD_Column_ID": col.ID, "Record_ID": r.ID(), "Record_UU": r.UUID(), "EventChangeLog": event,
		"IsCustomization": "N", "OldValue": logText(was), "NewValue": logText(is),
		"ExternalTraceId": s.TraceID,
	}
	row := store.Row{}
	for name, v := range values {
		if _, ok := log.Column(name); ok && v != "" {
			row[name] = v
		}
	}
	return tx.Insert(ctx, log, row)
}

// logText is a value in the change log, which writes NULL as a word.
func logText(v any) string {
	if v == nil {
		return "NULL"
	}
	s := store.Row{"": v}.String("")
	if runes := []rune(s); len(runes) > maxLogged {
		s = string(runes[:maxLogged])
	}
	return s
}

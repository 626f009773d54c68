package engine

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// ParseRat reads a decimal number as columns keep it.
func ParseRat(s string) (*big.Rat, bool) {
	plain, ok := PlainDecimal(strings.TrimSpace(s))
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(plain)
}

// complete fills in what every record gets on saving: stamps, its id and
// UUID, search key and document number, and the organization its table's
// access level allows.
func (s *Session) complete(ctx context.Context, tx *store.Tx, r *Record) error {
	now := s.StoredNow()
	stamp := func(column string, v any) {
		if !r.IsNew() || !r.named(column) {
			r.Set(column, v)
		}
	}
	stamp("Updated", now)
	stamp("UpdatedBy", s.UserID)
	if err := s.organization(ctx, tx, r); err != nil {
		return err
	}
	if uu := r.Table.UUColumn(); uu != nil && !r.Has(uu.Name) && (uu.Length == 0 || uu.Length >= 36) {
		r.Set(uu.Name, store.NewUUID())
	}
	if !r.IsNew() {
		return nil
	}
	stamp("Created", now)
	stamp("CreatedBy", s.UserID)
	// Ids of the ERP's own range may be given, as its scripts do; others come
	// from the sequence.
	if key := r.Table.KeyColumn(); key != nil && (r.Row.Int(key.Name) <= 0 || r.Row.Int(key.Name) >= store.FirstCustomID) {
		id, err := tx.NextID(ctx, r.Table.Name)
		if err != nil {
			return err
		}
		r.Set(key.Name, id)
	}
	return s.number(ctx, tx, r)
}

// number gives a new record its DocumentNo and Value, unless it has them.
func (s *Session) number(ctx context.Context, tx *store.Tx, r *Record) error {
	for _, name := range []string{"DocumentNo", "Value"} {
		col, ok := r.Table.Column(name)
		if !ok || col.IsVirtual() || col.Kind() != store.KindText {
			continue
		}
		if given := r.Row.String(col.Name); given != "" && !(strings.HasPrefix(given, "<") && strings.HasSuffix(given, ">")) {
			continue
		}
		number, err := s.nextDocumentNo(ctx, tx, r, name == "DocumentNo")
		if err != nil {
			return err
		}
		r.Set(col.Name, number)
	}
	return nil
}

// organization makes a record one of all organizations, or refuses that, as its
// table's access level and the tenant's sharing of the table say.
func (s *Session) organization(ctx context.Context, tx *store.Tx, r *Record) error {
	col, ok := r.Table.Column("AD_Org_ID")
	if !ok || strings.EqualFold(r.Table.Name, "AD_Org") && r.IsNew() {
		return nil
	}
	shared, err := FirstRow(ctx, tx, "AD_ClientShare", "", "AD_Client_ID=? AND AD_Table_ID=? AND IsActive='Y' AND ShareType<>'x'",
		r.Row.Int("AD_Client_ID"), r.Table.ID)
	if err != nil {
		return err
	}
	level, share := r.Table.AccessLevel, shared.String("ShareType")
	if r.Row.Int("AD_Org_ID") == 0 {
		if level == "1" || level == "3" && share == "O" {
			return PublicError(MsgFillMandatory + col.Label)
		}
		return nil
	}
	if level == "4" || share == "C" && level != "1" {
		r.Set("AD_Org_ID", int64(0))
	}
	return nil
}

// firstDocumentNo is where the numbers of a new document sequence begin.
const firstDocumentNo = 1_000_000

// nextDocumentNo takes the next number of the sequence of the record's
// document type, if it has one, else of its table within the tenant.
func (s *Session) nextDocumentNo(ctx context.Context, tx *store.Tx, r *Record, document bool) (string, error) {
	sequences, err := tx.Table(ctx, "AD_Sequence")
	if err != nil {
		return "", err
	}
	if document {
		for _, name := range []string{"C_DocTypeTarget_ID", "C_DocType_ID"} {
			typeID := r.Row.Int(name)
			if typeID == 0 {
				continue
			}
			row, err := OneRow(ctx, tx, "C_DocType", typeID)
			if err != nil {
				return "", err
			}
			if id := row.Int("DocNoSequence_ID"); id != 0 && row.String("IsDocNoControlled") != "N" {
				if number, ok, err := takeNumber(ctx, tx, sequences, "AD_Sequence_ID=?", id); err != nil || ok {
					return number, err
				}
			}
		}
	}
	name, client := "DocumentNo_"+r.Table.Name, r.Row.Int("AD_Client_ID")
	where := "Name=? AND IsTableID='N' AND AD_Client_ID=?"
	if number, ok, err := takeNumber(ctx, tx, sequences, where, name, client); err != nil || ok {
		return number, err
	}
	if _, err := s.InsertRow(ctx, tx, "AD_Sequence", store.Row{
		"AD_Client_ID": client, "AD_Org_ID": int64(0), "Name": name, "Description": "Numbers of " + r.Table.Name,
		"IsAutoSequence": "Y", "IsTableID": "N", "StartNo": int64(firstDocumentNo), "CurrentNext": int64(firstDocumentNo),
		"CurrentNextSys": int64(100), "IncrementNo": int64(1),
	}); err != nil {
		return "", fmt.Errorf("making the sequence %s: %w", name, err)
	}
	number, ok, err := takeNumber(ctx, tx, sequences, where, name, client)
	if err == nil && !ok {
		err = fmt.Errorf("the sequence %s cannot be used", name)
	}
	return number, err
}

func takeNumber(ctx context.Context, tx *store.Tx, sequences *store.Table, where string, args ...any) (string, bool, error) {
	row, err := tx.Select(ctx, sequences, store.Selection{Where: where + " AND IsActive='Y'", Args: args, Limit: 1})
	if err != nil || len(row) == 0 {
		return "", false, err
	}
	next := row[0].Int("CurrentNext")
	if _, err := tx.Set(ctx, sequences, store.Row{"CurrentNext": next + max(1, row[0].Int("IncrementNo"))},
		"AD_Sequence_ID=?", row[0].Int("AD_Sequence_ID")); err != nil {
		return "", false, err
	}
	number := fmt.Sprint(next)
	if pattern := row[0].String("DecimalPattern"); pattern != "" && strings.Trim(pattern, "0#") == "" {
		number = fmt.Sprintf("%0*d", strings.Count(pattern, "0"), next)
	}
	return row[0].String("Prefix") + number + row[0].String("Suffix"), true, nil
}

package engine

import (
	"cmp"
	"context"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeRequest follows the type and the status of a request: how urgent it is,
// whether it is overdue, and who may see it.
func beforeRequest(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	kind, err := OneRow(ctx, tx, "R_RequestType", r.Row.Int("R_RequestType_ID"))
	if err != nil {
		return err
	}
	now := s.ERP.Now().UTC()
	if (r.IsNew() || r.changed("R_RequestType_ID")) && kind != nil {
		r.Set("IsInvoiced", kind["IsInvoiced"])
		if days := kind.Int("AutoDueDateDays"); !r.Has("DateNextAction") && days > 0 {
			r.Set("DateNextAction", now.AddDate(0, 0, int(days)).Format(StoredDateTime))
		}
		status, err := OneRow(ctx, tx, "R_Status", r.Row.Int("R_Status_ID"))
		if err != nil {
			return err
		}
		if status != nil && status.Int("R_StatusCategory_ID") != kind.Int("R_StatusCategory_ID") {
			r.Set("R_Status_ID", nil)
		}
	}
	if err := requestStatus(ctx, s, tx, r, kind); err != nil {
		return err
	}
	if due, err := time.Parse(StoredDateTime, r.Row.String("DateNextAction")); err == nil {
		switch {
		case now.Before(due):
			r.Set("DueType", "7") // scheduled
		case now.After(due.AddDate(0, 0, int(kind.Int("DueDateTolerance")))):
			r.Set("DueType", "3") // overdue
		default:
			r.Set("DueType", "5")
		}
	}
	if !r.Has("ConfidentialType") {
		r.Set("ConfidentialType", cmp.Or(kind["ConfidentialType"], any("A")))
	}
	r.Set("ConfidentialTypeEntry", confidentialEntry(r.Row.String("ConfidentialType"), r.Row.String("ConfidentialTypeEntry")))
	return requestPriority(ctx, tx, r)
}

// requestStatus gives a request without a status the default one of its type, and
// the dates that go with a status.
func requestStatus(ctx context.Context, s *Session, tx *store.Tx, r *Record, kind store.Row) error {
	if r.Row.Int("R_Status_ID") == 0 {
		status, err := FirstRow(ctx, tx, "R_Status", "IsDefault DESC, SeqNo", "R_StatusCategory_ID=? AND IsDefault='Y' AND IsActive='Y'",
			kind.Int("R_StatusCategory_ID"))
		if err != nil {
			return err
		}
		r.Set("R_Status_ID", status["R_Status_ID"])
	}
	status, err := OneRow(ctx, tx, "R_Status", r.Row.Int("R_Status_ID"))
	if err != nil || status == nil {
		return err
	}
	now := func(column string) {
		col, ok := r.Table.Column(column)
		if !ok {
			return
		}
		if v, ok := s.StoredMoment(col.Kind(), s.StoredNow()); ok {
			r.Set(column, v)
		}
	}
	if status.Bool("IsOpen") {
		if !r.Has("StartDate") {
			now("StartDate")
		}
		r.Set("CloseDate", nil)
	}
	if status.Bool("IsClosed") && !r.Has("CloseDate") {
		now("CloseDate")
	}
	if status.Bool("IsFinalClose") {
		r.Set("Processed", "Y")
	}
	return nil
}

// confidentialEntry is how confidential an entry of a request is: at least as much
// as the request.
func confidentialEntry(request, entry string) string {
	if entry == "" {
		return request
	}
	rank := map[string]int{"A": 0, "C": 1, "P": 2, "I": 3}
	if rank[entry] < rank[request] {
		return request
	}
	return entry
}

// requestPriority makes a priority of the one the user gave, which the group of the
// business partner raises or lowers.
func requestPriority(ctx context.Context, tx *store.Tx, r *Record) error {
	if !r.Has("PriorityUser") {
		r.Set("PriorityUser", "7")
	}
	partner, err := OneRow(ctx, tx, "C_BPartner", r.Row.Int("C_BPartner_ID"))
	if err != nil {
		return err
	}
	group, err := OneRow(ctx, tx, "C_BP_Group", partner.Int("C_BP_Group_ID"))
	if err != nil {
		return err
	}
	user := r.Row.String("PriorityUser")
	if base := group.String("PriorityBase"); base != "" && base != "S" && user != "" {
		target := int(user[0]) - 2
		if base == "L" {
			target = int(user[0]) + 2
		}
		text := string(rune(min(max(target, '3'), '7')))
		if had := r.Row.String("Priority"); had == "" || text < had {
			r.Set("Priority", text)
		}
	}
	if !r.Has("Priority") {
		r.Set("Priority", user)
	}
	return nil
}

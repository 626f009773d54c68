package engine

import (
	"cmp"
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// checkPeriod refuses to process in a closed accounting period. A day in no period
// of the tenant's calendar is open, so that documents are processed after its last year.
func (d *document) checkPeriod(ctx context.Context, base string) error {
	controls, err := NamedTable(ctx, d.tx, "C_PeriodControl")
	if err != nil || controls == nil {
		return err
	}
	const where = `AD_Client_ID=? AND DocBaseType=? AND IsActive='Y' AND C_Period_ID IN
		(SELECT C_Period_ID FROM C_Period WHERE IsActive='Y' AND PeriodType='S' AND StartDate<=? AND EndDate>=?)`
	day := cmp.Or(d.Row.String("DateAcct"), d.Row.String("MovementDate"))
	args := []any{d.Row.Int("AD_Client_ID"), base, day, day}
	any, err := d.tx.Count(ctx, controls, where, args...)
	if err != nil || any == 0 {
		return err
	}
	open, err := d.tx.Count(ctx, controls, where+" AND PeriodStatus='O'", args...)
	if err == nil && open == 0 {
		err = documentFails("Period Closed")
	}
	return err
}

// openType is the type of the document that a column names, if it may be processed in
// its period.
func (d *document) openType(ctx context.Context, column string) (store.Row, error) {
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int(column))
	if err == nil {
		err = d.checkPeriod(ctx, typ.String("DocBaseType"))
	}
	return typ, err
}

// mayReactivate refuses documents whose type does not let them be opened again.
func (d *document) mayReactivate(ctx context.Context) (store.Row, error) {
	typ, err := OneRow(ctx, d.tx, "C_DocType", d.Row.Int("C_DocType_ID"))
	if err == nil && !typ.Bool("IsCanBeReactivated") {
		err = documentFails(typ.String("Name") + " cannot be reactivated")
	}
	return typ, err
}

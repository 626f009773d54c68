package seed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// The days of the first and the last of what happened in the demo data, and the last in SQL.
var (
	firstDay = time.Date(2024, time.January, 2, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2025, time.March, 31, 0, 0, 0, 0, time.UTC)
	lastTime = lastDay.Format("'" + time.DateTime + "'")
)

// happened are the columns that say when something happened or will. What is valid
// from a day on, such as prices and rates, was so before.
const happened = `
	A_Asset A_Asset_CreateDate AssetServiceDate
	AD_Archive Created
	AD_SchedulerLog Created
	AD_WF_EventAudit Created
	C_AllocationHdr DateAcct DateTrx
	C_AllocationLine DateTrx
	C_BPartner FirstSale
	C_Campaign StartDate EndDate
	C_ContactActivity StartDate EndDate
	C_Conversion_Rate ValidTo
	C_Invoice DateAcct DateInvoiced DateOrdered
	C_Opportunity CloseDate ExpectedCloseDate
	C_Order DateAcct DateOrdered DatePromised
	C_OrderLine DateOrdered DatePromised
	C_Payment DateAcct DateTrx
	C_Project DateContract
	Fact_Acct DateAcct DateTrx
	M_AttributeSetInstance GuaranteeDate
	M_InOut DateAcct DateOrdered MovementDate
	M_Inventory MovementDate
	M_Lot DateFrom DateTo
	M_Production MovementDate
	M_Requisition DateDoc DateRequired
	M_StorageOnHand DateMaterialPolicy
	M_Transaction MovementDate
	R_ContactInterest SubscribeDate
	R_Request DateNextAction
	R_RequestUpdate Created StartTime EndTime
	S_ResourceAssignment AssignDateFrom AssignDateTo`

// late has an order of January delivered and invoiced on the last day, so that
// a month which begins today has an invoice, and two counts of stock not after it.
var late = []string{
	set("C_Order", "DateAcct DateOrdered", "C_Order_ID=133"),
	set("C_OrderLine", "DateOrdered", "C_Order_ID=133"),
	set("M_InOut", "DateAcct DateOrdered MovementDate", "C_Order_ID=133"),
	set("M_Transaction", "MovementDate", "M_InOutLine_ID IN (SELECT M_InOutLine_ID FROM M_InOutLine JOIN M_InOut USING (M_InOut_ID) WHERE C_Order_ID=133)"),
	set("C_Invoice", "DateAcct DateInvoiced DateOrdered", "C_Order_ID=133"),
	set("Fact_Acct", "DateAcct DateTrx", "AD_Table_ID=318 AND Record_ID IN (SELECT C_Invoice_ID FROM C_Invoice WHERE C_Order_ID=133)"),
	move("C_Order", "DatePromised", 77, "C_Order_ID=133"),
	move("C_OrderLine", "DatePromised", 77, "C_Order_ID=133"),
	set("M_Inventory", "MovementDate", "MovementDate>"+lastTime),
	set("M_Transaction", "MovementDate", "MovementDate>"+lastTime),
}

// set is the statement that sets columns of rows to the last day.
func set(table, columns, where string) string {
	return fmt.Sprintf(`UPDATE "%s" SET %s=%s WHERE %s`, table, strings.ReplaceAll(columns, " ", "="+lastTime+","), lastTime, where)
}

// move is the statement that moves columns of rows by days.
func move(table, columns string, days int, where string) string {
	var sets []string
	for column := range strings.FieldsSeq(columns) {
		sets = append(sets, fmt.Sprintf(`"%s"=datetime("%[1]s",'%+d days')`, column, days))
	}
	return fmt.Sprintf(`UPDATE "%s" SET %s WHERE %s`, table, strings.Join(sets, ","), where)
}

// moveDates moves what happened by whole days, so that the last of it is of today, and
// the accounting years by as many whole years as keep it within them.
func moveDates(ctx context.Context, tx *store.Tx, today time.Time) error {
	year, month, day := today.Date()
	days := int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(lastDay) / (24 * time.Hour))
	if days < 0 {
		return nil // what prices and rates are valid from would be after it
	}
	if err := run(ctx, tx, late...); err != nil {
		return err
	}
	for line := range strings.Lines(strings.TrimSpace(happened)) {
		table, columns, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := run(ctx, tx, move(table, columns, days, "AD_Client_ID<>0")); err != nil {
			return err
		}
	}
	years := firstDay.AddDate(0, 0, days).Year() - firstDay.Year()
	return run(ctx, tx,
		fmt.Sprintf(`UPDATE C_Year SET FiscalYear=FiscalYear+%d`, years),
		fmt.Sprintf(`UPDATE C_Period SET StartDate=datetime(StartDate,'%+d years'), EndDate=datetime(StartDate,'%+[1]d years','+1 month','-1 day'),
			Name=substr(Name,1,4)||substr(StartDate+%[1]d,3,2)`, years),
		`UPDATE Fact_Acct SET C_Period_ID=(SELECT C_Period_ID FROM C_Period p WHERE Fact_Acct.DateAcct BETWEEN p.StartDate AND p.EndDate)`)
}

func run(ctx context.Context, tx *store.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("moving the dates of the demo data: %w", err)
		}
	}
	return nil
}

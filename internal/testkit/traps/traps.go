// Package traps has rows for the sandbox over which numbers look right and are wrong,
// unless whoever adds them up looks at currencies, days, statuses and what is not
// there.
package traps

import "fmt"

// copied is a row of a table again, with some columns changed.
func copied(table string, id int, number int, changes string) string {
	return fmt.Sprintf(`CREATE TEMP TABLE trap AS SELECT * FROM %[1]s WHERE %[1]s_ID = %[2]d;
		UPDATE trap SET %[1]s_ID = %[3]d, %[1]s_UU = 'a0000000-0000-4000-8000-%012[3]d', %[4]s;
		INSERT INTO %[1]s SELECT * FROM trap; DROP TABLE trap;`, table, id, number, changes)
}

// Statements are SQLite's. They make a second rate of the dollar from 2026-11-01, an
// invoice of 1000 euro, an invoice and its reversal, a credit memo of the last days
// that is more than what was invoiced in them, an inactive product, and an invoice of
// 2024 that is not paid.
func Statements() []string {
	return []string{
		copied("C_Conversion_Rate", 101, 9001, "MultiplyRate = '0.8', DivideRate = '1.25', ValidFrom = '2026-11-01 00:00:00'"),
		copied("C_Invoice", 122, 9001, `DocumentNo = 'EURO', C_Currency_ID = 102, GrandTotal = '1000', TotalLines = '1000',
			DateInvoiced = '2026-11-10 00:00:00', DateAcct = '2026-11-10 00:00:00'`),
		copied("C_Invoice", 122, 9002, "DocumentNo = 'BACK', DocStatus = 'RE', IsPaid = 'Y', GrandTotal = '77', TotalLines = '77'"),
		copied("C_Invoice", 122, 9003, "DocumentNo = 'BACK^', DocStatus = 'RE', IsPaid = 'Y', GrandTotal = '-77', TotalLines = '-77'"),
		copied("C_Invoice", 106, 9004, `DocumentNo = 'CREDIT', C_DocType_ID = (SELECT min(C_DocType_ID) FROM C_DocType WHERE DocBaseType = 'ARC' AND AD_Client_ID = 11),
			GrandTotal = '5000', TotalLines = '5000', IsPaid = 'Y', DateInvoiced = datetime('now', '-5 days', 'start of day'), DateAcct = datetime('now', '-5 days', 'start of day')`),
		`UPDATE M_Product SET IsActive = 'N' WHERE Value = 'Mower'`,
		`UPDATE C_Invoice SET IsPaid = 'N' WHERE DocumentNo = '200109'`,
	}
}

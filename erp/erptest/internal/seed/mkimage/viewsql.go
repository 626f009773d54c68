package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/sqlquote"
)

// dialect is the SQL of one of the two databases.
type dialect int

const (
	postgres dialect = iota
	sqlite
)

// macros are what views compute: $1 and so on stand for the arguments. Where the
// databases differ, the second text is SQLite's. Amounts in another currency count by
// the rate of the day of their allocation.
var macros = map[string][2]string{
	"first_day":    {"date_trunc('day', $1)", "(substr($1, 1, 10) || ' 00:00:00')"},
	"first_month":  {"date_trunc('month', $1)", "(substr($1, 1, 7) || '-01 00:00:00')"},
	"first_week":   {"(date_trunc('week', $1) - interval '1 day')", "datetime(substr($1, 1, 10), '-6 days', 'weekday 1', '-1 day')"},
	"quarter":      {"date_trunc('quarter', $1)", "(substr($1, 1, 5) || substr('00' || ((CAST(substr($1, 6, 2) AS INTEGER) - 1) / 3 * 3 + 1), -2) || '-01 00:00:00')"},
	"add_days":     {"($1 + CAST($2 AS integer) * interval '1 day')", "datetime($1, ($2) || ' days')"},
	"add_months":   {"($1 + CAST($2 AS integer) * interval '1 month')", "datetime($1, ($2) || ' months', 'floor')"},
	"days_between": {"(CAST($1 AS date) - CAST($2 AS date))", "CAST(julianday(substr($1, 1, 10)) - julianday(substr($2, 1, 10)) AS INTEGER)"},
	"day_of":       {"extract(day FROM $1)", "CAST(substr($1, 9, 2) AS INTEGER)"},
	"year_month":   {"to_char($1, 'YYYY-MM')", "substr($1, 1, 7)"},
	"year_of":      {"to_char($1, 'YYYY')", "substr($1, 1, 4)"},
	"rounded":      {"round($1, $2)", "round(CAST($1 AS REAL), $2)"},

	"currency_round": {"rounded($1, CAST((SELECT cur.StdPrecision FROM C_Currency cur WHERE cur.C_Currency_ID = $2) AS integer))",
		"rounded($1, (SELECT cur.StdPrecision FROM C_Currency cur WHERE cur.C_Currency_ID = $2))"},
	"percent":      {"CASE WHEN $2 = 0 THEN 0 ELSE currency_round(($1) * 100.0 / ($2), $3) END"},
	"rest_percent": {"CASE WHEN $2 = 0 THEN 0 ELSE 100 - currency_round(($1) * 100.0 / ($2), $3) END"},
	"ratio":        {"CASE WHEN $2 = 0 THEN 0 ELSE ($1) * 1.0 / ($2) END"},
	"needed":       {"CASE WHEN $1.IsQtyPercentage = 'Y' THEN $1.QtyBatch * 0.01 ELSE $1.QtyBOM END"},
	"available":    {"(CASE WHEN $2.IsAvailableForReservation = 'N' THEN 0 ELSE $1.QtyOnHand END - $1.QtyReserved)"},
	"at_limit":     {"CASE WHEN $1.PriceLimit <> 0 THEN $1.PriceLimit * $1.QtyInvoiced ELSE $1.LineNetAmt END"},
	"listed": {"(SELECT pp.$1 FROM M_ProductPrice pp JOIN M_PriceList_Version v ON v.M_PriceList_Version_ID = pp.M_PriceList_Version_ID" +
		" WHERE v.M_PriceList_ID = $3.M_PriceList_ID AND pp.M_Product_ID = $2.M_Product_ID)"},
	"payable":  {"CASE WHEN substr($1.DocBaseType, 2, 1) = 'P' THEN -1 ELSE 1 END"},
	"credit":   {"CASE WHEN substr($1.DocBaseType, 3, 1) = 'C' THEN -1 ELSE 1 END"},
	"received": {"CASE WHEN $1.IsReceipt = 'Y' THEN 1 ELSE -1 END"},
	"rate": {"CASE WHEN h.C_Currency_ID = $1.C_Currency_ID THEN 1 ELSE (SELECT max(cr.MultiplyRate) FROM C_Conversion_Rate cr" +
		" WHERE cr.C_Currency_ID = h.C_Currency_ID AND cr.C_Currency_ID_To = $1.C_Currency_ID AND cr.C_ConversionType_ID = $1.C_ConversionType_ID" +
		" AND cr.AD_Client_ID IN (0, h.AD_Client_ID) AND cr.IsActive = 'Y' AND cr.ValidFrom <= h.DateTrx AND cr.ValidTo >= h.DateTrx) END"},
	"allocated": {"coalesce((SELECT sum(a.Amt) FROM (SELECT (al.Amount + al.DiscountAmt + al.WriteOffAmt) * (rate($1)) AS Amt FROM C_AllocationLine al" +
		" JOIN C_AllocationHdr h ON h.C_AllocationHdr_ID = al.C_AllocationHdr_ID WHERE al.C_Invoice_ID = $1.C_Invoice_ID AND h.IsActive = 'Y') a), 0)"},
	"paid_out": {"coalesce((SELECT sum(a.Amt) FROM (SELECT al.Amount * (rate($1)) AS Amt FROM C_AllocationLine al" +
		" JOIN C_AllocationHdr h ON h.C_AllocationHdr_ID = al.C_AllocationHdr_ID WHERE al.C_Payment_ID = $1.C_Payment_ID AND h.IsActive = 'Y') a), 0)"},
	"due_date": {"CASE WHEN $2.IsDueFixed = 'Y' THEN add_months(add_days(first_month($1.DateInvoiced), $2.FixMonthDay - 1)," +
		" $2.FixMonthOffset + CASE WHEN day_of($1.DateInvoiced) - 1 > $2.FixMonthCutoff THEN 1 ELSE 0 END)" +
		" ELSE add_days(first_day($1.DateInvoiced), $2.NetDays) END"},
	"earlier_due": {"coalesce((SELECT sum(e.DueAmt) FROM C_InvoicePaySchedule e WHERE e.C_Invoice_ID = $1.C_Invoice_ID AND e.IsValid = 'Y'" +
		" AND (e.DueDate < $1.DueDate OR e.DueDate = $1.DueDate AND e.C_InvoicePaySchedule_ID < $1.C_InvoicePaySchedule_ID)), 0)"},
	"between_0_and":  {"least($1, greatest(0, $2))", "min(CAST($1 AS REAL), max(0, $2))"},
	"scheduled_open": {"between_0_and($3.DueAmt, $3.DueAmt + earlier_due($3) - allocated($1) * (payable($2)) * (credit($2))) * (credit($2))"},
}

var macroCall = lazyregexp.New(`\b[a-z]\w*\(`)

// expand replaces the macros of an expression.
func (d dialect) expand(sql string) (string, error) {
	var b strings.Builder
	for {
		at := macroCall().FindStringIndex(sql)
		if at == nil {
			b.WriteString(sql)
			return b.String(), nil
		}
		texts, known := macros[sql[at[0]:at[1]-1]]
		if !known {
			b.WriteString(sql[:at[1]])
			sql = sql[at[1]:]
			continue
		}
		args, rest, err := cutArguments(sql[at[1]:])
		if err != nil {
			return "", err
		}
		text := texts[0]
		if d == sqlite && texts[1] != "" {
			text = texts[1]
		}
		for i, arg := range args {
			text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), arg)
		}
		if strings.Contains(text, "$") {
			return "", fmt.Errorf("%q has too few arguments", sql)
		}
		if text, err = d.expand(text); err != nil {
			return "", err
		}
		b.WriteString(sql[:at[0]] + text)
		sql = rest
	}
}

// cutArguments cuts the arguments of a call, and what comes after it.
func cutArguments(sql string) (args []string, rest string, err error) {
	depth, from, quoted := 0, 0, false
	for i := range len(sql) {
		switch c := sql[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ',' && depth == 0:
			args, from = append(args, strings.TrimSpace(sql[from:i])), i+1
		case c == ')' && depth == 0:
			return append(args, strings.TrimSpace(sql[from:i])), sql[i+1:], nil
		case c == ')':
			depth--
		}
	}
	return nil, "", fmt.Errorf("%q is not closed", sql)
}

// query is the SELECT of a view.
func (v *view) query(d dialect) (string, error) {
	var b strings.Builder
	for i, a := range v.arms {
		switch {
		case i > 0 && a.all:
			b.WriteString(" UNION ALL ")
		case i > 0:
			b.WriteString(" UNION ")
		}
		text, err := a.query(d, v.table)
		if err != nil {
			return "", fmt.Errorf("view %s: %w", v.table.Name, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (a *arm) query(d dialect, t *table) (string, error) {
	columns := make([]string, 0, len(t.Columns))
	for _, c := range t.Columns {
		if c.IsVirtual() {
			continue
		}
		text, err := a.column(d, c)
		if err != nil {
			return "", err
		}
		columns = append(columns, text+" AS "+d.name(c.Name))
	}
	text := "SELECT " + strings.Join(columns, ", ")
	for _, s := range a.sources {
		text += " " + s.join + " " + s.table + " " + s.alias
		if s.on != "" {
			text += " ON " + s.on
		}
	}
	for _, part := range []struct{ word, sql string }{{"WHERE", a.where}, {"GROUP BY", a.group}, {"HAVING", a.having}} {
		if part.sql != "" {
			text += " " + part.word + " " + part.sql
		}
	}
	return d.expand(text)
}

// column is what an arm shows in a column.
func (a *arm) column(d dialect, c *store.Column) (string, error) {
	if p, ok := a.plain[strings.ToUpper(c.Name)]; ok {
		return p.alias + "." + d.name(p.column), nil
	}
	sql, ok := a.columns[strings.ToUpper(c.Name)]
	switch {
	case !ok && d == sqlite:
		return "NULL", nil
	case !ok:
		return c.Missing(), nil
	case d == sqlite && c.Kind() == store.KindDecimal: // SQLite computes with floating point
		return "erp_decimal(" + sql + ")", nil
	case d == sqlite && c.Kind() == store.KindInteger:
		return "CAST(" + sql + " AS INTEGER)", nil
	}
	return sql, nil
}

func (d dialect) name(column string) string {
	if d == sqlite {
		return sqlquote.Name(column)
	}
	return sqlquote.Name(strings.ToLower(column))
}

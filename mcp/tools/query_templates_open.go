package tools

import "strings"

// The templates of open amounts follow the ERP: what is open is the invoice less
// its allocations with discount and write-off, in the currency of the invoice.
// Allocations in another currency are converted by the rate the ERP would take.
// A payment schedule that is valid splits an invoice; allocations pay its parts in
// the order in which they are due. Credit memos count negative.

// openItems are the common table expressions before open_item, which has a row
// per open customer invoice or part of its payment schedule. With asOf, $1 is
// the day as of which they are open, else it is now.
func openItems(asOf bool) string {
	state, until := "i.docstatus IN ('CO', 'CL') AND i.ispaid = 'N'", ""
	if asOf {
		state, until = "i.docstatus IN ('CO', 'CL') AND i.dateacct <= $1", " AND a.dateacct <= $1"
	}
	return strings.NewReplacer("{state}", state, "{until}", until).Replace(openItemsSQL)
}

const openItemsSQL = `WITH invoice AS (
  SELECT i.c_invoice_id, i.documentno, i.dateinvoiced, i.c_bpartner_id, i.c_currency_id, i.c_paymentterm_id, i.grandtotal,
    i.ispayschedulevalid, CASE WHEN dt.docbasetype = 'ARC' THEN -1 ELSE 1 END AS sign, cur.iso_code AS currency,
    CAST(cur.stdprecision AS integer) AS digits
  FROM c_invoice i
  JOIN c_doctype dt ON dt.c_doctype_id = i.c_doctype_id
  JOIN c_currency cur ON cur.c_currency_id = i.c_currency_id
  WHERE i.issotrx = 'Y' AND dt.docbasetype IN ('ARI', 'ARC') AND {state}
), allocation AS (
  SELECT al.c_invoice_id, i.digits, al.amount + al.discountamt + al.writeoffamt AS amount,
    CASE WHEN a.c_currency_id = i.c_currency_id THEN 1 ELSE (
      SELECT r.multiplyrate
      FROM c_conversion_rate r
      WHERE r.isactive = 'Y' AND r.c_currency_id = a.c_currency_id AND r.c_currency_id_to = i.c_currency_id
        AND a.datetrx BETWEEN r.validfrom AND r.validto AND r.ad_client_id IN (0, a.ad_client_id) AND r.ad_org_id IN (0, a.ad_org_id)
        AND r.c_conversiontype_id = (
          SELECT ct.c_conversiontype_id
          FROM c_conversiontype ct
          WHERE ct.isactive = 'Y' AND ct.isdefault = 'Y' AND ct.ad_client_id IN (0, a.ad_client_id)
          ORDER BY ct.ad_client_id DESC, ct.c_conversiontype_id
          LIMIT 1)
      ORDER BY r.ad_client_id DESC, r.ad_org_id DESC, r.validfrom DESC, r.c_conversion_rate_id
      LIMIT 1) END AS rate
  FROM c_allocationline al
  JOIN c_allocationhdr a ON a.c_allocationhdr_id = al.c_allocationhdr_id
  JOIN invoice i ON i.c_invoice_id = al.c_invoice_id
  WHERE a.isactive = 'Y' AND a.docstatus IN ('CO', 'CL', 'RE'){until}
), paid AS (
  SELECT c_invoice_id, sum(round(amount * rate, digits)) AS amount, count(*) FILTER (WHERE rate IS NULL) AS without_rate
  FROM allocation
  GROUP BY c_invoice_id
), item AS (
  SELECT i.*, s.c_invoicepayschedule_id AS part, s.duedate, coalesce(s.dueamt, i.grandtotal) AS amount,
    i.sign * coalesce(p.amount, 0) AS paid, coalesce(p.without_rate, 0) AS without_rate,
    coalesce(sum(s.dueamt) OVER (PARTITION BY i.c_invoice_id ORDER BY s.duedate, s.c_invoicepayschedule_id) - s.dueamt, 0) AS earlier
  FROM invoice i
  LEFT JOIN paid p ON p.c_invoice_id = i.c_invoice_id
  LEFT JOIN c_invoicepayschedule s ON s.c_invoice_id = i.c_invoice_id AND s.isvalid = 'Y' AND i.ispayschedulevalid = 'Y'
), open_item AS (
  SELECT it.*, bp.value, bp.name AS customer, it.sign * round(CASE
      WHEN it.part IS NULL THEN it.amount - it.paid
      WHEN it.earlier = 0 THEN greatest(0, it.amount - it.paid)
      ELSE greatest(0, it.amount - greatest(0, it.paid - it.earlier)) END, it.digits) AS open,
    CASE WHEN it.part IS NOT NULL THEN CAST(it.duedate AS date)
      WHEN pt.isduefixed = 'Y' THEN CAST(CAST(date_trunc('month', it.dateinvoiced) AS date) + (CAST(pt.fixmonthday AS integer) - 1)
        + CAST(pt.fixmonthoffset AS integer) * interval '1 month'
        + CASE WHEN extract(day FROM it.dateinvoiced) - 1 > pt.fixmonthcutoff THEN interval '1 month' ELSE interval '0 months' END AS date)
      ELSE CAST(it.dateinvoiced AS date) + CAST(pt.netdays AS integer) END AS due
  FROM item it
  JOIN c_bpartner bp ON bp.c_bpartner_id = it.c_bpartner_id
  JOIN c_paymentterm pt ON pt.c_paymentterm_id = it.c_paymentterm_id
)
`

func openInvoiceTemplates() []template {
	return []template{
		{
			name: "open-invoices", topic: "invoices", title: "Open customer invoices",
			about: "Completed customer invoices, or parts of their payment schedules, that are not fully paid now, each in its own currency: due date, amount, what is open after allocations with discount and write-off. Credit memos are negative. without_rate counts allocations in a currency that no rate converts: they are not subtracted. Payments that are not allocated to an invoice are not subtracted.",
			sql: openItems(false) + `SELECT documentno, dateinvoiced, due, value, customer, currency, sign * amount AS amount, open, without_rate
FROM open_item
WHERE open <> 0
ORDER BY due, documentno, open, part`,
		},
		{
			name: "receivables-aging", topic: "invoices", title: "Ages of open customer invoices",
			about:  "What customers owe at the end of a day, per currency, by days past due: from the payment schedule or the payment term. Counts invoices and allocations with an accounting date up to that day; else as open-invoices.",
			params: []templateParam{textParam("day", "day as of which to look", "2026-01-01")},
			sql: openItems(true) + `SELECT value, customer, currency, sum(open) AS total,
  sum(CASE WHEN CAST($1 AS date) - due <= 0 THEN open ELSE 0 END) AS not_due,
  sum(CASE WHEN CAST($1 AS date) - due BETWEEN 1 AND 30 THEN open ELSE 0 END) AS days_1_30,
  sum(CASE WHEN CAST($1 AS date) - due BETWEEN 31 AND 90 THEN open ELSE 0 END) AS days_31_90,
  sum(CASE WHEN CAST($1 AS date) - due > 90 THEN open ELSE 0 END) AS over_90,
  sum(without_rate) AS without_rate
FROM open_item
WHERE open <> 0
GROUP BY value, customer, currency
ORDER BY currency, total DESC, value`,
		},
	}
}

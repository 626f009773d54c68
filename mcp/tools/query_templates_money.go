package tools

import "slices"

func moneyTemplates() []template {
	return slices.Concat(openInvoiceTemplates(), []template{
		{
			name: "invoiced-by-month", topic: "invoices", title: "Invoiced per month",
			about:  "Customer and vendor invoices per month of the invoice date and currency: number, net and total. Credit memos count negative; a reversed invoice and its reversal cancel each other, each in its own month. Drafts, voided and pro forma invoices do not count.",
			params: []templateParam{fromDate(), toDate()},
			sql: `WITH tax AS (
  SELECT c_invoice_id, sum(taxamt) AS amount
  FROM c_invoicetax
  GROUP BY c_invoice_id
), invoice AS (
  SELECT i.dateinvoiced, i.issotrx, i.docstatus, cur.iso_code AS currency, i.grandtotal, i.grandtotal - coalesce(tax.amount, 0) AS net,
    CASE WHEN dt.docbasetype IN ('ARC', 'APC') THEN -1 ELSE 1 END AS sign
  FROM c_invoice i
  JOIN c_doctype dt ON dt.c_doctype_id = i.c_doctype_id
  JOIN c_currency cur ON cur.c_currency_id = i.c_currency_id
  LEFT JOIN tax ON tax.c_invoice_id = i.c_invoice_id
  WHERE i.docstatus IN ('CO', 'CL', 'RE') AND dt.docbasetype IN ('ARI', 'ARC', 'API', 'APC')
    AND i.dateinvoiced >= $1 AND i.dateinvoiced < CAST($2 AS timestamp) + interval '1 day'
)
SELECT to_char(dateinvoiced, 'YYYY-MM') AS month, CASE WHEN issotrx = 'Y' THEN 'customer' ELSE 'vendor' END AS kind, currency,
  count(*) FILTER (WHERE docstatus <> 'RE') AS invoices, sum(sign * net) AS net, sum(sign * grandtotal) AS total
FROM invoice
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`,
		},
		{
			name: "taxes", topic: "invoices", title: "Tax per rate",
			about:  "Tax base and amount of invoices per tax and currency, sales and purchases apart, by the invoice date; credit memos, reversals and drafts as in invoiced-by-month.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT CASE WHEN i.issotrx = 'Y' THEN 'sales' ELSE 'purchase' END AS kind, t.name AS tax, t.rate, cur.iso_code AS currency,
  sum(CASE WHEN dt.docbasetype IN ('ARC', 'APC') THEN -it.taxbaseamt ELSE it.taxbaseamt END) AS base,
  sum(CASE WHEN dt.docbasetype IN ('ARC', 'APC') THEN -it.taxamt ELSE it.taxamt END) AS tax_amount
FROM c_invoicetax it
JOIN c_invoice i ON i.c_invoice_id = it.c_invoice_id
JOIN c_doctype dt ON dt.c_doctype_id = i.c_doctype_id
JOIN c_currency cur ON cur.c_currency_id = i.c_currency_id
JOIN c_tax t ON t.c_tax_id = it.c_tax_id
WHERE i.docstatus IN ('CO', 'CL', 'RE') AND dt.docbasetype IN ('ARI', 'ARC', 'API', 'APC')
  AND i.dateinvoiced >= $1 AND i.dateinvoiced < CAST($2 AS timestamp) + interval '1 day'
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4`,
		},
		{
			name: "payments", topic: "invoices", title: "Payments per month",
			about:  "Payments, received and made, per month, bank account and currency. A reversed payment and its reversal cancel each other, each in its own month; drafts and voided ones do not count.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT to_char(p.datetrx, 'YYYY-MM') AS month, ba.name AS account, CASE WHEN p.isreceipt = 'Y' THEN 'received' ELSE 'made' END AS kind,
  cur.iso_code AS currency, count(*) FILTER (WHERE p.docstatus <> 'RE') AS payments, sum(p.payamt) AS total
FROM c_payment p
JOIN c_currency cur ON cur.c_currency_id = p.c_currency_id
LEFT JOIN c_bankaccount ba ON ba.c_bankaccount_id = p.c_bankaccount_id
WHERE p.docstatus IN ('CO', 'CL', 'RE') AND p.datetrx >= $1 AND p.datetrx < CAST($2 AS timestamp) + interval '1 day'
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, 4`,
		},
		{
			name: "trial-balance", topic: "accounting", title: "Balances per account",
			about:  "Debit, credit and balance of actual postings per account and accounting schema, in the schema's currency.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT s.name AS accounting_schema, cur.iso_code AS currency, ev.value AS account, ev.name, sum(f.amtacctdr) AS debit, sum(f.amtacctcr) AS credit, sum(f.amtacctdr - f.amtacctcr) AS balance
FROM fact_acct f
JOIN c_elementvalue ev ON ev.c_elementvalue_id = f.account_id
JOIN c_acctschema s ON s.c_acctschema_id = f.c_acctschema_id
JOIN c_currency cur ON cur.c_currency_id = s.c_currency_id
WHERE f.postingtype = 'A' AND f.dateacct >= $1 AND f.dateacct < CAST($2 AS timestamp) + interval '1 day'
GROUP BY s.name, cur.iso_code, ev.value, ev.name
ORDER BY s.name, ev.value`,
		},
		{
			name: "unbalanced-documents", topic: "accounting", title: "Documents whose postings do not balance",
			about: "There should be none: debit and credit of each posted document, where they differ.",
			sql: `SELECT c_acctschema_id, ad_table_id, record_id, sum(amtacctdr) AS debit, sum(amtacctcr) AS credit
FROM fact_acct
WHERE postingtype = 'A'
GROUP BY c_acctschema_id, ad_table_id, record_id
HAVING sum(amtacctdr) <> sum(amtacctcr)
ORDER BY ad_table_id, record_id`,
		},
	})
}

func otherTemplates() []template {
	return []template{
		{
			name: "partners-by-group", topic: "partners", title: "Business partners per group",
			about: "How many customers, vendors and employees each group has.",
			sql: `SELECT g.name AS partner_group, count(*) AS partners, count(*) FILTER (WHERE bp.iscustomer = 'Y') AS customers,
  count(*) FILTER (WHERE bp.isvendor = 'Y') AS vendors, count(*) FILTER (WHERE bp.isemployee = 'Y') AS employees
FROM c_bpartner bp
JOIN c_bp_group g ON g.c_bp_group_id = bp.c_bp_group_id
WHERE bp.isactive = 'Y'
GROUP BY g.name
ORDER BY g.name`,
		},
		{
			name: "addresses", topic: "partners", title: "Addresses of business partners",
			about: "Each address with what it is used for.",
			sql: `SELECT bp.value, bp.name, l.address1, l.postal, l.city, c.name AS country, bpl.isshipto, bpl.isbillto
FROM c_bpartner_location bpl
JOIN c_bpartner bp ON bp.c_bpartner_id = bpl.c_bpartner_id
JOIN c_location l ON l.c_location_id = bpl.c_location_id
LEFT JOIN c_country c ON c.c_country_id = l.c_country_id
WHERE bpl.isactive = 'Y' AND bp.isactive = 'Y'
ORDER BY bp.value, bpl.c_bpartner_location_id`,
		},
		{
			name: "open-requests", topic: "service", title: "Open requests",
			about: "Requests whose status is not closed, by the date of the next action.",
			sql: `SELECT r.documentno, rt.name AS type, st.name AS status, bp.name AS partner, r.datenextaction, r.summary
FROM r_request r
JOIN r_requesttype rt ON rt.r_requesttype_id = r.r_requesttype_id
LEFT JOIN r_status st ON st.r_status_id = r.r_status_id
LEFT JOIN c_bpartner bp ON bp.c_bpartner_id = r.c_bpartner_id
WHERE st.isclosed IS NULL OR st.isclosed = 'N'
ORDER BY r.datenextaction, r.documentno`,
		},
		{
			name: "project-amounts", topic: "projects", title: "Projects: planned, committed, invoiced",
			about: "Amounts of each active project in its currency, and what of the plan is left.",
			sql: `SELECT p.value, p.name, bp.name AS partner, cur.iso_code AS currency, p.plannedamt, p.committedamt, p.invoicedamt, p.plannedamt - p.invoicedamt AS left_over
FROM c_project p
JOIN c_currency cur ON cur.c_currency_id = p.c_currency_id
LEFT JOIN c_bpartner bp ON bp.c_bpartner_id = p.c_bpartner_id
WHERE p.isactive = 'Y'
ORDER BY p.value`,
		},
	}
}

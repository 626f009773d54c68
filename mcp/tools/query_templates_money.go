package tools

func moneyTemplates() []template {
	return []template{
		{
			name: "open-invoices", topic: "invoices", title: "Open customer invoices",
			about: "Completed customer invoices that are not fully paid, with what was allocated and what is open.",
			sql: `WITH paid AS (
  SELECT al.c_invoice_id, sum(al.amount + al.discountamt + al.writeoffamt) AS amount
  FROM c_allocationline al
  JOIN c_allocationhdr a ON a.c_allocationhdr_id = al.c_allocationhdr_id
  WHERE a.docstatus IN ('CO', 'CL')
  GROUP BY al.c_invoice_id
)
SELECT i.documentno, i.dateinvoiced, bp.name AS customer, i.grandtotal, coalesce(paid.amount, 0) AS paid, i.grandtotal - coalesce(paid.amount, 0) AS open
FROM c_invoice i
JOIN c_bpartner bp ON bp.c_bpartner_id = i.c_bpartner_id
LEFT JOIN paid ON paid.c_invoice_id = i.c_invoice_id
WHERE i.issotrx = 'Y' AND i.docstatus IN ('CO', 'CL') AND i.ispaid = 'N'
ORDER BY i.dateinvoiced, i.documentno`,
		},
		{
			name: "receivables-aging", topic: "invoices", title: "Ages of open customer invoices",
			about:  "What customers owe by days past due, from the net days of the payment term.",
			params: []templateParam{text("day", "day to look from", "2026-01-01")},
			sql: `WITH open AS (
  SELECT bp.name AS customer, i.grandtotal, CAST($1 AS date) - (CAST(i.dateinvoiced AS date) + CAST(pt.netdays AS integer)) AS late
  FROM c_invoice i
  JOIN c_bpartner bp ON bp.c_bpartner_id = i.c_bpartner_id
  JOIN c_paymentterm pt ON pt.c_paymentterm_id = i.c_paymentterm_id
  WHERE i.issotrx = 'Y' AND i.docstatus IN ('CO', 'CL') AND i.ispaid = 'N'
)
SELECT customer, sum(grandtotal) AS total,
  sum(CASE WHEN late <= 0 THEN grandtotal ELSE 0 END) AS not_due,
  sum(CASE WHEN late BETWEEN 1 AND 30 THEN grandtotal ELSE 0 END) AS days_1_30,
  sum(CASE WHEN late BETWEEN 31 AND 90 THEN grandtotal ELSE 0 END) AS days_31_90,
  sum(CASE WHEN late > 90 THEN grandtotal ELSE 0 END) AS over_90
FROM open
GROUP BY customer
ORDER BY total DESC, customer`,
		},
		{
			name: "invoiced-by-month", topic: "invoices", title: "Invoiced per month",
			about:  "Completed customer and vendor invoices: number, net and total per month.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT to_char(dateinvoiced, 'YYYY-MM') AS month, CASE WHEN issotrx = 'Y' THEN 'customer' ELSE 'vendor' END AS kind,
  count(*) AS invoices, sum(totallines) AS net, sum(grandtotal) AS total
FROM c_invoice
WHERE docstatus IN ('CO', 'CL') AND dateinvoiced >= $1 AND dateinvoiced < $2
GROUP BY 1, 2
ORDER BY 1, 2`,
		},
		{
			name: "taxes", topic: "invoices", title: "Tax per rate",
			about:  "Tax base and amount of completed invoices per tax, sales and purchases apart.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT CASE WHEN i.issotrx = 'Y' THEN 'sales' ELSE 'purchase' END AS kind, t.name AS tax, t.rate, sum(it.taxbaseamt) AS base, sum(it.taxamt) AS tax_amount
FROM c_invoicetax it
JOIN c_invoice i ON i.c_invoice_id = it.c_invoice_id
JOIN c_tax t ON t.c_tax_id = it.c_tax_id
WHERE i.docstatus IN ('CO', 'CL') AND i.dateinvoiced >= $1 AND i.dateinvoiced < $2
GROUP BY 1, 2, 3
ORDER BY 1, 2`,
		},
		{
			name: "payments", topic: "invoices", title: "Payments per month",
			about:  "Completed payments, received and made, per month and bank account.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT to_char(p.datetrx, 'YYYY-MM') AS month, ba.name AS account, CASE WHEN p.isreceipt = 'Y' THEN 'received' ELSE 'made' END AS kind,
  count(*) AS payments, sum(p.payamt) AS total
FROM c_payment p
JOIN c_bankaccount ba ON ba.c_bankaccount_id = p.c_bankaccount_id
WHERE p.docstatus IN ('CO', 'CL') AND p.datetrx >= $1 AND p.datetrx < $2
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`,
		},
		{
			name: "trial-balance", topic: "accounting", title: "Balances per account",
			about:  "Debit, credit and balance of actual postings per account and accounting schema.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT s.name AS accounting_schema, ev.value AS account, ev.name, sum(f.amtacctdr) AS debit, sum(f.amtacctcr) AS credit, sum(f.amtacctdr - f.amtacctcr) AS balance
FROM fact_acct f
JOIN c_elementvalue ev ON ev.c_elementvalue_id = f.account_id
JOIN c_acctschema s ON s.c_acctschema_id = f.c_acctschema_id
WHERE f.postingtype = 'A' AND f.dateacct >= $1 AND f.dateacct < $2
GROUP BY s.name, ev.value, ev.name
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
	}
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
			about: "Amounts of each project and what of the plan is left.",
			sql: `SELECT p.value, p.name, bp.name AS partner, p.plannedamt, p.committedamt, p.invoicedamt, p.plannedamt - p.invoicedamt AS left_over
FROM c_project p
LEFT JOIN c_bpartner bp ON bp.c_bpartner_id = p.c_bpartner_id
ORDER BY p.value`,
		},
	}
}

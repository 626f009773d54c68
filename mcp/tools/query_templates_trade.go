package tools

func salesTemplates() []template {
	return []template{
		{
			name: "sales-by-month", topic: "sales", title: "Sales per month",
			about:  "Completed sales orders: number and amount with tax per month and currency. Quotations, proposals and returns do not count.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT to_char(o.dateordered, 'YYYY-MM') AS month, cur.iso_code AS currency, count(*) AS orders, sum(o.grandtotal) AS total
FROM c_order o
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= $1 AND o.dateordered < CAST($2 AS timestamp) + interval '1 day'
GROUP BY 1, 2
ORDER BY 1, 2`,
		},
		{
			name: "top-customers", topic: "sales", title: "Best customers",
			about:  "Customers by what they ordered per currency, with tax, and the share of each in the whole of the currency; orders as in sales-by-month.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT cur.iso_code AS currency, bp.value, bp.name, count(*) AS orders, sum(o.grandtotal) AS total,
  round(100 * sum(o.grandtotal) / nullif(sum(sum(o.grandtotal)) OVER (PARTITION BY cur.iso_code), 0), 1) AS percent
FROM c_order o
JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= $1 AND o.dateordered < CAST($2 AS timestamp) + interval '1 day'
GROUP BY cur.iso_code, bp.value, bp.name
ORDER BY cur.iso_code, total DESC, bp.value`,
		},
		{
			name: "sales-by-category", topic: "sales", title: "Sales per product category",
			about:  "Quantity and amount of order lines per category of products and currency; with tax only where the price list includes it. Lines without a product do not count; orders as in sales-by-month.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT pc.name AS category, cur.iso_code AS currency, sum(l.qtyordered) AS quantity, sum(l.linenetamt) AS amount
FROM c_orderline l
JOIN c_order o ON o.c_order_id = l.c_order_id
JOIN m_product p ON p.m_product_id = l.m_product_id
JOIN m_product_category pc ON pc.m_product_category_id = p.m_product_category_id
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= $1 AND o.dateordered < CAST($2 AS timestamp) + interval '1 day'
GROUP BY pc.name, cur.iso_code
ORDER BY cur.iso_code, amount DESC, pc.name`,
		},
		{
			name: "best-sellers", topic: "sales", title: "Best-selling products",
			about:  "Products by amount ordered per currency, with their rank within category and currency; amounts and orders as in sales-by-category.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT pc.name AS category, p.value, p.name, cur.iso_code AS currency, sum(l.qtyordered) AS quantity, sum(l.linenetamt) AS amount,
  rank() OVER (PARTITION BY pc.name, cur.iso_code ORDER BY sum(l.linenetamt) DESC) AS place
FROM c_orderline l
JOIN c_order o ON o.c_order_id = l.c_order_id
JOIN m_product p ON p.m_product_id = l.m_product_id
JOIN m_product_category pc ON pc.m_product_category_id = p.m_product_category_id
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= $1 AND o.dateordered < CAST($2 AS timestamp) + interval '1 day'
GROUP BY pc.name, p.value, p.name, cur.iso_code
ORDER BY cur.iso_code, amount DESC, p.value`,
		},
		{
			name: "orders-by-status", topic: "sales", title: "Orders per document status",
			about: "How many sales orders, quotations and purchase orders are drafted (DR), in progress (IP), completed (CO), closed (CL) or voided (VO), and their amount with tax per currency.",
			sql: `SELECT CASE WHEN o.issotrx = 'N' THEN 'purchase' WHEN dt.docsubtypeso IN ('ON', 'OB') THEN 'quotation' ELSE 'sales' END AS kind,
  o.docstatus, cur.iso_code AS currency, count(*) AS orders, sum(o.grandtotal) AS total
FROM c_order o
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctypetarget_id
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3`,
		},
		{
			name: "sales-to-deliver", topic: "sales", title: "Sales order lines to deliver",
			about: "Lines of completed sales orders that are not fully delivered, oldest promise first.",
			sql: `SELECT o.documentno, o.datepromised, bp.name AS customer, l.line, p.name AS product,
  l.qtyordered, l.qtydelivered, l.qtyordered - l.qtydelivered AS missing
FROM c_orderline l
JOIN c_order o ON o.c_order_id = l.c_order_id
JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id
JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
LEFT JOIN m_product p ON p.m_product_id = l.m_product_id
WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus = 'CO' AND l.qtydelivered < l.qtyordered
ORDER BY o.datepromised, o.documentno, l.line`,
		},
		{
			name: "customers-without-orders", topic: "sales", title: "Customers that ordered nothing",
			about:  "Active customers without a completed sales order since a day, with the last one before it.",
			params: []templateParam{textParam("since", "first day", "2026-01-01")},
			sql: `SELECT bp.value, bp.name, max(o.dateordered) AS last_order
FROM c_bpartner bp
LEFT JOIN (
  SELECT o.c_bpartner_id, o.dateordered
  FROM c_order o
  JOIN c_doctype dt ON dt.c_doctype_id = o.c_doctype_id
  WHERE o.issotrx = 'Y' AND coalesce(dt.docsubtypeso, '-') NOT IN ('ON', 'OB', 'RM') AND o.docstatus IN ('CO', 'CL')
) o ON o.c_bpartner_id = bp.c_bpartner_id
WHERE bp.iscustomer = 'Y' AND bp.isactive = 'Y'
GROUP BY bp.value, bp.name
HAVING max(o.dateordered) IS NULL OR max(o.dateordered) < $1
ORDER BY bp.name`,
		},
	}
}

func purchaseTemplates() []template {
	return []template{
		{
			name: "purchases-by-vendor", topic: "purchasing", title: "Purchases per vendor",
			about:  "Completed purchase orders: number, amount with tax and last date per vendor and currency.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT cur.iso_code AS currency, bp.value, bp.name, count(*) AS orders, sum(o.grandtotal) AS total, max(o.dateordered) AS last_order
FROM c_order o
JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id
JOIN c_currency cur ON cur.c_currency_id = o.c_currency_id
WHERE o.issotrx = 'N' AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= $1 AND o.dateordered < CAST($2 AS timestamp) + interval '1 day'
GROUP BY cur.iso_code, bp.value, bp.name
ORDER BY cur.iso_code, total DESC, bp.value`,
		},
		{
			name: "purchases-to-receive", topic: "purchasing", title: "Purchase order lines to receive",
			about: "Lines of completed purchase orders that have not fully arrived.",
			sql: `SELECT o.documentno, o.datepromised, bp.name AS vendor, p.name AS product, l.qtyordered - l.qtydelivered AS missing
FROM c_orderline l
JOIN c_order o ON o.c_order_id = l.c_order_id
JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id
LEFT JOIN m_product p ON p.m_product_id = l.m_product_id
WHERE o.issotrx = 'N' AND o.docstatus = 'CO' AND l.qtydelivered < l.qtyordered
ORDER BY o.datepromised, o.documentno, l.line`,
		},
	}
}

func stockTemplates() []template {
	return []template{
		{
			name: "stock-on-hand", topic: "inventory", title: "Stock per product and warehouse",
			about: "Quantity on hand, with the unit.",
			sql: `SELECT w.name AS warehouse, p.value, p.name, sum(s.qtyonhand) AS on_hand, u.uomsymbol AS unit
FROM m_storageonhand s
JOIN m_locator loc ON loc.m_locator_id = s.m_locator_id
JOIN m_warehouse w ON w.m_warehouse_id = loc.m_warehouse_id
JOIN m_product p ON p.m_product_id = s.m_product_id
JOIN c_uom u ON u.c_uom_id = p.c_uom_id
GROUP BY w.name, p.value, p.name, u.uomsymbol
ORDER BY w.name, p.value`,
		},
		{
			name: "products-without-stock", topic: "inventory", title: "Stocked products with none on hand",
			about: "Active products that are kept in stock and sold, of which nothing is on hand.",
			sql: `SELECT p.value, p.name, coalesce(sum(s.qtyonhand), 0) AS on_hand
FROM m_product p
LEFT JOIN m_storageonhand s ON s.m_product_id = p.m_product_id
WHERE p.isactive = 'Y' AND p.isstocked = 'Y' AND p.issold = 'Y'
GROUP BY p.value, p.name
HAVING coalesce(sum(s.qtyonhand), 0) <= 0
ORDER BY p.value`,
		},
		{
			name: "price-list", topic: "inventory", title: "Prices of the sales price lists",
			about: "List, standard and limit price of each product in the version of each sales price list that is valid today, in the list's currency.",
			sql: `WITH newest AS (
  SELECT m_pricelist_id, max(validfrom) AS validfrom
  FROM m_pricelist_version
  WHERE isactive = 'Y' AND validfrom <= now()
  GROUP BY m_pricelist_id
)
SELECT pl.name AS price_list, cur.iso_code AS currency, p.value, p.name, pp.pricelist, pp.pricestd, pp.pricelimit
FROM newest n
JOIN m_pricelist_version v ON v.m_pricelist_id = n.m_pricelist_id AND v.validfrom = n.validfrom AND v.isactive = 'Y'
JOIN m_pricelist pl ON pl.m_pricelist_id = v.m_pricelist_id
JOIN c_currency cur ON cur.c_currency_id = pl.c_currency_id
JOIN m_productprice pp ON pp.m_pricelist_version_id = v.m_pricelist_version_id
JOIN m_product p ON p.m_product_id = pp.m_product_id
WHERE pl.issopricelist = 'Y' AND pl.isactive = 'Y' AND pp.isactive = 'Y' AND p.isactive = 'Y'
ORDER BY pl.name, p.value`,
		},
		{
			name: "deliveries-by-month", topic: "inventory", title: "Deliveries and receipts per month",
			about:  "Completed shipments to customers, receipts from vendors, and returns of both.",
			params: []templateParam{fromDate(), toDate()},
			sql: `SELECT to_char(movementdate, 'YYYY-MM') AS month, CASE movementtype WHEN 'C-' THEN 'shipment' WHEN 'C+' THEN 'customer return'
    WHEN 'V-' THEN 'vendor return' ELSE 'receipt' END AS kind, count(*) AS documents
FROM m_inout
WHERE docstatus IN ('CO', 'CL') AND movementdate >= $1 AND movementdate < CAST($2 AS timestamp) + interval '1 day'
GROUP BY 1, 2
ORDER BY 1, 2`,
		},
	}
}

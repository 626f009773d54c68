-- Reports as people of an ERP ask for them. Each begins with its name and ends
-- with a semicolon; lines of parameters are JSON, in order.

-- name: orders of the year by month
SELECT to_char(date_trunc('month', o.dateordered), 'YYYY-MM') AS month, count(*) AS orders, sum(o.grandtotal) AS total
FROM c_order o WHERE o.issotrx = 'Y' AND o.docstatus IN ('CO', 'CL') AND o.dateordered >= '2024-01-01' AND o.dateordered < '2025-01-01'
GROUP BY 1 ORDER BY 1;
-- name: revenue by customer
SELECT bp.value, bp.name, sum(i.grandtotal) AS revenue, count(i.c_invoice_id) AS invoices
FROM c_invoice i JOIN c_bpartner bp ON bp.c_bpartner_id = i.c_bpartner_id
WHERE i.issotrx = 'Y' GROUP BY bp.value, bp.name ORDER BY revenue DESC, bp.value;
-- name: top five products by quantity
SELECT p.value, p.name, sum(l.qtyordered) AS qty, sum(l.linenetamt) AS net
FROM c_orderline l JOIN m_product p ON p.m_product_id = l.m_product_id JOIN c_order o ON o.c_order_id = l.c_order_id
WHERE o.issotrx = 'Y' GROUP BY p.value, p.name ORDER BY qty DESC, p.value LIMIT 5;
-- name: products never sold
SELECT p.value, p.name FROM m_product p WHERE p.issold = 'Y' AND NOT EXISTS
(SELECT 1 FROM c_orderline l JOIN c_order o ON o.c_order_id = l.c_order_id WHERE l.m_product_id = p.m_product_id AND o.issotrx = 'Y') ORDER BY p.value;
-- name: open orders
SELECT documentno, dateordered::date AS ordered, grandtotal FROM c_order WHERE docstatus NOT IN ('CL', 'VO', 'RE') AND isdelivered = 'N' ORDER BY dateordered, documentno;
-- name: customers without orders
SELECT bp.name FROM c_bpartner bp LEFT JOIN c_order o ON o.c_bpartner_id = bp.c_bpartner_id WHERE o.c_order_id IS NULL AND bp.iscustomer = 'Y' ORDER BY bp.name;
-- name: average order value
SELECT round(avg(grandtotal), 2) AS average, min(grandtotal), max(grandtotal), count(*) FROM c_order WHERE issotrx = 'Y';
-- name: order value by status
SELECT docstatus, count(*) AS n, sum(grandtotal) AS total, round(avg(grandtotal), 2) AS mean FROM c_order GROUP BY docstatus ORDER BY docstatus;
-- name: order value by organization
SELECT org.name, sum(o.grandtotal) AS total FROM c_order o JOIN ad_org org ON org.ad_org_id = o.ad_org_id GROUP BY org.name HAVING sum(o.grandtotal) > 0 ORDER BY total DESC, org.name;
-- name: lines per order
SELECT o.documentno, count(l.c_orderline_id) AS lines, coalesce(sum(l.linenetamt), 0) AS net FROM c_order o LEFT JOIN c_orderline l USING (c_order_id) GROUP BY o.c_order_id, o.documentno ORDER BY o.documentno;
-- name: orders larger than the average
SELECT documentno, grandtotal FROM c_order WHERE grandtotal > (SELECT avg(grandtotal) FROM c_order) ORDER BY grandtotal DESC, documentno;
-- name: last order of each customer
SELECT DISTINCT ON (o.c_bpartner_id) bp.name, o.documentno, o.dateordered FROM c_order o JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id ORDER BY o.c_bpartner_id, o.dateordered DESC, o.c_order_id DESC;
-- name: running total
SELECT documentno, grandtotal, sum(grandtotal) OVER (ORDER BY dateordered, c_order_id) AS running FROM c_order ORDER BY dateordered, c_order_id;
-- name: rank within the customer
SELECT c_bpartner_id, documentno, rank() OVER (PARTITION BY c_bpartner_id ORDER BY grandtotal DESC, c_order_id) AS place FROM c_order ORDER BY c_bpartner_id, place;
-- name: share of the total
SELECT documentno, round(100 * grandtotal / sum(grandtotal) OVER (), 2) AS percent FROM c_order WHERE grandtotal > 0 ORDER BY percent DESC, documentno;
-- name: change from the month before
WITH m AS (SELECT date_trunc('month', dateordered) AS month, sum(grandtotal) AS total FROM c_order GROUP BY 1)
SELECT to_char(month, 'YYYY-MM') AS month, total, total - lag(total) OVER (ORDER BY month) AS change FROM m ORDER BY 1;
-- name: three months moving average
WITH m AS (SELECT date_trunc('month', dateordered) AS month, sum(grandtotal) AS total FROM c_order GROUP BY 1)
SELECT month, round(avg(total) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), 2) AS moving FROM m ORDER BY month;
-- name: quartiles of orders
SELECT documentno, ntile(4) OVER (ORDER BY grandtotal, c_order_id) AS quartile FROM c_order ORDER BY quartile, documentno;
-- name: first and last order dates
SELECT c_bpartner_id, min(dateordered) AS first, max(dateordered) AS last, max(dateordered) - min(dateordered) AS between_them FROM c_order GROUP BY c_bpartner_id ORDER BY c_bpartner_id;
-- name: age of orders in days
SELECT documentno, extract(day FROM timestamp '2025-01-01' - dateordered) AS days FROM c_order ORDER BY days DESC, documentno;
-- name: ageing buckets
SELECT CASE WHEN d <= 30 THEN '0-30' WHEN d <= 90 THEN '31-90' WHEN d <= 180 THEN '91-180' ELSE 'older' END AS bucket, count(*), sum(grandtotal)
FROM (SELECT grandtotal, date '2025-01-01' - dateinvoiced::date AS d FROM c_invoice) x GROUP BY 1 ORDER BY 1;
-- name: totals with rollup
SELECT coalesce(docstatus, 'all') AS status, issotrx, sum(grandtotal) AS total, count(*) FROM c_order GROUP BY ROLLUP (docstatus, issotrx) ORDER BY grouping(docstatus), docstatus, grouping(issotrx), issotrx;
-- name: cube of organization and status
SELECT ad_org_id, docstatus, count(*) AS n, grouping(ad_org_id, docstatus) AS level FROM c_order GROUP BY CUBE (ad_org_id, docstatus) ORDER BY level, ad_org_id, docstatus;
-- name: grouping sets
SELECT ad_org_id, c_bpartner_id, sum(grandtotal) AS total FROM c_order GROUP BY GROUPING SETS ((ad_org_id), (c_bpartner_id), ()) ORDER BY ad_org_id NULLS LAST, c_bpartner_id NULLS LAST;
-- name: pivot of sales by status
SELECT date_part('year', dateordered) AS year, count(*) FILTER (WHERE docstatus = 'CO') AS completed, count(*) FILTER (WHERE docstatus = 'DR') AS drafted, sum(grandtotal) FILTER (WHERE docstatus = 'CO') AS value
FROM c_order GROUP BY 1 ORDER BY 1;
-- name: pivot by CASE
SELECT c_bpartner_id, sum(CASE WHEN extract(month FROM dateordered) <= 6 THEN grandtotal ELSE 0 END) AS first_half, sum(CASE WHEN extract(month FROM dateordered) > 6 THEN grandtotal ELSE 0 END) AS second_half FROM c_order GROUP BY c_bpartner_id ORDER BY c_bpartner_id;
-- name: names in one cell
SELECT docstatus, string_agg(documentno, ', ' ORDER BY documentno) AS documents FROM c_order GROUP BY docstatus ORDER BY docstatus;
-- name: numbers in an array
SELECT c_bpartner_id, array_agg(documentno ORDER BY documentno) AS documents FROM c_order GROUP BY c_bpartner_id ORDER BY 1;
-- name: median and mode
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY grandtotal) AS median, mode() WITHIN GROUP (ORDER BY docstatus) AS status FROM c_order;
-- name: discrete percentiles
SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY grandtotal) AS p90 FROM c_order;
-- name: deviation
SELECT round(stddev(grandtotal), 4) AS deviation, round(variance(grandtotal), 2) AS variance FROM c_order;
-- name: customers of several products
SELECT bp.name, count(DISTINCT l.m_product_id) AS products FROM c_order o JOIN c_orderline l ON l.c_order_id = o.c_order_id JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id GROUP BY bp.name HAVING count(DISTINCT l.m_product_id) > 1 ORDER BY products DESC, bp.name;
-- name: products bought together
SELECT a.name AS one, b.name AS other, count(*) AS times FROM c_orderline x JOIN c_orderline y ON y.c_order_id = x.c_order_id AND y.m_product_id > x.m_product_id
JOIN m_product a ON a.m_product_id = x.m_product_id JOIN m_product b ON b.m_product_id = y.m_product_id GROUP BY a.name, b.name ORDER BY times DESC, one, other LIMIT 20;
-- name: stock by warehouse
SELECT w.name AS warehouse, p.name AS product, sum(s.qtyonhand) AS onhand FROM m_storageonhand s JOIN m_locator l ON l.m_locator_id = s.m_locator_id JOIN m_warehouse w ON w.m_warehouse_id = l.m_warehouse_id JOIN m_product p ON p.m_product_id = s.m_product_id GROUP BY w.name, p.name ORDER BY 1, 2;
-- name: stock value at list price
SELECT p.name, s.qtyonhand, pp.pricelist, s.qtyonhand * pp.pricelist AS value FROM m_storageonhand s JOIN m_product p USING (m_product_id) LEFT JOIN LATERAL
(SELECT x.pricelist FROM m_productprice x WHERE x.m_product_id = p.m_product_id ORDER BY x.m_pricelist_version_id DESC LIMIT 1) pp ON true ORDER BY p.name, s.qtyonhand;
-- name: products by category
SELECT c.name AS category, count(p.m_product_id) AS products FROM m_product_category c LEFT JOIN m_product p ON p.m_product_category_id = c.m_product_category_id GROUP BY c.name ORDER BY products DESC, c.name;
-- name: price list
SELECT p.value, p.name, pp.pricelist, pp.pricestd, pp.pricelimit FROM m_productprice pp JOIN m_product p ON p.m_product_id = pp.m_product_id ORDER BY p.value, pp.m_pricelist_version_id;
-- name: products below their list price
SELECT o.documentno, p.name, l.priceactual, l.pricelist, round((1 - l.priceactual / l.pricelist) * 100, 1) AS discount FROM c_orderline l JOIN c_order o ON o.c_order_id = l.c_order_id JOIN m_product p ON p.m_product_id = l.m_product_id WHERE l.pricelist > 0 AND l.priceactual < l.pricelist ORDER BY o.documentno, l.line;
-- name: shipments of the quarter
SELECT m.documentno, m.movementdate::date AS moved, sum(l.movementqty) AS qty FROM m_inout m JOIN m_inoutline l ON l.m_inout_id = m.m_inout_id WHERE m.movementdate BETWEEN '2024-01-01' AND '2024-06-30' GROUP BY m.documentno, m.movementdate, m.m_inout_id ORDER BY moved, m.documentno;
-- name: ordered and delivered
SELECT o.documentno, l.line, l.qtyordered, l.qtydelivered, l.qtyordered - l.qtydelivered AS missing FROM c_orderline l JOIN c_order o USING (c_order_id) WHERE l.qtyordered <> l.qtydelivered ORDER BY o.documentno, l.line;
-- name: orders and their invoices
SELECT o.documentno, i.documentno AS invoice, i.grandtotal FROM c_order o LEFT JOIN c_invoice i ON i.c_order_id = o.c_order_id ORDER BY o.documentno, invoice;
-- name: orders not invoiced
SELECT o.documentno FROM c_order o WHERE o.c_order_id NOT IN (SELECT i.c_order_id FROM c_invoice i WHERE i.c_order_id IS NOT NULL) ORDER BY 1;
-- name: tax by rate
SELECT t.name, t.rate, sum(x.taxbaseamt) AS base, sum(x.taxamt) AS tax FROM c_ordertax x JOIN c_tax t ON t.c_tax_id = x.c_tax_id GROUP BY t.name, t.rate ORDER BY t.rate DESC, t.name;
-- name: tax of invoices
SELECT i.documentno, sum(x.taxamt) AS tax, i.grandtotal - sum(x.taxamt) AS net FROM c_invoice i JOIN c_invoicetax x ON x.c_invoice_id = i.c_invoice_id GROUP BY i.c_invoice_id, i.documentno, i.grandtotal ORDER BY i.documentno;
-- name: unpaid invoices
SELECT documentno, grandtotal, dateinvoiced + interval '30 days' AS due FROM c_invoice WHERE ispaid = 'N' ORDER BY due, documentno;
-- name: due by payment term
SELECT i.documentno, pt.name, i.dateinvoiced::date + pt.netdays::int AS due FROM c_invoice i JOIN c_paymentterm pt ON pt.c_paymentterm_id = i.c_paymentterm_id ORDER BY due, i.documentno;
-- name: payment terms used
SELECT pt.name, count(*) AS orders FROM c_order o JOIN c_paymentterm pt USING (c_paymentterm_id) GROUP BY pt.name ORDER BY orders DESC, pt.name;
-- name: documents by type
SELECT d.name, d.docbasetype, count(o.c_order_id) AS n FROM c_doctype d LEFT JOIN c_order o ON o.c_doctypetarget_id = d.c_doctype_id GROUP BY d.name, d.docbasetype ORDER BY n DESC, d.name, d.docbasetype;
-- name: sales by representative
SELECT coalesce(u.name, 'nobody') AS representative, count(*) AS orders, sum(o.grandtotal) AS total FROM c_order o LEFT JOIN ad_user u ON u.ad_user_id = o.salesrep_id GROUP BY 1 ORDER BY total DESC, 1;
-- name: contacts of customers
SELECT bp.name AS partner, u.name AS contact, u.email FROM ad_user u JOIN c_bpartner bp ON bp.c_bpartner_id = u.c_bpartner_id ORDER BY 1, 2;
-- name: addresses
SELECT bp.name, l.address1, l.postal, l.city, c.name AS country FROM c_bpartner bp JOIN c_bpartner_location bl ON bl.c_bpartner_id = bp.c_bpartner_id JOIN c_location l ON l.c_location_id = bl.c_location_id LEFT JOIN c_country c ON c.c_country_id = l.c_country_id ORDER BY bp.name, bl.c_bpartner_location_id;
-- name: cities with more than one address
SELECT upper(city) AS city, count(*) FROM c_location WHERE city IS NOT NULL GROUP BY upper(city) HAVING count(*) >= 1 ORDER BY 2 DESC, 1;
-- name: partners by group
SELECT g.name, count(bp.c_bpartner_id) AS partners, bool_or(bp.isvendor = 'Y') AS some_vendor FROM c_bp_group g LEFT JOIN c_bpartner bp USING (c_bp_group_id) GROUP BY g.name ORDER BY partners DESC, g.name;
-- name: credit status
SELECT name, so_creditlimit, totalopenbalance, CASE WHEN so_creditlimit = 0 THEN NULL ELSE round(totalopenbalance / so_creditlimit * 100, 1) END AS used FROM c_bpartner WHERE iscustomer = 'Y' ORDER BY used DESC NULLS LAST, name;
-- name: exchange rates
SELECT a.iso_code AS from_currency, b.iso_code AS to_currency, r.multiplyrate, r.validfrom::date FROM c_conversion_rate r JOIN c_currency a ON a.c_currency_id = r.c_currency_id JOIN c_currency b ON b.c_currency_id = r.c_currency_id_to ORDER BY 1, 2, 4;
-- name: periods of a year
SELECT y.fiscalyear, p.periodno, p.name, p.startdate::date, p.enddate::date FROM c_period p JOIN c_year y ON y.c_year_id = p.c_year_id ORDER BY y.fiscalyear, p.periodno;
-- name: order total per period
SELECT p.name, count(o.c_order_id) AS orders, coalesce(sum(o.grandtotal), 0) AS total FROM c_period p LEFT JOIN c_order o ON o.dateordered >= p.startdate AND o.dateordered < p.enddate + interval '1 day' GROUP BY p.c_period_id, p.name, p.startdate ORDER BY p.startdate, p.name;
-- name: every month of the year
SELECT to_char(m, 'YYYY-MM') AS month, count(o.c_order_id) AS orders FROM generate_series(timestamp '2024-01-01', timestamp '2024-12-01', interval '1 month') AS m LEFT JOIN c_order o ON date_trunc('month', o.dateordered) = m GROUP BY m ORDER BY m;
-- name: days without orders
SELECT g AS day FROM generate_series(1, 31) AS g WHERE g NOT IN (SELECT extract(day FROM dateordered)::int FROM c_order) ORDER BY g;
-- name: orders by weekday
SELECT extract(isodow FROM dateordered) AS weekday, count(*) FROM c_order GROUP BY 1 ORDER BY 1;
-- name: orders by quarter
SELECT extract(year FROM dateordered) AS year, extract(quarter FROM dateordered) AS quarter, sum(grandtotal) FROM c_order GROUP BY 1, 2 ORDER BY 1, 2;
-- name: dates written out
SELECT documentno, to_char(dateordered, 'DD.MM.YYYY') AS day, to_char(grandtotal, 'FM999,990.00') AS amount FROM c_order ORDER BY documentno;
-- name: promised soon
SELECT documentno, datepromised FROM c_order WHERE datepromised < dateordered + interval '7 days' ORDER BY documentno;
-- name: months between
SELECT documentno, age(timestamp '2025-03-15', dateordered) AS age FROM c_order ORDER BY dateordered, documentno;
-- name: end of the month
SELECT DISTINCT (date_trunc('month', dateinvoiced) + interval '1 month' - interval '1 day')::date AS month_end FROM c_invoice ORDER BY 1;
-- name: category tree
WITH RECURSIVE tree AS (SELECT m_product_category_id, name, 0 AS depth FROM m_product_category WHERE m_product_category_parent_id IS NULL
UNION ALL SELECT c.m_product_category_id, c.name, t.depth + 1 FROM m_product_category c JOIN tree t ON c.m_product_category_parent_id = t.m_product_category_id)
SELECT lpad('', depth * 2, ' ') || name AS category, depth FROM tree ORDER BY depth, name;
-- name: hierarchy of partners
WITH RECURSIVE up(id, name, path) AS (SELECT c_bpartner_id, name, name::text FROM c_bpartner WHERE bpartner_parent_id IS NULL
UNION ALL SELECT b.c_bpartner_id, b.name, up.path || ' / ' || b.name FROM c_bpartner b JOIN up ON b.bpartner_parent_id = up.id) SELECT path FROM up ORDER BY path;
-- name: calendar by recursion
WITH RECURSIVE days(d) AS (SELECT date '2024-02-26' UNION ALL SELECT d + 1 FROM days WHERE d < date '2024-03-03') SELECT d, to_char(d, 'ID') AS weekday FROM days ORDER BY d;
-- name: factorial by recursion
WITH RECURSIVE f(n, v) AS (SELECT 1, 1::numeric UNION ALL SELECT n + 1, v * (n + 1) FROM f WHERE n < 20) SELECT n, v FROM f ORDER BY n;
-- name: customers and vendors
SELECT name, 'customer' AS kind FROM c_bpartner WHERE iscustomer = 'Y' UNION ALL SELECT name, 'vendor' FROM c_bpartner WHERE isvendor = 'Y' ORDER BY 1, 2;
-- name: customers that are no vendors
SELECT c_bpartner_id FROM c_bpartner WHERE iscustomer = 'Y' EXCEPT SELECT c_bpartner_id FROM c_bpartner WHERE isvendor = 'Y' ORDER BY 1;
-- name: customers with orders and invoices
SELECT c_bpartner_id FROM c_order INTERSECT SELECT c_bpartner_id FROM c_invoice ORDER BY 1;
-- name: all documents
SELECT 'order' AS kind, documentno, grandtotal FROM c_order UNION ALL SELECT 'invoice', documentno, grandtotal FROM c_invoice UNION ALL SELECT 'shipment', documentno, NULL FROM m_inout ORDER BY 1, 2;
-- name: best order of each customer
SELECT bp.name, x.documentno, x.grandtotal FROM c_bpartner bp CROSS JOIN LATERAL (SELECT o.documentno, o.grandtotal FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id ORDER BY o.grandtotal DESC, o.c_order_id LIMIT 1) x ORDER BY bp.name;
-- name: two latest orders
SELECT * FROM (SELECT c_bpartner_id, documentno, row_number() OVER (PARTITION BY c_bpartner_id ORDER BY dateordered DESC, c_order_id DESC) AS n FROM c_order) x WHERE n <= 2 ORDER BY c_bpartner_id, n;
-- name: first and last values
SELECT DISTINCT c_bpartner_id, first_value(documentno) OVER w AS first, last_value(documentno) OVER w AS last FROM c_order WINDOW w AS (PARTITION BY c_bpartner_id ORDER BY dateordered, c_order_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY 1;
-- name: distance to the next order
SELECT documentno, lead(dateordered) OVER (ORDER BY dateordered, c_order_id) - dateordered AS until_next FROM c_order ORDER BY dateordered, c_order_id;
-- name: percent rank
SELECT documentno, round(percent_rank() OVER (ORDER BY grandtotal)::numeric, 4) AS pr, round(cume_dist() OVER (ORDER BY grandtotal)::numeric, 4) AS cd, dense_rank() OVER (ORDER BY docstatus) AS dr FROM c_order ORDER BY documentno;
-- name: pareto of customers
WITH t AS (SELECT c_bpartner_id, sum(grandtotal) AS total FROM c_order GROUP BY c_bpartner_id), r AS (SELECT c_bpartner_id, total, sum(total) OVER (ORDER BY total DESC, c_bpartner_id) AS run, sum(total) OVER () AS everything FROM t)
SELECT c_bpartner_id, total, CASE WHEN run <= 0.8 * everything THEN 'A' WHEN run <= 0.95 * everything THEN 'B' ELSE 'C' END AS class FROM r ORDER BY total DESC, c_bpartner_id;
-- name: sums of sums
SELECT docstatus, sum(grandtotal) AS total, sum(sum(grandtotal)) OVER (ORDER BY docstatus) AS running FROM c_order GROUP BY docstatus ORDER BY docstatus;
-- name: search by name
SELECT value, name FROM m_product WHERE name ILIKE '%tree%' OR name ~* 'ch[ae]' ORDER BY value;
-- name: parts of texts
SELECT value, left(name, 5) AS short, length(name) AS len, replace(name, ' ', '_') AS key, split_part(name, ' ', 1) AS first_word, initcap(lower(name)) AS title FROM m_product ORDER BY value;
-- name: texts put together
SELECT concat_ws(', ', name, nullif(description, ''), value) AS label FROM c_bpartner ORDER BY c_bpartner_id;
-- name: yes and no
SELECT name, iscustomer = 'Y' AS customer, isvendor = 'Y' AS vendor, NOT (isactive = 'Y') AS inactive FROM c_bpartner ORDER BY name;
-- name: greatest and least
SELECT documentno, greatest(grandtotal, totallines) AS most, least(grandtotal, totallines, 100) AS least FROM c_order ORDER BY documentno;
-- name: null or not
SELECT count(*) FILTER (WHERE description IS NULL) AS without, count(description) AS with_one, num_nulls(NULL, 1) AS nulls FROM m_product;
-- name: rounding
SELECT documentno, round(grandtotal), trunc(grandtotal, 1), ceil(grandtotal), floor(grandtotal), mod(grandtotal, 7), abs(-grandtotal) FROM c_order ORDER BY documentno;
-- name: integer division
SELECT documentno, c_order_id::int / 10 AS tens, c_order_id::int % 10 AS ones, grandtotal::numeric(12,1) AS rounded FROM c_order ORDER BY documentno;
-- name: one customer
-- params: "JoeBlock"
SELECT o.documentno, o.grandtotal FROM c_order o JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id WHERE bp.value = $1 ORDER BY 1;
-- name: between two dates
-- params: "2024-03-01" "2024-08-31"
SELECT documentno, dateordered FROM c_order WHERE dateordered BETWEEN $1 AND $2 ORDER BY dateordered, documentno;
-- name: above an amount
-- params: 100.5
SELECT documentno FROM c_order WHERE grandtotal >= $1 ORDER BY 1;
-- name: some statuses
-- params: ["CO", "DR"]
SELECT documentno, docstatus FROM c_order WHERE docstatus = ANY($1) ORDER BY 1;
-- name: optional filter
-- params: null
SELECT documentno FROM c_order WHERE $1::text IS NULL OR docstatus = $1::text ORDER BY 1;
-- name: page two
-- params: 5 5
SELECT documentno FROM c_order ORDER BY documentno LIMIT $1 OFFSET $2;
-- name: order details view
SELECT documentno, dateordered, partnername, grandtotal FROM rv_order_detail WHERE grandtotal > 50 ORDER BY documentno;
-- name: order details by partner
SELECT coalesce(partnername, '?') AS partner, count(*), sum(grandtotal) FROM rv_order_detail GROUP BY 1 ORDER BY 1;
-- name: totals view joined
SELECT t.name, t.orders, t.total, bp.value FROM rv_bpartner_total t JOIN c_bpartner bp ON bp.c_bpartner_id = t.c_bpartner_id ORDER BY t.total DESC, t.name;
-- name: recent orders view
SELECT * FROM rv_order_recent ORDER BY documentno;
-- name: users view
SELECT v.name, u.email FROM ad_allusers_v v JOIN ad_user u ON u.ad_user_id = v.ad_user_id ORDER BY v.ad_user_id;
-- name: a row as JSON
SELECT json_build_object('no', documentno, 'total', grandtotal, 'status', docstatus) AS doc FROM c_order ORDER BY documentno;
-- name: lines as JSON
SELECT o.documentno, json_agg(json_build_object('line', l.line, 'qty', l.qtyordered) ORDER BY l.line) AS lines FROM c_order o JOIN c_orderline l USING (c_order_id) GROUP BY o.documentno ORDER BY 1;
-- name: subquery in the list
SELECT bp.name, (SELECT count(*) FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id) AS orders, (SELECT max(i.dateinvoiced) FROM c_invoice i WHERE i.c_bpartner_id = bp.c_bpartner_id) AS last_invoice FROM c_bpartner bp ORDER BY bp.name;
-- name: all of them
SELECT name FROM c_bpartner bp WHERE 0 < ALL (SELECT o.grandtotal FROM c_order o WHERE o.c_bpartner_id = bp.c_bpartner_id) ORDER BY name;
-- name: any of them
SELECT documentno FROM c_order WHERE c_bpartner_id = ANY (SELECT c_bpartner_id FROM c_bpartner WHERE isvendor = 'Y') ORDER BY 1;
-- name: values joined
SELECT s.label, count(o.c_order_id) FROM (VALUES ('CO', 'completed'), ('DR', 'drafted'), ('VO', 'voided')) AS s(code, label) LEFT JOIN c_order o ON o.docstatus = s.code GROUP BY s.label ORDER BY s.label;
-- name: array joined
SELECT s.code, s.n, count(o.c_order_id) FROM unnest(ARRAY['CO', 'DR', 'IP']) WITH ORDINALITY AS s(code, n) LEFT JOIN c_order o ON o.docstatus = s.code GROUP BY s.code, s.n ORDER BY s.n;
-- name: with and its alias
WITH big AS (SELECT * FROM c_order WHERE grandtotal > 100), small AS (SELECT * FROM c_order WHERE grandtotal <= 100) SELECT (SELECT count(*) FROM big) AS big, (SELECT count(*) FROM small) AS small, (SELECT sum(grandtotal) FROM big) AS value;
-- name: full outer join
SELECT coalesce(o.c_bpartner_id, i.c_bpartner_id) AS partner, o.n AS orders, i.n AS invoices FROM (SELECT c_bpartner_id, count(*) AS n FROM c_order GROUP BY 1) o FULL JOIN (SELECT c_bpartner_id, count(*) AS n FROM c_invoice GROUP BY 1) i ON i.c_bpartner_id = o.c_bpartner_id ORDER BY 1;
-- name: natural join
SELECT count(*) FROM (SELECT c_order_id, documentno FROM c_order) a NATURAL JOIN (SELECT c_order_id, line FROM c_orderline) b;
-- name: with ties
SELECT documentno, grandtotal FROM c_order ORDER BY grandtotal DESC FETCH FIRST 2 ROWS WITH TIES;
-- name: correlation of quantity and price
SELECT round(corr(qtyordered::float8, priceactual::float8)::numeric, 6) AS r, regr_count(qtyordered::float8, priceactual::float8) AS n FROM c_orderline;
-- name: translation
SELECT p.value, coalesce(t.name, p.name) AS name FROM m_product p LEFT JOIN m_product_trl t ON t.m_product_id = p.m_product_id AND t.ad_language = 'de_DE' ORDER BY p.value;
-- name: margin per product
SELECT p.name, sum(l.linenetamt) AS net, sum(l.qtyordered * coalesce(l.pricecost, 0)) AS cost, sum(l.linenetamt - l.qtyordered * coalesce(l.pricecost, 0)) AS margin FROM c_orderline l JOIN m_product p ON p.m_product_id = l.m_product_id GROUP BY p.name ORDER BY margin DESC, p.name;

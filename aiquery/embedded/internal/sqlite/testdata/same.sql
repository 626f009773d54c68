-- constants and arithmetic
SELECT 1, 1+1, 7/2, -7/2, 7%3, -7%3, 7/2.0, 1.10+2.205, 1.5*1.50, 10/3.0, 1/3.0, 2/3.0, 100000/7.0, 0.001/3;
SELECT 5::numeric/2, 1::numeric/3, 22::numeric/7, 123456789.123::numeric/0.001, 1e-10::numeric/3, -1/7.0;
SELECT 7.5%2, -7.5%2, 7::float8/2, 1e15::float8, 123456789012345::float8, 0.1::float8+0.2, 1e-5::float8;
SELECT abs(-5), abs(-5.50), ceil(1.2), ceil(-1.2), floor(-1.2), round(2.5), round(-2.5), round(2.345,2), round(1234.5,-2), trunc(-2.789,1), trunc(2.5), mod(10,3);
SELECT round(2.5::float8), round(3.5::float8), ceil(5), floor(5.5::float8);
SELECT '5'::int, ' 5 '::int4, '1.50'::numeric, '1e3'::numeric, 2.5::int, 3.5::int, -2.5::int, 2.5::float8::int, 3.5::float8::int, 1.005::numeric(10,2), 123.456::numeric(5,1), 5::text, 5.50::text, true::text, 't'::bool, 'no'::bool, 1::bool, true::int;
SELECT 'abc'::varchar(2), 'a'::char(3) = 'a', 'abc' || 5, 5 || 'abc', 'x' || 1.50, 'a' || NULL, NULL || 'a', 'x' || true;
SELECT 1 = 1.0, 1.0 = 1.00, '10' < '9', 10 < 9, 'a' < 'B', 'a' = 'A', NULL = NULL, NULL IS NULL, 1 <> 2, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL;
SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 1 AND 10, 5 BETWEEN 10 AND 1, 1 IN (1,2,3), 1 NOT IN (2,NULL), 1 IN (2,NULL), '1' IN ('1','2'), 1.0 IN (1,2), (1,2) IN ((1,2),(3,4));
SELECT (1,NULL) = (1,2), (1,2) = (1,2), ROW(1,2) <> ROW(1,2), (1, NULL) IS NULL, (NULL,NULL) IS NULL, (1,2) IS NOT NULL;
SELECT coalesce(NULL, 1, 2.5), greatest(1, 2.50, NULL), least('b','a'), greatest('2024-01-01'::date, '2023-01-01'), nullif(1,1), nullif(1,2.0), nullif('a','b');
SELECT CASE WHEN true THEN 1 ELSE 2.5 END, CASE 1 WHEN 1 THEN 'a' END, CASE WHEN NULL THEN 1 END, CASE 'x' WHEN 'y' THEN 1 ELSE 0 END;
SELECT true AND NULL, false AND NULL, true OR NULL, NOT NULL::bool, NULL::bool IS TRUE, true IS NOT FALSE, NULL::bool IS UNKNOWN, (1=1) IS TRUE;
SELECT 'a' AS "A", 1 AS a, 2 AS a, 3;
-- texts
SELECT lower('ÄBc'), upper('äbß'), length('Ünal'), char_length('ab'), octet_length('Ü'), left('abc',2), left('abc',-1), right('abc',2), right('abc',-1);
SELECT substr('abcdef',2,3), substring('abcdef' from 2 for 3), substring('abcdef' from 0 for 3), substring('abcdef' from 4), substr('abc',5), replace('abcabc','b','xy'), position('c' in 'abc'), strpos('abc','z');
SELECT trim('  a '), trim(both 'x' from 'xxaxx'), ltrim('xxa','x'), rtrim('axx','x'), lpad('5',3,'0'), rpad('a',3), lpad('abcdef',3), lpad('a',5,'xy'), concat('a',NULL,1,true,2.50), concat_ws(',','a',NULL,'b');
SELECT 'abc' LIKE 'a%', 'abc' LIKE 'A%', 'abc' ILIKE 'A%', 'ÄB' ILIKE 'äb', 'a%c' LIKE 'a\%c', 'abc' LIKE 'a\%c', 'a_c' LIKE 'a!_c' ESCAPE '!', 'abc' NOT LIKE '%b%', '' LIKE '%', 'Ü' LIKE '_', 'a\c' LIKE 'a\\c';
-- times
SELECT '2024-01-31'::date, '2024-1-5'::date, '20240131'::date, '2024-01-31 10:20:30.5'::timestamp, '2024-01-31T10:20'::timestamp, '2024-01-31 10:20:30+02'::timestamptz, '2024-01-31 23:59'::timestamp::date, '2024-01-31'::date::timestamp;
SELECT '1 year 2 months'::interval, '-1 day'::interval, '90 minutes'::interval, interval '1 week', '2 mons -3 days'::interval;
SELECT '2024-01-31'::date + 1, '2024-03-01'::date - '2024-02-01'::date, '2024-01-31'::date + interval '1 month', '2024-03-31'::timestamp - interval '1 month', '2024-01-31'::date - 30, '2024-02-29 12:00'::timestamp + interval '1 year', '2024-02-29 12:00'::timestamp - '2024-01-01'::timestamp, '2024-01-01'::timestamp - '2024-02-29 12:00'::timestamp;
SELECT 2 * interval '1 month', interval '1 day' > interval '23 hours', interval '30 days' = interval '1 month';
SELECT date_trunc('month','2024-02-29 13:45:10'::timestamp), date_trunc('quarter','2024-05-15'::date), date_trunc('week','2024-02-29'::timestamp), date_trunc('year',timestamp '2024-02-29'), date_trunc('hour','2024-02-29 13:45:10'::timestamptz);
SELECT extract(year from '2024-02-29'::date), extract(month from timestamp '2024-02-29 13:45:10.25'), extract(second from timestamp '2024-02-29 13:45:10.25'), extract(epoch from timestamp '2024-02-29 13:45:10.25'), extract(dow from date '2024-03-03'), extract(isodow from date '2024-03-03'), extract(doy from date '2024-12-31'), extract(week from date '2024-12-31'), extract(quarter from date '2024-05-01'), extract(epoch from interval '1 month 1 day'), extract(epoch from date '2024-02-29'), extract(days from interval '3 days');
SELECT ('2024-01-01'::timestamp, interval '1 day') IS NOT NULL;
SELECT now() > '2020-01-01', current_date > '2020-01-01'::date, current_timestamp = now(), current_date = now()::date, localtimestamp = now()::timestamp;
SELECT date '2024-01-01' = timestamp '2024-01-01', date '2024-01-02' > '2024-01-01', '2024-01-01' <= date '2024-01-01', timestamp '2024-01-01 00:00' BETWEEN '2024-01-01' AND '2024-12-31';
SELECT to_char(timestamp '2024-02-09 03:05:07', 'YYYY-MM-DD HH24:MI:SS'), to_char(date '2024-02-09','"Q"Q yyyy-mm'), to_char(date '2024-02-09','DD.MM.YYYY'), to_char(date '2024-12-31','IYYY-"W"IW'), to_char(date '2023-01-01','IYYY IW');
-- base tables
SELECT * FROM c_order ORDER BY c_order_id;
SELECT * FROM c_bpartner ORDER BY c_bpartner_id;
SELECT c_order_id, c_order_id/7, c_order_id*2, c_order_id+0.5, -c_order_id, abs(c_order_id), c_order_id::text, c_order_id::int/7, line/7, rate*2, rate/line FROM c_order ORDER BY 1;
SELECT grandtotal*qty, grandtotal-qty, round(grandtotal,1), grandtotal/3, -grandtotal, grandtotal % 2, grandtotal::float8, trunc(grandtotal), ceil(grandtotal) FROM c_order ORDER BY c_order_id;
SELECT documentno FROM c_order WHERE grandtotal > 2 ORDER BY documentno, c_order_id;
SELECT documentno, grandtotal FROM c_order WHERE grandtotal = 1 ORDER BY c_order_id;
SELECT documentno FROM c_order WHERE grandtotal IN (1, 2.5, 7) ORDER BY c_order_id;
SELECT c_order_id FROM c_order WHERE c_order_id BETWEEN 1010 AND 1020.5 AND NOT issotrx = 'Y' ORDER BY 1;
SELECT c_order_id FROM c_order WHERE dateordered >= '2024-01-01' AND dateordered < '2024-03-01'::date ORDER BY c_order_id;
SELECT c_order_id FROM c_order WHERE dateordered::date = '2024-02-29' ORDER BY c_order_id;
SELECT grandtotal FROM c_order ORDER BY grandtotal, c_order_id;
SELECT grandtotal FROM c_order ORDER BY grandtotal DESC, c_order_id;
SELECT c_order_id, grandtotal FROM c_order ORDER BY grandtotal DESC NULLS LAST, c_order_id LIMIT 7;
SELECT c_order_id FROM c_order ORDER BY note NULLS FIRST, dateordered DESC, c_order_id OFFSET 5 LIMIT 10;
SELECT note AS n, length(note) FROM c_order ORDER BY n, length(note) DESC, c_order_id;
SELECT DISTINCT grandtotal::numeric(30,2) AS g FROM c_order ORDER BY g DESC;
SELECT DISTINCT issotrx, line FROM c_order ORDER BY 2, 1;
SELECT count(DISTINCT grandtotal), count(grandtotal), count(*), count(DISTINCT note), count(DISTINCT c_bpartner_id) FROM c_order;
SELECT sum(grandtotal), avg(grandtotal), min(grandtotal), max(qty), sum(line), avg(line), sum(c_order_id), avg(c_order_id), min(c_order_id), sum(rate), avg(rate) FROM c_order;
SELECT sum(DISTINCT line), avg(DISTINCT line), min(note), max(dateordered), min(documentno) FROM c_order;
SELECT sum(grandtotal), avg(line), count(*), string_agg(note,',') FROM c_order WHERE false;
SELECT issotrx, count(*), sum(qty) FROM c_order GROUP BY issotrx ORDER BY issotrx;
SELECT issotrx AS flag, line, sum(qty)::numeric(30,1) FROM c_order GROUP BY flag, line HAVING count(*) > 1 ORDER BY flag NULLS FIRST, line DESC;
SELECT date_trunc('month', dateordered) AS m, count(*), sum(c_order_id) FROM c_order GROUP BY 1 ORDER BY 1;
SELECT to_char(dateordered,'YYYY-MM'), count(*) FROM c_order GROUP BY to_char(dateordered,'YYYY-MM') ORDER BY 2 DESC, 1;
SELECT extract(year from dateordered)::int AS y, extract(year from dateordered)+1, count(*) FROM c_order GROUP BY extract(year from dateordered) ORDER BY 1;
SELECT count(*) FILTER (WHERE issotrx='Y'), sum(line) FILTER (WHERE line > 0), avg(qty) FILTER (WHERE qty IS NOT NULL AND false) FROM c_order;
SELECT string_agg(documentno, ', ' ORDER BY documentno DESC, c_order_id), string_agg(DISTINCT note, '|'), string_agg(note, '-' ORDER BY note, c_order_id) FROM c_order WHERE c_order_id < 1012;
-- joins
SELECT o.c_order_id, b.name FROM c_order o JOIN c_bpartner b ON b.c_bpartner_id = o.c_bpartner_id ORDER BY 1;
SELECT o.c_order_id, b.name FROM c_order o LEFT JOIN c_bpartner b ON b.c_bpartner_id = o.c_bpartner_id AND b.isactive = 'Y' ORDER BY 1;
SELECT o.c_order_id, b.c_bpartner_id FROM c_order o RIGHT JOIN c_bpartner b ON b.c_bpartner_id = o.c_bpartner_id ORDER BY 2, 1;
SELECT o.c_order_id, b.c_bpartner_id FROM c_order o FULL JOIN c_bpartner b ON b.c_bpartner_id = o.c_bpartner_id ORDER BY 2, 1;
SELECT c_bpartner_id, count(*) FROM c_order FULL JOIN c_bpartner USING (c_bpartner_id) GROUP BY c_bpartner_id ORDER BY 1;
SELECT * FROM c_bpartner a JOIN c_bpartner b USING (c_bpartner_id) ORDER BY 1;
SELECT o.*, b.name FROM c_order o, c_bpartner b WHERE o.c_bpartner_id = b.c_bpartner_id AND b.parent_id IS NULL ORDER BY o.c_order_id;
SELECT a.name, p.name AS parent, g.name AS grand FROM c_bpartner a LEFT JOIN (c_bpartner p LEFT JOIN c_bpartner g ON g.c_bpartner_id = p.parent_id) ON p.c_bpartner_id = a.parent_id ORDER BY a.c_bpartner_id;
SELECT count(*) FROM c_order CROSS JOIN c_bpartner;
SELECT t.id, t.n FROM (SELECT c_bpartner_id, name FROM c_bpartner) AS t(id, n) ORDER BY id;
SELECT count(*) FROM c_order, c_bpartner b RIGHT JOIN c_bpartner c ON b.c_bpartner_id = c.parent_id;
-- subqueries
SELECT (SELECT name FROM c_bpartner b WHERE b.c_bpartner_id = o.c_bpartner_id), o.c_order_id FROM c_order o ORDER BY 2;
SELECT c_order_id FROM c_order o WHERE EXISTS (SELECT 1 FROM c_bpartner b WHERE b.c_bpartner_id = o.c_bpartner_id AND b.isactive='Y') ORDER BY 1;
SELECT c_order_id FROM c_order WHERE c_bpartner_id IN (SELECT c_bpartner_id FROM c_bpartner WHERE parent_id IS NULL) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE c_bpartner_id NOT IN (SELECT parent_id FROM c_bpartner) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE grandtotal IN (SELECT limit_amt FROM c_bpartner) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE line > ALL (SELECT line FROM c_order WHERE line < 20) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE qty >= ANY (SELECT limit_amt FROM c_bpartner) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE line = (SELECT max(line) FROM c_order) ORDER BY 1;
SELECT c_order_id FROM c_order WHERE (c_bpartner_id, issotrx) IN (SELECT c_bpartner_id, isactive FROM c_bpartner) ORDER BY 1;
SELECT (SELECT count(*) FROM c_order o WHERE o.c_bpartner_id = b.c_bpartner_id) AS n, name FROM c_bpartner b ORDER BY n DESC, c_bpartner_id;
SELECT avg(n) FROM (SELECT c_bpartner_id, count(*) AS n FROM c_order GROUP BY c_bpartner_id) x;
-- set operations
SELECT count(*), sum(x::int) FROM (SELECT 1 AS x UNION SELECT 1.0 UNION ALL SELECT 2) u;
SELECT line FROM c_order UNION SELECT 5 ORDER BY line;
SELECT qty FROM c_order WHERE qty > 2 AND qty < 8 EXCEPT SELECT 7 ORDER BY 1;
SELECT line FROM c_order INTERSECT SELECT line FROM c_order WHERE line > 10 ORDER BY 1;
SELECT line FROM c_order INTERSECT ALL SELECT line FROM c_order WHERE c_order_id < 1020 ORDER BY 1;
SELECT line FROM c_order EXCEPT ALL SELECT line FROM c_order WHERE c_order_id < 1020 ORDER BY 1;
SELECT 'a' AS x, NULL AS y UNION ALL SELECT NULL, 5 UNION ALL SELECT 'b', 6 ORDER BY 2, 1;
(SELECT c_order_id FROM c_order ORDER BY c_order_id LIMIT 2) UNION ALL (SELECT c_bpartner_id FROM c_bpartner ORDER BY c_bpartner_id DESC LIMIT 2) ORDER BY 1 LIMIT 3;
SELECT c_order_id, grandtotal FROM c_order WHERE c_order_id < 1005 UNION SELECT c_bpartner_id, limit_amt FROM c_bpartner ORDER BY 1;
VALUES (1,'a'),(2,NULL),(3,'c');
SELECT column1, column2 FROM (VALUES (1,'a'),(2.5,'b')) v ORDER BY column1 DESC;
SELECT v.id, v.label FROM (VALUES ('Y','Yes'),('N','No')) AS v(id,label) ORDER BY id;
-- WITH
WITH t AS (SELECT c_bpartner_id AS id, count(*) AS n FROM c_order GROUP BY 1) SELECT * FROM t WHERE n > 3 ORDER BY id;
WITH c_order AS (SELECT * FROM c_order WHERE line = 10) SELECT count(*) FROM c_order;
WITH a(x) AS (SELECT 1), b AS (SELECT x+1 AS y FROM a) SELECT x, y FROM a, b;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 10) SELECT sum(i), count(*) FROM n;
WITH RECURSIVE tree AS (SELECT c_bpartner_id, parent_id, 0 AS depth FROM c_bpartner WHERE parent_id IS NULL UNION ALL SELECT b.c_bpartner_id, b.parent_id, t.depth+1 FROM c_bpartner b JOIN tree t ON b.parent_id = t.c_bpartner_id) SELECT * FROM tree ORDER BY depth, 1;
WITH RECURSIVE months(m) AS (SELECT timestamp '2024-01-01' UNION ALL SELECT m + interval '1 month' FROM months WHERE m < '2024-06-01') SELECT m::date FROM months ORDER BY 1;
WITH RECURSIVE x(i) AS (SELECT 1.0 UNION SELECT i FROM x) SELECT * FROM x;
SELECT (WITH q AS (SELECT 5 AS v) SELECT v FROM q);
-- DISTINCT ON, windows
SELECT DISTINCT ON (c_bpartner_id) c_bpartner_id, c_order_id FROM c_order ORDER BY c_bpartner_id, c_order_id DESC;
SELECT DISTINCT ON (issotrx, line) issotrx, line, c_order_id FROM c_order ORDER BY line, issotrx, c_order_id;
SELECT c_order_id, row_number() OVER (ORDER BY grandtotal, c_order_id), rank() OVER (ORDER BY grandtotal), dense_rank() OVER (ORDER BY grandtotal DESC) FROM c_order ORDER BY 1;
SELECT c_order_id, sum(line) OVER (PARTITION BY issotrx ORDER BY c_order_id), count(*) OVER (), avg(line) OVER (PARTITION BY line) FROM c_order ORDER BY 1;
SELECT c_order_id FROM c_order ORDER BY 1;
SELECT line, sum(count(*)) OVER (ORDER BY line), count(*), rank() OVER (ORDER BY count(*) DESC, line) FROM c_order GROUP BY line ORDER BY line;
SELECT c_order_id FROM c_order ORDER BY 1;
SELECT c_order_id FROM c_order ORDER BY 1;
SELECT max(x.r) FROM (SELECT row_number() OVER (PARTITION BY c_bpartner_id ORDER BY dateordered DESC, c_order_id) AS r FROM c_order) x;
-- grouping sets
SELECT issotrx, line, count(*), grouping(issotrx, line) FROM c_order GROUP BY ROLLUP (issotrx, line) ORDER BY 4, 1, 2;
SELECT issotrx, line, sum(qty) FROM c_order GROUP BY CUBE (issotrx, line) ORDER BY issotrx, line, 3;
SELECT issotrx, line, count(*) FROM c_order GROUP BY GROUPING SETS ((issotrx),(line),()) ORDER BY 1, 2, 3;
SELECT coalesce(issotrx,'?'), count(*) FROM c_order GROUP BY GROUPING SETS (issotrx, ()) HAVING count(*) > 5 ORDER BY 1, 2;
-- LATERAL and functions in FROM
-- the secured shape
SELECT * FROM (SELECT bp.name, bp.apikey FROM (SELECT s.c_bpartner_id AS c_bpartner_id, s.name AS name, '***'::pg_catalog.text AS apikey, NULL::pg_catalog.int4 AS days FROM adempiere.c_bpartner AS s WHERE s.c_bpartner_id IN (100, 101, 105) AND (s.parent_id IS NULL OR s.parent_id NOT IN (3)) OFFSET 0) AS bp ORDER BY bp.name) AS q LIMIT 101;
SELECT pg_catalog.lower(q.name), pg_catalog.count(*) FROM (SELECT s.name AS name FROM adempiere.c_bpartner AS s) AS q GROUP BY pg_catalog.lower(q.name) ORDER BY 1 NULLS FIRST;
-- one group of all rows
SELECT 1 AS one FROM c_order HAVING count(*) > 1;
SELECT DISTINCT 'x' AS x FROM c_order HAVING count(*) > 1000;
SELECT count(*) FROM c_bpartner b WHERE EXISTS (SELECT NULL FROM c_order o GROUP BY ROLLUP (o.line) HAVING count(*) > 50);
SELECT c_bpartner_id FROM c_bpartner WHERE c_bpartner_id > ALL (SELECT line FROM c_order GROUP BY ROLLUP (line) HAVING count(*) < 50) ORDER BY 1;
SELECT max(line), (note IS NULL AND '' IS NULL) AS never FROM c_order GROUP BY 2;
SELECT c_order_id FROM c_order ORDER BY (note IS NULL AND '' IS NULL), c_order_id;

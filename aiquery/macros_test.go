package aiquery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// moneyRows are conversion rates and allocations; those of other tenants and
// hidden organizations have marks.
func moneyRows(all bool) string {
	var b strings.Builder
	rate := func(id, client, org, from, to, kind int, rate, since, until, active string, visible bool) {
		if !visible && !all {
			return
		}
		fmt.Fprintf(&b, `INSERT INTO c_conversion_rate (c_conversion_rate_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby,
			c_currency_id, c_currency_id_to, c_conversiontype_id, multiplyrate, dividerate, validfrom, validto)
			VALUES (%d, %d, %d, '%s', '2024-01-01 00:00:00', 100, '2024-01-01 00:00:00', 100, %d, %d, %d, '%s', '1', '%s 00:00:00', '%s 00:00:00');
`, id, client, org, active, from, to, kind, rate, since, until)
	}
	b.WriteString("DELETE FROM c_conversion_rate;\n")
	mark := aitest.CanaryNumber + "7.17"
	rate(4_000_001, 0, 0, 100, 102, 114, "0.5", "2024-01-01", "2024-12-31", "Y", true)
	rate(4_000_002, 11, 0, 100, 102, 114, "0.925", "2024-01-01", "2024-12-31", "Y", true)
	rate(4_000_003, 11, 0, 100, 102, 114, "0.9", "2024-03-01", "2024-04-01", "Y", true)
	rate(4_000_004, 11, 12, 100, 102, 114, "0.8", "2024-01-01", "2024-12-31", "Y", true)
	rate(4_000_005, 11, 50006, 100, 102, 114, mark, "2024-01-01", "2025-12-31", "Y", false)
	rate(4_000_006, aitest.OtherTenant, 0, 100, 102, 114, mark, "2024-01-01", "2025-12-31", "Y", false)
	rate(4_000_007, 11, 0, 102, 100, 114, "1.08", "2024-01-01", "2025-12-31", "Y", true)
	rate(4_000_008, 11, 0, 102, 100, 114, "7", "2024-01-01", "2025-12-31", "N", true)
	rate(4_000_009, 11, 0, 113, 102, 200, "0.006", "2024-01-01", "2025-12-31", "Y", true)
	header := func(id, client, org, currency int, day, status, active string, visible bool) {
		if visible || all {
			fmt.Fprintf(&b, `INSERT INTO c_allocationhdr (c_allocationhdr_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, documentno,
				c_currency_id, datetrx, dateacct, approvalamt, ismanual, isapproved, docstatus, docaction, processed, posted)
				VALUES (%d, %d, %d, '%s', '2024-01-01 00:00:00', 100, '2024-01-01 00:00:00', 100, 'A%d', %d, '%s 00:00:00', '%s 00:00:00', '0', 'N', 'Y', '%s', '--', 'Y', 'Y');
`, id, client, org, active, id, currency, day, day, status)
		}
	}
	line := func(id, hdr, client, org, invoice int, amount, discount, writeOff string, visible bool) {
		if visible || all {
			fmt.Fprintf(&b, `INSERT INTO c_allocationline (c_allocationline_id, c_allocationhdr_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby,
				c_invoice_id, amount, discountamt, writeoffamt, overunderamt)
				VALUES (%d, %d, %d, %d, 'Y', '2024-01-01 00:00:00', 100, '2024-01-01 00:00:00', 100, %d, '%s', '%s', '%s', '0');
`, id, hdr, client, org, invoice, amount, discount, writeOff)
		}
	}
	b.WriteString("DELETE FROM c_allocationline;\nDELETE FROM c_allocationhdr;\n")
	header(4_000_001, 11, 0, 100, "2024-03-05", "CO", "Y", true)
	header(4_000_002, 11, 12, 102, "2024-03-05", "CL", "Y", true)
	header(4_000_003, 11, 0, 100, "2024-03-05", "DR", "Y", true)
	header(4_000_004, 11, 0, 100, "2024-03-05", "RE", "N", true)
	header(4_000_005, 11, 0, 113, "2024-03-05", "CO", "Y", true) // no rate
	header(4_000_006, 11, 50006, 100, "2024-03-05", "CO", "Y", false)
	id := 4_000_000
	for _, invoice := range []int{200101, 200102, 200103, 200104, 200105, 200106, 200107, 200108} {
		for hdr := 4_000_001; hdr <= 4_000_006; hdr++ {
			if hdr == 4_000_005 && invoice != 200104 {
				continue
			}
			id++
			line(id, hdr, 11, 0, invoice, "7.05", "0.50", "0.25", hdr != 4_000_006)
		}
		id++
		line(id, 4_000_001, 11, 50006, invoice, mark, "0", "0", false)
	}
	return b.String()
}

// erpFunctions are functions as the ERP's schema has them, which see what is in
// their database; they share nothing with what the guard writes for a call.
const erpFunctions = `
CREATE FUNCTION currencyrate(f numeric, t numeric, d timestamptz, k numeric, c numeric, o numeric) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE kind numeric := k; r record;
BEGIN
	IF f = t THEN RETURN 1; END IF;
	IF kind IS NULL OR kind = 0 THEN
		FOR r IN SELECT c_conversiontype_id FROM c_conversiontype WHERE isdefault = 'Y' AND isactive = 'Y' AND (ad_client_id = 0 OR ad_client_id = c) ORDER BY ad_client_id DESC LOOP
			kind := r.c_conversiontype_id; EXIT;
		END LOOP;
	END IF;
	FOR r IN SELECT multiplyrate FROM c_conversion_rate WHERE c_currency_id = f AND c_currency_id_to = t AND c_conversiontype_id = kind AND isactive = 'Y'
		AND coalesce(d, now()) BETWEEN validfrom AND validto AND (ad_client_id = 0 OR ad_client_id = c) AND (ad_org_id = 0 OR ad_org_id = o)
		ORDER BY ad_client_id DESC, ad_org_id DESC, validfrom DESC LOOP
		RETURN r.multiplyrate;
	END LOOP;
	RETURN NULL;
END $$;
CREATE FUNCTION currencyconvert(a numeric, f numeric, t numeric, d timestamptz, k numeric, c numeric, o numeric) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE digits int;
BEGIN
	IF a IS NULL OR a = 0 OR f = t THEN RETURN a; END IF;
	SELECT stdprecision INTO digits FROM c_currency WHERE c_currency_id = t;
	RETURN round(a * currencyrate(f, t, d, k, c, o), digits);
END $$;
CREATE FUNCTION invoiceopen(i numeric, p numeric) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
DECLARE inv record; r record; paid numeric := 0;
BEGIN
	SELECT v.*, dt.docbasetype AS base INTO inv FROM c_invoice v JOIN c_doctype dt ON dt.c_doctype_id = v.c_doctype_id JOIN c_currency cur ON cur.c_currency_id = v.c_currency_id WHERE v.c_invoice_id = i;
	IF NOT FOUND THEN RETURN NULL; END IF;
	FOR r IN SELECT l.amount + l.discountamt + l.writeoffamt AS amount, h.* FROM c_allocationline l JOIN c_allocationhdr h USING (c_allocationhdr_id)
		WHERE l.c_invoice_id = i AND h.isactive = 'Y' AND h.docstatus IN ('CO', 'CL', 'RE') LOOP
		paid := paid + currencyconvert(r.amount * CASE substr(inv.base, 2, 1) WHEN 'P' THEN -1 ELSE 1 END, r.c_currency_id, inv.c_currency_id, r.datetrx, NULL, r.ad_client_id, r.ad_org_id);
	END LOOP;
	RETURN round(inv.grandtotal * CASE substr(inv.base, 3, 1) WHEN 'C' THEN -1 ELSE 1 END - paid, (SELECT stdprecision::int FROM c_currency WHERE c_currency_id = inv.c_currency_id));
END $$;
CREATE FUNCTION paymenttermduedate(p numeric, d timestamptz) RETURNS date LANGUAGE plpgsql STABLE AS $$
DECLARE t record; due timestamp;
BEGIN
	SELECT * INTO t FROM c_paymentterm WHERE c_paymentterm_id = p;
	IF t.isduefixed <> 'Y' THEN RETURN (d + make_interval(days => t.netdays::int))::date; END IF;
	due := date_trunc('month', d) + make_interval(days => t.fixmonthday::int - 1);
	due := due + make_interval(months => t.fixmonthoffset::int);
	IF extract(day FROM d) > t.fixmonthcutoff + 1 THEN due := due + interval '1 month'; END IF;
	RETURN due::date;
END $$;
`

// addFunctions adds the functions of the ERP and rows for them to a database of
// PostgreSQL.
func addFunctions(t testing.TB, address string, all bool) {
	t.Helper()
	_, err := connection(t, address, "").PgConn().Exec(t.Context(), erpFunctions+moneyRows(all)).ReadAll()
	require.NoError(t, err)
}

// macro is a call of a function that the guard writes out.
func (g *grammar) macro(sources []source) string {
	arg := func(k kind) string {
		if c := g.column(k, sources); c != "" && g.chance(60) {
			return c
		}
		return g.typed(k)
	}
	currency := func() string { return pick(g, []string{"100", "102", "113", arg(number)}) }
	place := "11, " + pick(g, []string{"0", "12", "50006", arg(number)})
	if g.chance(20) {
		place = pick(g, []string{"0", "1000000", "NULL"}) + ", " + pick(g, []string{"0", "NULL"})
	}
	return pick(g, []string{
		"currencyConvert(" + arg(number) + ", " + currency() + ", " + currency() + ", " + arg(moment) + ", NULL, " + place + ")",
		"currencyRate(" + currency() + ", " + currency() + ", " + arg(moment) + ", " + pick(g, []string{"NULL", "0", "114", "200"}) + ", " + place + ")",
		"invoiceOpen(" + pick(g, []string{arg(number), "200103", "200104", "200106"}) + ", " + pick(g, []string{"0", "NULL"}) + ")",
		"extract(year FROM paymentTermDueDate(" + pick(g, []string{"105", "106", arg(number)}) + ", " + arg(moment) + "))",
	})
}

// Calls of the ERP's functions return what the functions would in a database that
// holds only what the role may see, on both engines.
func TestMacros(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	full, less := aitest.Postgres(t), aitest.Reduced(t)
	addFunctions(t, full, true)
	addFunctions(t, less, false)
	reduced := connection(t, less, "")
	worlds := map[string]*world{"postgresql": prepare(t, full).world(t, aitest.As(t, full, aitest.ReadLogin), nil, nil), "embedded": onEmbedded(t, nil)}
	worlds["embedded"].exec(t, moneyRows(true))
	for name, sql := range map[string]string{
		"rates per organization": `SELECT o.ad_org_id, currencyRate(100, 102, '2024-06-01', NULL, 11, o.ad_org_id) FROM ad_org o WHERE o.ad_client_id IN (0, 11)`,
		"hidden organization":    `SELECT currencyRate(100, 102, '2024-06-01', NULL, 11, 50006), currencyRate(100, 102, '2025-06-01', NULL, 11, 50006)`,
		"other tenant":           `SELECT currencyRate(100, 102, '2024-06-01', NULL, 1000000, 0)`,
		"latest of two":          `SELECT currencyRate(100, 102, '2024-03-15', NULL, 11, 0), currencyRate(100, 102, '2024-04-02', 0, 11, 0)`,
		"conversion type":        `SELECT currencyRate(113, 102, '2024-03-15', 200, 11, 0), currencyRate(113, 102, '2024-03-15', NULL, 11, 0)`,
		"same currency":          `SELECT currencyRate(999, 999, NULL, NULL, 11, 0), currencyConvert(1.005, 100, 100, NULL, NULL, 11, 0)`,
		"nothing":                `SELECT currencyConvert(NULL, 100, 102, NULL, NULL, 11, 0), currencyConvert(0, 100, 999, NULL, NULL, 11, 0), currencyRate(NULL, 100, NULL, NULL, 11, 0)`,
		"amounts":                `SELECT documentno, currencyConvert(grandtotal, c_currency_id, 102, dateordered, c_conversiontype_id, ad_client_id, ad_org_id) FROM c_order`,
		"summed":                 `SELECT c_bpartner_id, sum(currencyConvert(grandtotal, c_currency_id, 102, dateordered, NULL, ad_client_id, ad_org_id)) FROM c_order GROUP BY 1`,
		"of a sum":               `SELECT q.p, currencyConvert(q.total, 100, 102, '2024-06-01', NULL, 11, 12) FROM (SELECT c_bpartner_id AS p, sum(grandtotal) AS total FROM c_order GROUP BY 1) q`,
		"in a condition":         `SELECT documentno FROM c_order WHERE currencyConvert(grandtotal, 100, 102, dateordered, NULL, 11, 0) > 100`,
		"in one another":         `SELECT documentno, currencyConvert(currencyConvert(grandtotal, 100, 102, dateordered, NULL, 11, 0), 102, 100, dateordered, NULL, 11, 0) FROM c_order`,
		"names of the body":      `SELECT a.documentno, currencyConvert(a.grandtotal, r.c_currency_id, 102, dateordered, NULL, a.ad_client_id, a.ad_org_id) FROM c_order a JOIN c_currency r ON r.c_currency_id = a.c_currency_id`,
		"open":                   `SELECT c_invoice_id, invoiceOpen(c_invoice_id, 0) FROM c_invoice`,
		"open of hidden":         `SELECT g.n, invoiceOpen(g.n, NULL) FROM generate_series(200100, 200110) AS g(n)`,
		"due":                    `SELECT c_invoice_id, paymentTermDueDate(c_paymentterm_id, dateinvoiced) FROM c_invoice`,
		"in a join":              `SELECT i.documentno, o.documentno FROM c_invoice i JOIN c_order o ON o.c_order_id = i.c_order_id AND invoiceOpen(i.c_invoice_id, 0) > 0`,
	} {
		want, err := plainRows(t.Context(), reduced, sql)
		require.NoError(t, err, name)
		for engine, w := range worlds {
			outcome, problem := compare(t, w, sql, want, nil)
			assert.Equal(t, "succeeded", outcome, "%s on %s: %s", name, engine, problem)
		}
	}
	// A WITH item of the name of a table that is read is another one.
	shadow := `WITH c_conversion_rate AS (SELECT 5 AS multiplyrate) SELECT currencyRate(102, 100, '2024-06-01', NULL, 11, 0), multiplyrate FROM c_conversion_rate`
	for engine, w := range worlds {
		r, err := w.Query(t.Context(), user, query(shadow))
		if assert.NoError(t, err, engine) {
			assert.Equal(t, [][]string{{"1.08", "5"}}, equalNumbers(resultRows(r)), engine)
			assert.Equal(t, "currencyrate", r.Columns[0].Name)
			assert.Equal(t, []string{"C_ConversionType", "C_Conversion_Rate"}, r.Tables)
		}
		for sql, part := range map[string]string{
			`SELECT currencyConvert(1, 2)`: "7 arguments, not 2",
			`SELECT currencyConvert(sum(grandtotal), 100, 102, NULL, NULL, 11, 0) FROM c_order`:        "aggregate",
			`SELECT currencyRate(rank() OVER (), 100, NULL, NULL, 11, 0) FROM c_order`:                 "window",
			`SELECT currencyRate(DISTINCT 1, 2, NULL, NULL, 11, 0)`:                                    "arguments alone",
			`SELECT invoiceOpen(c_payment_id, 0) FROM c_payment`:                                       "c_payment",
			`SELECT currencyRate((SELECT max(password) FROM zz_shadow), 100, NULL, NULL, 11, 0)`:       "zz_shadow",
			`SELECT currencyRate(pg_sleep(5), 100, NULL, NULL, 11, 0)`:                                 "pg_sleep",
			`SELECT documentno FROM c_order WHERE currencyConvrt(grandtotal, 1, 2, NULL, 1, 1, 1) > 1`: "currencyConvert",
		} {
			_, err := w.Query(t.Context(), user, query(sql))
			if assert.Error(t, err, "%s: %s", engine, sql) {
				assert.Contains(t, err.Error(), part)
				assert.NotEqual(t, api.CodeInternal, code(t, err))
			}
		}
		_, err = w.Query(t.Context(), user, query(`SELECT adempiere.invoiceopen(200101, 0)`))
		assert.Equal(t, api.CodeDenied, code(t, err), "%s: the function in the database sees everything", engine)
	}
}

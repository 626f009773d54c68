package aiquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// both runs a test on both databases.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, nil))
		})
	}
}

// reports are ordinary questions; each orders its rows completely.
var reports = []string{
	`SELECT c_order_id, documentno, dateordered, grandtotal FROM c_order ORDER BY c_order_id`,
	`SELECT count(*), sum(grandtotal), min(dateordered), max(documentno) FROM C_Order`,
	`SELECT o.documentno, bp.name FROM c_order o LEFT JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id ORDER BY o.c_order_id`,
	`SELECT o.documentno, bp.name FROM c_order o JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id ORDER BY o.c_order_id`,
	`SELECT bp.name, count(o.c_order_id) n, coalesce(sum(o.grandtotal), 0) total FROM c_bpartner bp LEFT JOIN c_order o USING (c_bpartner_id) GROUP BY bp.name ORDER BY total DESC, bp.name`,
	`SELECT p.name, sum(l.qtyordered) q FROM c_orderline l JOIN m_product p ON p.m_product_id = l.m_product_id GROUP BY p.name HAVING sum(l.qtyordered) > 1 ORDER BY q DESC, p.name`,
	`WITH t AS (SELECT c_bpartner_id, sum(grandtotal) s FROM c_order GROUP BY c_bpartner_id) SELECT bp.name, t.s FROM t JOIN c_bpartner bp ON bp.c_bpartner_id = t.c_bpartner_id ORDER BY 1`,
	`SELECT documentno, rank() OVER (ORDER BY grandtotal DESC, c_order_id) r FROM c_order ORDER BY r`,
	`SELECT name, password, emailuserpw FROM ad_user ORDER BY ad_user_id`,
	`SELECT name FROM ad_user WHERE password = '***' ORDER BY ad_user_id`,
	`SELECT u.name FROM ad_user u WHERE EXISTS (SELECT 1 FROM c_order o WHERE o.salesrep_id = u.ad_user_id) ORDER BY 1`,
	`SELECT documentno, partnername, partnertax, hint FROM rv_order_detail ORDER BY c_order_id`,
	`SELECT name, orders, total FROM rv_bpartner_total ORDER BY c_bpartner_id`,
	`SELECT documentno, partnername, clue FROM rv_order_recent ORDER BY documentno`,
	`SELECT name, passphrase FROM ad_allusers_v ORDER BY ad_user_id`,
	`SELECT documentno FROM c_order UNION SELECT documentno FROM c_invoice ORDER BY 1`,
	`SELECT docstatus, count(*) FROM c_invoice GROUP BY docstatus ORDER BY 1`,
	`SELECT name FROM c_project ORDER BY 1`,
	`SELECT name, duns FROM c_bpartner ORDER BY c_bpartner_id`,
	`SELECT value, name FROM m_product WHERE name LIKE '%e%' ORDER BY m_product_id`,
	`SELECT ad_org_id, count(*) FROM c_orderline GROUP BY ad_org_id ORDER BY 1`,
	`SELECT CASE WHEN grandtotal > 1000 THEN 'big' ELSE 'small' END k, count(*) FROM c_order GROUP BY 1 ORDER BY 1`,
	`WITH answer AS (SELECT c_order_id FROM c_order) SELECT count(*) FROM answer`,
	`SELECT 1 AS one, 'x' AS x, NULL AS n, true AS b, 1.50 AS d`,
}

// TestResultsAreThoseOfTheReducedDatabase is the one property.
func TestResultsAreThoseOfTheReducedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	reduced := aitest.Reduced(t)
	conn, err := pgx.Connect(t.Context(), reduced)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.PgConn().Exec(t.Context(), "SET search_path = adempiere").ReadAll()
	require.NoError(t, err)
	want := map[string][][]string{}
	for _, sql := range reports {
		results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
		require.NoError(t, err, sql)
		rows := [][]string{}
		for _, row := range results[0].Rows {
			var cells []string
			for _, c := range row {
				if c == nil {
					cells = append(cells, "NULL")
				} else {
					cells = append(cells, string(c))
				}
			}
			rows = append(rows, cells)
		}
		want[sql] = rows
	}
	for name, open := range map[string]func(testing.TB, func(*aiquery.Options)) *world{"postgresql": onPostgres, "embedded": onEmbedded} {
		w := open(t, nil)
		for _, sql := range reports {
			q := query(sql)
			q.MaxRows = 1000
			got, err := w.Query(t.Context(), user, q)
			if !assert.NoError(t, err, "%s: %s\n%s", name, sql, w.log) {
				continue
			}
			rows := [][]string{}
			for _, row := range got.Rows {
				var cells []string
				for _, c := range row {
					cells = append(cells, plain(c))
				}
				rows = append(rows, cells)
			}
			assert.Equal(t, equalNumbers(want[sql]), equalNumbers(rows), "%s: %s", name, sql)
			assert.Empty(t, aitest.Leaks(shown(t, got)))
		}
		assert.Len(t, w.audit(t), len(reports))
	}
}

// What a text is compared with, and what a function is called elsewhere, is said
// by both databases.
func TestAdvice(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for sql, hint := range map[string]string{
			"SELECT 1 FROM c_bpartner WHERE iscustomer = true":                 "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE true = iscustomer":                 "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE iscustomer IN (true)":              "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE iscustomer = 1":                    "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE iscustomer":                        "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE NOT iscustomer AND isactive = 'Y'": "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_bpartner WHERE iscustomer IS TRUE":                "such as iscustomer = 'Y'",
			"SELECT count(*) FILTER (WHERE isvendor) FROM c_bpartner":          "such as iscustomer = 'Y'",
			"SELECT CASE WHEN isvendor THEN 1 END FROM c_bpartner":             "such as iscustomer = 'Y'",
			"SELECT 1 FROM c_order WHERE documentno = 80000":                   "compare it with a text in quotes",
			"SELECT ifnull(name, 'x') FROM c_bpartner":                         "use coalesce",
			"SELECT currencyBase(1, 100, now(), 11, 0) FROM c_order":           "currencyRate",
			"SELECT invoicePaid(c_invoice_id, 100, 1) FROM c_invoice":          "c_allocationline",
			"SELECT 1 FROM c_order WHERE dateordered > sysdate()":              "use now()",
		} {
			_, err := w.Query(t.Context(), user, query(sql))
			var e *api.Error
			if assert.ErrorAs(t, err, &e, sql) {
				assert.Contains(t, e.Hint, hint, sql)
			}
		}
	})
}

// plain is a value as PostgreSQL writes it.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		if v {
			return "t"
		}
		return "f"
	case json.Number:
		return v.String()
	case string:
		if len(v) >= 19 && v[10] == 'T' {
			return strings.Replace(v, "T", " ", 1)
		}
		return v
	}
	return "?"
}

func TestQuery(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		run := func(q aiquery.Request) *api.Result {
			t.Helper()
			r, err := w.Query(t.Context(), user, q)
			require.NoError(t, err, w.log)
			return r
		}
		r := run(query(`SELECT documentno AS "No", grandtotal, dateordered, isactive FROM c_order WHERE c_order_id = 104`))
		assert.Equal(t, []api.Column{{Name: "No", Type: "varchar"}, {Name: "grandtotal", Type: "numeric"}, {Name: "dateordered", Type: "timestamp"}, {Name: "isactive", Type: "bpchar"}}, r.Columns)
		require.Len(t, r.Rows, 1)
		assert.Equal(t, []any{"80004", json.Number("28.20"), "2024-03-05T00:00:00", "Y"}, r.Rows[0])
		assert.Equal(t, []string{"C_Order"}, r.Tables)
		assert.NotEmpty(t, r.RequestID)
		assert.False(t, r.Truncated)
		assert.Zero(t, r.ExecutionTimeMs%10)

		r = run(query(`SELECT name, password FROM ad_user WHERE ad_user_id = 101`))
		assert.Equal(t, []any{"GardenAdmin", "***"}, r.Rows[0])
		assert.True(t, r.Columns[1].Redacted)
		assert.False(t, r.Columns[0].Redacted)

		q := query(`SELECT c_order_id FROM c_order ORDER BY 1`)
		q.MaxRows = 3
		r = run(q)
		assert.Len(t, r.Rows, 3)
		assert.True(t, r.Truncated)
		q.MaxRows = 5000
		assert.Contains(t, strings.Join(run(q).Notes, ""), "1000")
		q.RoleID, q.MaxRows = aitest.Whole, 100
		assert.Equal(t, 7, run(q).RowCount, "the role's own limit")

		r = run(query(`SELECT count(*) FROM c_order WHERE grandtotal > $1 AND dateordered >= $2 AND documentno = ANY($3) AND isactive = $4`,
			`20.5`, `"2024-01-01"`, `["80004", "80006", "80008"]`, `"Y"`))
		assert.Equal(t, json.Number("3"), r.Rows[0][0])
		r = run(query(`SELECT $1::text, $2::numeric, $3::bool, $4::int4[], $5::date`, `"it's \\ \"x\""`, `12345678901234567890.123456789`, `true`, `[1, null, 3]`, `"2026-02-03"`))
		assert.Equal(t, []any{`it's \ "x"`, json.Number("12345678901234567890.123456789"), true, []any{json.Number("1"), nil, json.Number("3")}, "2026-02-03"}, r.Rows[0])
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		cases := []struct {
			name string
			q    aiquery.Request
			code api.Code
		}{
			{"empty", query(" "), api.CodeInvalid},
			{"no SQL", query("SELEC 1"), api.CodeSyntax},
			{"insert", query("INSERT INTO c_order VALUES (1)"), api.CodeNotSelect},
			{"two", query("SELECT 1; SELECT 2"), api.CodeNotSelect},
			{"excluded table", query("SELECT * FROM c_payment"), api.CodeDenied},
			{"unknown table", query("SELECT * FROM c_paymentt"), api.CodeDenied},
			{"excluded column", query("SELECT taxid FROM c_bpartner"), api.CodeDenied},
			{"the audit", query("SELECT * FROM aig_querylog"), api.CodeDenied},
			{"catalog", query("SELECT * FROM pg_catalog.pg_class"), api.CodeDenied},
			{"view over an excluded table", query("SELECT * FROM rv_payment_list"), api.CodeDenied},
			{"function", query("SELECT pg_sleep(1)"), api.CodeDenied},
			{"too few parameters", query("SELECT $1::int, $2::int", "1"), ""},
			{"object as a parameter", query("SELECT $1::text", `{"a": 1}`), api.CodeInvalid},
			{"no JSON", query("SELECT $1::text", `{`), api.CodeInvalid},
			{"NUL", query("SELECT 1\x00"), ""},
			{"no UTF-8", query("SELECT '\xff'"), ""},
			{"division", query("SELECT 1/0"), api.CodeData},
			{"not a date", query("SELECT documentno::date FROM c_order"), api.CodeData},
			{"parameter of another type", query("SELECT count(*) FROM c_order WHERE grandtotal > $1", `"x"`), api.CodeData},
			{"two rows", query("SELECT (SELECT name FROM c_bpartner)"), api.CodeData},
		}
		for _, c := range cases {
			_, err := w.Query(t.Context(), user, c.q)
			require.Error(t, err, c.name)
			var refusal *api.Error
			require.ErrorAs(t, err, &refusal, c.name)
			if c.code != "" {
				assert.Equal(t, c.code, refusal.Code, "%s: %v\n%s", c.name, err, w.log)
			}
			assert.NotEqual(t, api.CodeInternal, refusal.Code, "%s: %v", c.name, err)
			assert.NotEmpty(t, refusal.Message, c.name)
			assert.NotEmpty(t, refusal.RequestID)
			assert.Empty(t, aitest.Leaks(err.Error()), c.name)
		}
		records := w.audit(t)
		require.Len(t, records, len(cases), "one record each")
		for i, c := range cases {
			want := aiquery.StatusError
			if c.code == api.CodeDenied || c.code == api.CodeNotSelect {
				want = aiquery.StatusDenied
			}
			assert.Equal(t, want, records[i]["aig_querystatus"], c.name)
			assert.NotEmpty(t, records[i]["aig_errormessage"], c.name)
			assert.Empty(t, aitest.Leaks(records[i]["aig_errormessage"]), c.name)
		}
	})
}

func TestAuditRecord(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		who := aiquery.Caller{UserID: aitest.User, RequestID: "req-1", ProviderID: 5, AIUserID: aitest.Stranger}
		sql := `SELECT partnername, $1::text FROM rv_order_detail WHERE c_order_id = 104`
		_, err := w.Query(t.Context(), who, query(sql, `"my password"`))
		require.NoError(t, err, w.log)
		records := w.audit(t)
		require.Len(t, records, 1)
		r := records[0]
		for column, want := range map[string]string{
			"aig_provider_id": "5", "ad_user_id": "2000101", "createdby": "2000100", "updatedby": "2000100", "ad_role_id": "2000001",
			"ad_client_id": "11", "ad_org_id": "0", "isactive": "Y", "aig_querysql": sql, "aig_querystatus": "Success", "aig_rowcount": "1",
			"aig_tablesaccessed": "AD_User, C_BPartner, C_Order, RV_Order_Detail", "aig_requestid": "req-1", "aig_parameters": "$1 text(13)",
			"aig_querylog_id": "1000000",
		} {
			assert.Equal(t, want, r[column], column)
		}
		assert.NotContains(t, r, "aig_errormessage")
		assert.NotEmpty(t, r["aig_securedsql"])
		assert.NotEmpty(t, r["aig_policyversion"])
		assert.NotContains(t, shown(t, r), "my password", "values of parameters are not kept")

		_, err = w.Query(t.Context(), user, query("SELECT 'a\x00b\xff"+strings.Repeat("x", 70_000)+"'"))
		require.Error(t, err)
		kept := w.audit(t)[1]["aig_querysql"]
		assert.True(t, strings.HasPrefix(kept, `SELECT 'a\x00b\xffxxx`), kept[:30])
		assert.Contains(t, kept, "SHA-256")
		assert.Less(t, len(kept), 66_000)
	})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		for _, q := range []aiquery.Request{
			query(`SELECT bp.name, count(*) FROM c_order o JOIN c_bpartner bp ON bp.c_bpartner_id = o.c_bpartner_id GROUP BY bp.name`),
			query(`SELECT documentno FROM c_order WHERE c_order_id = $1 AND documentno = ANY($2)`, "104", `["1"]`),
		} {
			x, err := w.Explain(t.Context(), user, q)
			require.NoError(t, err, w.log)
			assert.NotEmpty(t, x.Columns[0].Type)
			for _, secret := range []string{"50000", "adempiere", "Filter", "Cost", "Scan"} {
				assert.NotContains(t, shown(t, x), secret)
			}
		}
		assert.Len(t, w.audit(t), 2)
		x, err := w.Explain(t.Context(), user, query(`SELECT o.documentno, 1/(o.c_order_id-5) FROM c_order o JOIN rv_order_detail d USING (c_order_id)
			WHERE o.documentno = '80004' AND upper(o.docstatus) = 'CO' AND d.partnername LIKE 'J%'`))
		require.NoError(t, err, w.log)
		assert.Equal(t, []api.Read{
			{Table: "C_Order", Compared: []string{"c_order_id", "documentno"}, Computed: []string{"docstatus"}},
			{Table: "RV_Order_Detail", Compared: []string{"c_order_id"}, Computed: []string{"partnername"}},
		}, x.Reads)
		assert.Equal(t, []string{"the operator /"}, x.Failing)
		_, err = w.Explain(t.Context(), user, query(`SELECT documentno + 1 FROM c_order`))
		assert.Contains(t, []api.Code{api.CodeSyntax, api.CodeUnsupported}, code(t, err))
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		h := w.Health(t.Context())
		assert.True(t, h.OK, h)
		assert.Equal(t, "up", h.Database)
		assert.Equal(t, "up", h.Audit)
		assert.Empty(t, h.Warnings)
	})
	d := prepare(t, aitest.Postgres(t))
	w := d.world(t, d.owner, nil, nil)
	h := w.Health(t.Context())
	assert.True(t, h.OK)
	assert.Equal(t, map[string]string{"work_mem": "32MB", "temp_file_limit": "1GB", "hash_mem_multiplier": "2"}, h.Limits)
	assert.Contains(t, h.Warnings, "the database login is a superuser")
	assert.Contains(t, h.Warnings, "the database login may change rows of the ERP")
	w.exec(t, "DROP TABLE aig_querylog")
	h = w.Health(t.Context())
	assert.False(t, h.OK)
	assert.NotEqual(t, "up", h.Audit)
}

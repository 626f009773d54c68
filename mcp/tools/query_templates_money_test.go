package tools_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/rowscript"
	"github.com/erphub/erphub/internal/testkit/testpg"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

// Every template of money gives, on random documents, the figures that package
// math/big gives for them: on the sandbox with a role's permissions, and on
// PostgreSQL. ERPHUB_PROOF=1 takes many more.
func TestMoneyTemplates(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every one of them")
	}
	t.Parallel()
	srv := erptest.New(t)
	sandbox := governed(t, srv)
	postgres, reg := onPostgreSQL(t, srv)
	seeds := []uint64{1, 2}
	if os.Getenv("ERPHUB_PROOF") != "" {
		for seed := range uint64(60) {
			seeds = append(seeds, 100+seed)
		}
	}
	for _, seed := range seeds {
		l := newLedger(seed)
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), l.script(t, reg))
			return err
		}, append(slices.Clone(ledgerTables), "C_DocType", "C_PaymentTerm", "C_BPartner", "C_ConversionType")...))
		_, err := postgres.ExecContext(t.Context(), "SET timezone = 'UTC'; "+l.script(t, reg))
		require.NoError(t, err)
		world := readWorld(t, postgres)
		for _, c := range figures(l, world) {
			tm := response[templatesResponse](t, sandbox, admin, "getQueryTemplates", args{"name": c.template}).Templates[0]
			name := fmt.Sprintf("%s %v, seed %d", c.template, c.params, seed)
			assert.Equal(t, c.rows(), asked(t, sandbox, tm.SQL, c.params), "%s on the sandbox", name)
			assert.Equal(t, c.rows(), selected(t, postgres, tm.SQL, c.params), "%s on PostgreSQL", name)
			if t.Failed() {
				return // the first difference says enough
			}
		}
	}
}

// figure is what a template must return.
type figure struct {
	template string
	params   []any
	want     [][]string
}

// rows are sorted: how they are ordered says nothing about figures.
func (f figure) rows() []string { return sortedRows(f.want) }

func sortedRows(rows [][]string) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, strings.Join(r, " | "))
	}
	slices.Sort(out)
	return out
}

// world are names from the master data.
type world struct{ partnerValue, partnerName, taxName, taxRate, bank, product, productValue, category, account, accountName map[int]string }

func figures(l *ledger, w world) []figure {
	from, to := day(2024, 2, 1), day(2025, 3, 1)
	within := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	period := []any{"2024-02-01", "2025-03-01"}
	all := []figure{
		{"open-invoices", nil, openInvoices(l, w)},
		{"receivables-aging", []any{"2024-07-15"}, aging(l, w, day(2024, 7, 15))},
		{"receivables-aging", []any{"2025-02-28"}, aging(l, w, day(2025, 2, 28))},
		{"receivables-aging", []any{"2030-01-01"}, aging(l, w, day(2030, 1, 1))},
	}
	invoiced, taxes := sums{}, sums{}
	for _, i := range l.invoices {
		if !within(i.date) || !slices.Contains([]string{"CO", "CL", "RE"}, i.status) || i.docType == proForma {
			continue
		}
		count := 1
		if i.status == "RE" {
			count = 0
		}
		kind, trade := "vendor", "purchase"
		if i.sotrx {
			kind, trade = "customer", "sales"
		}
		invoiced.add([]string{i.date.Format("2006-01"), kind, isoCodes[i.currency]}, count*100, i.sign()*i.net, i.sign()*i.grand())
		taxes.add([]string{trade, w.taxName[i.taxID], w.taxRate[i.taxID], isoCodes[i.currency]}, i.sign()*i.net, i.sign()*i.tax)
	}
	payments := sums{}
	for _, p := range l.payments {
		if !within(p.date) || !slices.Contains([]string{"CO", "CL", "RE"}, p.status) {
			continue
		}
		count, kind, bank := 1, "made", "NULL"
		if p.status == "RE" {
			count = 0
		}
		if p.receipt {
			kind = "received"
		}
		if p.bank != 0 {
			bank = w.bank[p.bank]
		}
		payments.add([]string{p.date.Format("2006-01"), bank, kind, isoCodes[p.currency]}, count*100, p.amount)
	}
	balances, documents := sums{}, sums{}
	for _, f := range l.facts {
		if f.posting != "A" {
			continue
		}
		documents.add([]string{fmt.Sprint(f.schema), fmt.Sprint(f.table), fmt.Sprint(f.record)}, f.debit, f.credit)
		if within(f.date) {
			balances.add([]string{w.account[0], "USD", w.account[f.account], w.accountName[f.account]}, f.debit, f.credit, f.debit-f.credit)
		}
	}
	unbalanced := [][]string{}
	for _, r := range documents.rows() {
		if r[3] != r[4] {
			unbalanced = append(unbalanced, r)
		}
	}
	all = append(all, figure{"invoiced-by-month", period, invoiced.rows()}, figure{"taxes", period, taxes.rows()}, figure{"payments", period, payments.rows()},
		figure{"trial-balance", period, balances.rows()}, figure{"unbalanced-documents", nil, unbalanced})
	return append(all, orderFigures(l, w, within, period)...)
}

func openInvoices(l *ledger, w world) [][]string {
	var rows [][]string
	for _, i := range l.invoices {
		if i.docType != 116 && i.docType != 118 || i.status != "CO" && i.status != "CL" || i.paid {
			continue
		}
		parts, lost := l.open(i, time.Time{})
		for _, p := range parts {
			if p.open.Sign() != 0 {
				rows = append(rows, []string{fmt.Sprint(i.id), i.date.Format(time.DateOnly), p.due.Format(time.DateOnly), w.partnerValue[i.partner], w.partnerName[i.partner],
					isoCodes[i.currency], p.amount.RatString(), p.open.RatString(), fmt.Sprint(lost)})
			}
		}
	}
	return rows
}

func aging(l *ledger, w world, on time.Time) [][]string {
	ages := sums{}
	for _, i := range l.invoices {
		if i.docType != 116 && i.docType != 118 || i.status != "CO" && i.status != "CL" || i.acct.After(on) {
			continue
		}
		parts, lost := l.open(i, on)
		for _, p := range parts {
			if p.open.Sign() == 0 {
				continue
			}
			buckets := make([]*big.Rat, 4)
			for n := range buckets {
				buckets[n] = new(big.Rat)
			}
			late := int(on.Sub(p.due).Hours() / 24)
			switch {
			case late <= 0:
				buckets[0] = p.open
			case late <= 30:
				buckets[1] = p.open
			case late <= 90:
				buckets[2] = p.open
			default:
				buckets[3] = p.open
			}
			ages.addRats([]string{w.partnerValue[i.partner], w.partnerName[i.partner], isoCodes[i.currency]},
				append(append([]*big.Rat{p.open}, buckets...), big.NewRat(int64(lost), 1))...)
		}
	}
	return ages.rows()
}

func orderFigures(l *ledger, w world, within func(time.Time) bool, period []any) []figure {
	months, customers, whole, categories, sellers, statuses, vendors := sums{}, sums{}, sums{}, sums{}, sums{}, sums{}, sums{}
	last := map[string]time.Time{}
	for _, o := range l.orders {
		cur := isoCodes[o.currency]
		kind := "sales"
		switch o.docType {
		case 126:
			kind = "purchase"
		case 128, proposal:
			kind = "quotation"
		}
		statuses.add([]string{kind, o.status, cur}, 100, o.total())
		if o.status != "CO" && o.status != "CL" || !within(o.date) {
			continue
		}
		partner := []string{cur, w.partnerValue[o.partner], w.partnerName[o.partner]}
		switch o.docType {
		case 126:
			vendors.add(partner, 100, o.total())
			if key := strings.Join(partner, "|"); o.date.After(last[key]) {
				last[key] = o.date
			}
		case 132:
			months.add([]string{o.date.Format("2006-01"), cur}, 100, o.total())
			customers.add(partner, 100, o.total())
			whole.add([]string{cur}, o.total())
			for _, line := range o.lines {
				if line.product != 0 {
					categories.add([]string{w.category[line.product], cur}, line.qty*100, line.amount)
					sellers.add([]string{w.category[line.product], w.productValue[line.product], w.product[line.product], cur}, line.qty*100, line.amount)
				}
			}
		}
	}
	top := customers.rows()
	for n, r := range top {
		share, of := rat(r[4]), whole[r[0]].values[0]
		share.Mul(share, big.NewRat(100, 1))
		top[n] = append(r, rounded(share.Quo(share, of), 1).RatString())
	}
	best := sellers.rows()
	for n, r := range best {
		place := 1
		for _, other := range sellers.rows() {
			if other[0] == r[0] && other[3] == r[3] && rat(other[5]).Cmp(rat(r[5])) > 0 {
				place++
			}
		}
		best[n] = append(r, strconv.Itoa(place))
	}
	bought := vendors.rows()
	for n, r := range bought {
		bought[n] = append(r, last[strings.Join(r[:3], "|")].Format(time.DateOnly))
	}
	return []figure{
		{"sales-by-month", period, months.rows()}, {"top-customers", period, top}, {"sales-by-category", period, categories.rows()},
		{"best-sellers", period, best}, {"orders-by-status", nil, statuses.rows()}, {"purchases-by-vendor", period, bought},
	}
}

func rat(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

// sums adds up hundredths by the names in front of them.
type sums map[string]*sum

type sum struct {
	key    []string
	values []*big.Rat
}

func (s sums) add(key []string, hundredths ...int) {
	values := make([]*big.Rat, len(hundredths))
	for i, n := range hundredths {
		values[i] = big.NewRat(int64(n), 100)
	}
	s.addRats(key, values...)
}

func (s sums) addRats(key []string, values ...*big.Rat) {
	at := s[strings.Join(key, "|")]
	if at == nil {
		at = &sum{key: key, values: make([]*big.Rat, len(values))}
		for i := range at.values {
			at.values[i] = new(big.Rat)
		}
		s[strings.Join(key, "|")] = at
	}
	for i, v := range values {
		at.values[i].Add(at.values[i], v)
	}
}

func (s sums) rows() [][]string {
	rows := [][]string{}
	for _, at := range s {
		row := slices.Clone(at.key)
		for _, v := range at.values {
			row = append(row, v.RatString())
		}
		rows = append(rows, row)
	}
	return rows
}

// governed is the tools over the sandbox's database.
func governed(t *testing.T, srv *erptest.Server) *kit {
	t.Helper()
	source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, source.Close()) })
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	require.NoError(t, aiquery.Install(t.Context(), db))
	overDB, err := backend.NewDB(db, source, &backend.DBOptions{Registry: backend.RegistryOptions{Fresh: time.Hour}})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		assert.NoError(t, overDB.Close(ctx))
	})
	pool, err := backend.NewPool("", overDB)
	require.NoError(t, err)
	who := mcp.Caller{ID: admin.user, ClientID: 11, UserID: 101, RoleID: 102, OrgID: 11, Known: true}
	_, err = overDB.Registry(t.Context(), who)
	require.NoError(t, err)
	return &kit{srv: srv, set: tools.New(tools.Options{Pool: pool}).Tools(), callers: map[string]mcp.Caller{admin.user: who}}
}

// onPostgreSQL is a database with the tables of the templates, their types as in
// the dictionary, and the sandbox's rows of master data.
func onPostgreSQL(t *testing.T, srv *erptest.Server) (*sql.DB, registry.Registry) {
	t.Helper()
	lite := srv.Database()
	t.Cleanup(func() { assert.NoError(t, lite.Close()) })
	source, err := dbdict.New(lite, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	db := testpg.Open(t)
	db.SetMaxOpenConns(1) // its settings stay
	var script strings.Builder
	for _, name := range templateTables {
		names := createTable(t, &script, reg, name)
		if slices.Contains(ledgerTables, name) {
			continue
		}
		rows, err := lite.QueryContext(t.Context(), fmt.Sprintf("SELECT %s FROM %s WHERE AD_Client_ID IN (0, 11)", strings.Join(names, ", "), name))
		require.NoError(t, err)
		values, scan := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			scan[i] = &values[i]
		}
		for rows.Next() {
			require.NoError(t, rows.Scan(scan...))
			texts := make([]string, len(values))
			for i, v := range values {
				if texts[i] = rowscript.Literal(v); v != nil && texts[i][0] != '\'' {
					texts[i] = "'" + texts[i] + "'"
				}
			}
			fmt.Fprintf(&script, "INSERT INTO %s (%s) VALUES (%s);\n", name, strings.Join(names, ", "), strings.Join(texts, ", "))
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	_, err = db.ExecContext(t.Context(), script.String())
	require.NoError(t, err)
	return db, reg
}

func readWorld(t *testing.T, db *sql.DB) world {
	t.Helper()
	read := func(query string) map[int]string {
		rows, err := db.QueryContext(t.Context(), query)
		require.NoError(t, err)
		defer rows.Close()
		out := map[int]string{}
		for rows.Next() {
			var id int
			var text string
			require.NoError(t, rows.Scan(&id, &text))
			out[id] = text
		}
		require.NoError(t, rows.Err())
		return out
	}
	w := world{
		partnerValue: read("SELECT c_bpartner_id, value FROM c_bpartner"), partnerName: read("SELECT c_bpartner_id, name FROM c_bpartner"),
		taxName: read("SELECT c_tax_id, name FROM c_tax"), taxRate: read("SELECT c_tax_id, trim_scale(rate)::text FROM c_tax"),
		bank: read("SELECT c_bankaccount_id, name FROM c_bankaccount"), product: read("SELECT m_product_id, name FROM m_product"),
		productValue: read("SELECT m_product_id, value FROM m_product"),
		category:     read("SELECT p.m_product_id, c.name FROM m_product p JOIN m_product_category c USING (m_product_category_id)"),
		account:      read("SELECT c_elementvalue_id, value FROM c_elementvalue"), accountName: read("SELECT c_elementvalue_id, name FROM c_elementvalue"),
	}
	w.account[0] = read("SELECT 0, name FROM c_acctschema WHERE c_acctschema_id = 101")[0]
	return w
}

// asked is what executeQuery returns.
func asked(t *testing.T, k *kit, sql string, params []any) []string {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, "executeQuery", args{"sql": sql, "params": params, "maxRows": 1000})
	require.NoError(t, err, sql)
	got := decodedNumbers(t, raw)
	require.False(t, got.Truncated, sql)
	rows := [][]string{}
	for _, r := range got.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = plainCell(fmt.Sprint(v), v == nil)
		}
		rows = append(rows, row)
	}
	return sortedRows(rows)
}

// selected is what PostgreSQL returns.
func selected(t *testing.T, db *sql.DB, query string, params []any) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, params...)
	require.NoError(t, err, query)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	out := [][]string{}
	for rows.Next() {
		values, scan := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			scan[i] = &values[i]
		}
		require.NoError(t, rows.Scan(scan...))
		row := make([]string, len(columns))
		for i, v := range values {
			if at, ok := v.(time.Time); ok {
				v = at.Format(time.DateTime)
			}
			row[i] = plainCell(fmt.Sprint(v), v == nil)
		}
		out = append(out, row)
	}
	require.NoError(t, rows.Err())
	return sortedRows(out)
}

var (
	dateCell   = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
	numberCell = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
)

// plainCell is a value in one way of writing.
func plainCell(text string, null bool) string {
	switch {
	case null:
		return "NULL"
	case dateCell.MatchString(text):
		return text[:10]
	case numberCell.MatchString(text):
		return rat(text).RatString()
	}
	return text
}

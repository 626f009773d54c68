package metrics_test

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// orgNames are read from the database.
var orgNames = map[int]string{}

// asRole runs statements as a role.
type asRole struct {
	engine *aiquery.Engine
	role   int
}

func (r asRole) Query(ctx context.Context, sql string, params []json.RawMessage, rows int) (*api.Result, error) {
	if rows == 0 {
		rows = 1000
	}
	return r.engine.Query(ctx, aiquery.Caller{UserID: aitest.User}, aiquery.Request{SQL: sql, Params: params, RoleID: r.role, MaxRows: rows})
}

// rig is both databases.
type rig struct {
	reg     registry.Registry
	write   func(script string)
	engines map[string]*aiquery.Engine
}

func newRig(t *testing.T) *rig {
	t.Helper()
	srv, address := aitest.Embedded(t), aitest.Postgres(t)
	lite := srv.Database()
	t.Cleanup(func() { assert.NoError(t, lite.Close()) })
	source, err := dbdict.New(lite, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	names, err := lite.QueryContext(t.Context(), "SELECT AD_Org_ID, Name FROM AD_Org")
	require.NoError(t, err)
	defer names.Close()
	for names.Next() {
		var id int
		var name string
		require.NoError(t, names.Scan(&id, &name))
		orgNames[id] = name
	}
	require.NoError(t, names.Err())
	own, err := embedded.Open(srv)
	require.NoError(t, err)
	server, err := postgres.Open(t.Context(), aitest.As(t, address, aitest.ReadLogin), nil)
	require.NoError(t, err)
	r := &rig{reg: reg, engines: map[string]*aiquery.Engine{}}
	for name, db := range map[string]aiquery.Database{"sandbox": own, "postgresql": server} {
		engine, err := aiquery.New(db, reg, &aiquery.Options{NoAudit: true, PerUser: 4})
		require.NoError(t, err)
		r.engines[name] = engine
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			assert.NoError(t, engine.Close(ctx))
			assert.NoError(t, db.Close())
		})
	}
	r.write = func(script string) {
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), script)
			return err
		}, "*"))
		conn, err := pgx.Connect(t.Context(), address)
		require.NoError(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		_, err = conn.PgConn().Exec(t.Context(), "SET search_path = adempiere; SET synchronous_commit = off; BEGIN; "+script+" COMMIT; ANALYZE").ReadAll()
		require.NoError(t, err)
		for _, e := range r.engines {
			e.Invalidate()
		}
	}
	return r
}

// figure is a measure over a group of facts.
type figure func(group []*fact) *big.Rat // nil: NULL

func total(of func(*fact) *big.Rat) figure {
	return func(group []*fact) *big.Rat {
		var sum *big.Rat
		for _, f := range group {
			if x := of(f); x != nil {
				if sum == nil {
					sum = new(big.Rat)
				}
				sum.Add(sum, x)
			}
		}
		return sum
	}
}

func amount(name string) figure {
	return total(func(f *fact) *big.Rat { return f.money[name] })
}

func amountWhen(name string, when func(*fact) bool) figure {
	return total(func(f *fact) *big.Rat {
		if when(f) {
			return f.money[name]
		}
		return new(big.Rat)
	})
}

func units(name string) figure {
	return total(func(f *fact) *big.Rat { return big.NewRat(int64(f.plain[name]), 1) })
}

// counted is units, which are 0 of nothing.
func counted(name string) figure {
	return func(group []*fact) *big.Rat {
		if x := units(name)(group); x != nil {
			return x
		}
		return new(big.Rat)
	}
}

func documents(group []*fact) *big.Rat {
	seen := map[string]bool{}
	for _, f := range group {
		seen[f.group] = true
	}
	delete(seen, "")
	return big.NewRat(int64(len(seen)), 1)
}

func having(dim string, values ...string) figure {
	return func(group []*fact) *big.Rat {
		n := 0
		for _, f := range group {
			if slices.Contains(values, f.dims[dim]) {
				n++
			}
		}
		return big.NewRat(int64(n), 1)
	}
}

// ratio is a quotient with one digit.
func ratio(factor int64, over, under figure) figure {
	return func(group []*fact) *big.Rat {
		x, y := over(group), under(group)
		if x == nil || y == nil || y.Sign() == 0 {
			return nil
		}
		return rounded(new(big.Rat).Quo(new(big.Rat).Mul(big.NewRat(factor, 1), x), y), 1)
	}
}

func all(group []*fact) *big.Rat { return big.NewRat(int64(len(group)), 1) }

func late(from, to int) figure {
	return amountWhen("open", func(f *fact) bool { return f.plain["late"] >= from && f.plain["late"] <= to })
}

const long = 1 << 30

var ages = []figure{amount("open"), late(-long, 0), late(1, 30), late(31, 60), late(61, 90), late(91, long), units("without_rate")}

// question is a query and what it must return.
type question struct {
	metrics.Query
	facts    []*fact
	measures []figure
	money    bool
	rates    time.Time // the day of all rates; zero: that of each record
}

func questions(b *books, v viewer) []question {
	ask := func(metric string, facts []*fact, money bool, measures []figure, by ...string) question {
		return question{Query: metrics.Query{Metric: metric, Dimensions: by}, facts: facts, measures: measures, money: money}
	}
	until := func(q question, day time.Time) question { q.AsOf = day.Format(time.DateOnly); return q }
	within := func(q question, from, to time.Time) question {
		q.From, q.To = from.Format(time.DateOnly), to.Format(time.DateOnly)
		q.facts = keep(q.facts, func(f *fact) bool { return !f.date.Before(from) && !f.date.After(to) })
		return q
	}
	in := func(q question, currency string) question { q.Currency = currency; return q }
	at := func(q question, rates string, day time.Time) question { q.RateDate, q.rates = rates, day; return q }
	with := func(q question, dim string, values ...string) question {
		q.Filters = map[string][]string{dim: values}
		for i, value := range values {
			values[i] = strings.TrimPrefix(value, "=")
		}
		q.Filters[dim] = slices.Clone(q.Filters[dim])
		q.facts = keep(q.facts, func(f *fact) bool {
			_, has := f.dims[dim]
			return slices.Contains(values, f.dims[dim]) || f.unlisted != "" && !has
		})
		return q
	}
	mid, end := day(2024, 7, 15), day(2030, 1, 1)
	net := []figure{amount("net"), units("quantity"), documents}
	withLimit := func(name string) figure {
		return total(func(f *fact) *big.Rat {
			if f.money["limit"] == nil {
				return nil
			}
			return f.money[name]
		})
	}
	margin := func(group []*fact) *big.Rat {
		x, y := withLimit("net")(group), withLimit("limit")(group)
		if x == nil {
			return nil
		}
		return new(big.Rat).Sub(x, y)
	}
	margins := []figure{margin, ratio(100, margin, withLimit("net")), withLimit("net"), total(func(f *fact) *big.Rat {
		if f.money["limit"] == nil {
			return f.money["net"]
		}
		return nil
	})}
	orders := []figure{amount("net"), units("ordered"), documents}
	deliver := []figure{amount("deliver"), units("deliver"), documents}
	toInvoice := []figure{amount("invoice"), amount("waiting"), units("invoice"), documents}
	dateOrdered := func(o *order) time.Time { return o.date }
	datePromised := func(o *order) time.Time { return o.promised }
	toDeliver := func(base string) []*fact {
		return keep(b.ordered(v, base, "CO", datePromised), func(f *fact) bool { return f.plain["deliver"] > 0 })
	}
	position := total(func(f *fact) *big.Rat {
		if f.lost {
			return nil
		}
		return new(big.Rat).Add(f.money["balance"], f.money["unreconciled"])
	})
	cash := []figure{position, amount("balance"), amount("unreconciled"), counted("payments")}
	received := func(f *fact) bool { return f.dims["kind"] == "received" }
	made := amountWhen("amount", func(f *fact) bool { return !received(f) })
	flow := []figure{amount("amount"), amountWhen("amount", received), func(g []*fact) *big.Rat {
		if x := made(g); x != nil {
			return new(big.Rat).Neg(x)
		}
		return nil
	}, counted("payments")}
	states := []figure{all, having("status", "CO", "CL"), having("status", "DR", "IP"), having("status", "VO", "RE")}
	outstanding := []figure{func(g []*fact) *big.Rat {
		open, invoiced := amount("open")(g), amount("invoiced")(g)
		if open == nil || invoiced == nil || open.Sign() < 0 || invoiced.Sign() <= 0 {
			return nil
		}
		return ratio(90, amount("open"), amount("invoiced"))(g)
	}, amount("open"), amountWhen("open", func(f *fact) bool { return f.dims["older"] == "Y" }), amount("invoiced"), counted("without_rate")}
	ended := func(f figure) figure {
		return func(g []*fact) *big.Rat {
			return f(keep(slices.Clone(g), func(f *fact) bool { return f.plain["ended"] == 1 }))
		}
	}
	notEnded := func(g []*fact) *big.Rat { return new(big.Rat).Sub(all(g), ended(all)(g)) }
	longest := func(group []*fact) *big.Rat {
		var most *big.Rat
		for _, f := range group {
			if x := big.NewRat(int64(f.plain["days"]), 1); most == nil || x.Cmp(most) > 0 {
				most = x
			}
		}
		return most
	}
	delivery := []figure{ended(ratio(1, units("days"), all)), ended(ratio(1, units("first"), all)), ended(longest), ended(all), notEnded}
	invoicing := []figure{ended(ratio(1, units("days"), all)), ended(longest), ended(all), notEnded}
	comparison := []figure{amount("net"), amount("before"), amount("change"), func(g []*fact) *big.Rat {
		if before := amount("before")(g); before == nil || before.Sign() <= 0 {
			return nil
		}
		return ratio(100, amount("change"), amount("before"))(g)
	}}
	quoted := []figure{amount("total"), all, longest}
	reorder := []figure{units("to_order"), units("on_hand"), units("reserved"), units("on_order"), units("least"), units("most")}
	trial := []figure{amount("debit"), amount("credit"), amount("balance")}
	leap := day(2024, 2, 29)
	everybody := []string{"=P0 Partner", "=P1 Partner", "=P2 Partner", "=P3 Partner", "=P4 Partner", "=P5 Partner"}
	payment := []figure{ended(ratio(1, units("days"), all)), ended(ratio(1, units("late"), all)), ended(all), notEnded}
	return []question{
		until(ask("open-receivables", b.openItems(v, true, end), true, ages), end),
		until(ask("open-receivables", b.openItems(v, true, mid), true, ages, "partner"), mid),
		until(ask("open-receivables", b.openItems(v, true, mid), true, ages, "organization", "currency"), mid),
		in(at(until(ask("open-receivables", b.openItems(v, true, mid), true, ages, "partner"), mid), metrics.RateAsOf, mid), "EUR"),
		in(at(ask("revenue", b.invoiced(v, true), true, net, "currency"), "", time.Time{}), ""),
		in(at(ask("revenue", b.invoiced(v, true), true, net), "2025-02-03", day(2025, 2, 3)), "EUR"),
		in(at(within(ask("revenue", b.invoiced(v, true), true, net), day(2024, 3, 3), day(2024, 12, 31)), metrics.RateAsOf, day(2024, 12, 31)), "GBP"),
		in(until(with(ask("open-receivables", b.openItems(v, true, end), true, ages, "age"), "currency", "GBP", "EUR"), end), "JPY"),
		until(ask("open-payables", b.openItems(v, false, end), true, ages, "partner", "age"), end),
		in(until(ask("open-payables", b.openItems(v, false, mid), true, ages), mid), "CHF"),
		ask("revenue", b.invoiced(v, true), true, net),
		within(ask("revenue", b.invoiced(v, true), true, net, "month"), day(2024, 3, 3), day(2024, 12, 31)),
		in(ask("revenue", b.invoiced(v, true), true, net, "product", "partner"), "EUR"),
		with(ask("revenue", b.invoiced(v, true), true, net, "year"), "partner", "=P1 Partner"),
		in(ask("purchases-invoiced", b.invoiced(v, false), true, net, "product"), "EUR"),
		ask("margin", b.invoiced(v, true), true, margins, "product"),
		in(ask("margin", b.invoiced(v, true), true, margins), "GBP"),
		ask("sales-orders", b.ordered(v, "SOO", "CO CL", dateOrdered), true, orders, "quarter"),
		within(ask("purchase-orders", b.ordered(v, "POO", "CO CL", dateOrdered), true, orders, "partner"), day(2024, 2, 1), day(2025, 2, 1)),
		ask("orders-to-deliver", toDeliver("SOO"), true, deliver, "product"),
		within(ask("orders-to-deliver", toDeliver("SOO"), true, deliver), day(2024, 1, 10), day(2024, 9, 9)),
		ask("purchases-to-receive", toDeliver("POO"), true, deliver, "organization"),
		ask("orders-to-invoice", keep(b.ordered(v, "SOO", "CO CL", dateOrdered), func(f *fact) bool { return f.plain["invoice"] > 0 }), true, toInvoice, "partner"),
		ask("stock", b.stock(v), false, []figure{func(g []*fact) *big.Rat {
			return new(big.Rat).Sub(units("on_hand")(g), units("reserved")(g))
		}, units("on_hand"), units("reserved"), units("on_order")}, "product", "warehouse"),
		ask("stock-movements", b.movements(v), false, []figure{units("in"), units("out"), units("change")}, "product", "movement_type"),
		ask("cash-position", b.cash(v), true, cash, "account", "kind"),
		ask("cash-position", b.cash(v), true, cash, "currency"),
		in(ask("cash-position", b.cash(v), true, cash), "EUR"),
		ask("cash-flow", b.cashFlow(v), true, flow, "month"),
		ask("cash-flow", b.cashFlow(v), true, flow, "partner", "currency"),
		in(ask("cash-flow", b.cashFlow(v), true, flow, "partner"), "EUR"),
		ask("unallocated-payments", b.unallocated(v), true, []figure{amount("available"), counted("without_rate")}, "kind", "partner"),
		ask("days-sales-outstanding", b.outstanding(v), true, outstanding),
		in(ask("days-sales-outstanding", b.outstanding(v), true, outstanding, "partner"), "EUR"),
		ask("documents", b.documents(v), false, states, "kind", "status"),
		ask("documents", b.documents(v), false, states, "year"),
		ask("delivery-time", b.deliveries(v), false, delivery, "partner"),
		within(ask("delivery-time", b.deliveries(v), false, delivery), day(2024, 2, 1), day(2024, 6, 30)),
		ask("invoicing-time", b.invoicings(v), false, invoicing, "partner"),
		within(ask("invoicing-time", b.invoicings(v), false, invoicing), day(2024, 2, 1), day(2024, 6, 30)),
		with(until(ask("sales-comparison", b.compared(v, leap), true, comparison, "partner"), leap), "partner", slices.Clone(everybody)...),
		with(until(ask("sales-comparison", b.compared(v, day(2024, 1, 12)), true, comparison, "partner", "kind"), day(2024, 1, 12)), "partner", slices.Clone(everybody)...),
		in(with(until(ask("sales-comparison", b.compared(v, day(2025, 3, 10)), true, comparison, "month"), day(2025, 3, 10)), "kind", "=invoice"), "EUR"),
		ask("quotations-not-ordered", b.quotations(v), true, quoted, "partner"),
		within(ask("quotations-not-ordered", b.quotations(v), true, quoted), day(2024, 2, 1), day(2024, 12, 31)),
		ask("stock-to-reorder", b.reorders(v), false, reorder, "product", "warehouse"),
		with(ask("stock-to-reorder", b.reorders(v), false, reorder, "rule"), "product", "="+productName(products[1])),
		within(ask("trial-balance", b.trial(v), true, trial, "account"), day(2024, 2, 1), day(2024, 12, 31)),
		in(ask("trial-balance", b.trial(v), true, trial, "account_type", "organization"), "EUR"),
		with(ask("trial-balance", b.trial(v), true, trial), "account", "=1 Account"),
		ask("unposted-documents", b.unposted(v), false, []figure{all}, "kind", "reason", "status"),
		ask("payment-time", b.paidInvoices(v), false, payment, "year"),
		within(ask("payment-time", b.paidInvoices(v), false, payment, "partner"), day(2024, 1, 1), day(2024, 12, 31)),
		within(ask("new-customers", b.newCustomers(v), false, []figure{all, units("invoices")}, "partner"), day(2024, 1, 1), day(2024, 6, 20)),
	}
}

// expected are the rows of a question, how many records are left out and why, and the
// rates that are used.
func (q question) expected(b *books, v viewer) (rows []string, lost map[string]int64, used map[string]bool) {
	lost, used = map[string]int64{}, map[string]bool{}
	for _, f := range q.facts {
		if f.unlisted != "" {
			lost[f.unlisted]++
			continue
		}
		for why, is := range map[string]bool{
			"not paid yet": q.Metric == "payment-time" && f.plain["ended"] == 0, "not delivered yet": q.Metric == "delivery-time" && f.plain["ended"] == 0, "not invoiced yet": q.Metric == "invoicing-time" && f.plain["ended"] == 0,
			"lines without a limit price have no margin":    q.Metric == "margin" && f.money["limit"] == nil,
			"an allocation in another currency has no rate": q.Metric == "unallocated-payments" && f.plain["without_rate"] > 0,
			"what is open is not known for want of a rate":  q.Metric == "days-sales-outstanding" && f.plain["without_rate"] > 0,
		} {
			if is {
				lost[why]++
			}
		}
	}
	target := usd
	for id, iso := range isoCodes {
		if iso == q.Currency {
			target = id
		}
	}
	groups := map[string][]*fact{}
	if len(q.Dimensions) == 0 {
		groups[""] = nil
	}
	for _, f := range q.facts {
		if f.unlisted != "" {
			continue
		}
		if q.money {
			on, to := f.on, target
			if !q.rates.IsZero() {
				on = q.rates
			}
			if slices.Contains(q.Dimensions, metrics.CurrencyDimension) {
				to = f.currency
			}
			rate := b.rate(v, f.currency, to, on, f.kind, f.place)
			if rate != nil && f.currency != to {
				used[rate.RatString()] = true
			}
			f.lost = rate == nil
			if f.lost {
				lost["no rate from "+isoCodes[f.currency]+" to "+isoCodes[target]]++
			}
			converted := map[string]*big.Rat{}
			for name, x := range f.money {
				if x != nil && rate != nil {
					converted[name] = rounded(new(big.Rat).Mul(x, rate), digits[to])
				}
			}
			defer func(was map[string]*big.Rat) { f.money = was }(f.money)
			f.money = converted
		}
		var key []string
		for _, d := range q.Dimensions {
			value, ok := f.dims[d]
			if !ok {
				value = "NULL"
			}
			key = append(key, value)
		}
		groups[strings.Join(key, " | ")] = append(groups[strings.Join(key, " | ")], f)
	}
	for key, group := range groups {
		var row []string
		if key != "" {
			row = append(row, key)
		}
		for _, m := range q.measures {
			row = append(row, ratText(m(group)))
		}
		row = append(row, fmt.Sprint(len(group)))
		if q.money {
			n := 0
			for _, f := range group {
				if f.lost {
					n++
				}
			}
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, strings.Join(row, " | "))
	}
	slices.Sort(rows)
	if rows == nil {
		rows = []string{}
	}
	return rows, lost, used
}

func ratText(x *big.Rat) string {
	if x == nil {
		return "NULL"
	}
	return x.RatString()
}

// shown are the rows of a result in the same way of writing.
func shown(r *metrics.Result) []string {
	rows := []string{}
	for _, values := range r.Rows {
		row := make([]string, len(values))
		for i, v := range values {
			switch v := v.(type) {
			case nil:
				row[i] = "NULL"
			case json.Number:
				x, _ := new(big.Rat).SetString(v.String())
				row[i] = ratText(x)
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		rows = append(rows, strings.Join(row, " | "))
	}
	slices.Sort(rows)
	return rows
}

// Every metric gives, on random documents of two tenants, for roles that see all and
// some of them, the figures that are computed from the documents without SQL; on the
// sandbox and on PostgreSQL. Records behind a number add up to it: those of the first and
// the last row. With -short each question is asked by one of the roles in turn, and one
// of the rows is looked at; ERPHUB_PROOF=1 takes more documents.
func TestNumbers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	set, err := metrics.Builtin()
	require.NoError(t, err)
	seeds := []uint64{1}
	if os.Getenv("ERPHUB_PROOF") != "" {
		for seed := range uint64(40) {
			seeds = append(seeds, 100+seed)
		}
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	viewers := []viewer{{role: aitest.Whole, client: 11}, {role: aitest.Tree, client: 11, orgs: []int{12, 50002, 50004, 50005, 50006}}}
	asked := map[string]bool{}
	for _, seed := range seeds {
		b := newBooks(seed, today)
		r.write(b.rows(t, r.reg))
		for role, v := range viewers {
			openAmounts(t, r, b, v)
			for i, q := range questions(b, v) {
				if testing.Short() && i%len(viewers) != role {
					continue
				}
				want, lost, used := q.expected(b, v)
				asked[q.Metric] = asked[q.Metric] || len(want) > 0
				for name, engine := range r.engines {
					what := fmt.Sprintf("%s by %v in %q (%s to %s, as of %s), role %d, seed %d, on %s", q.Metric, q.Dimensions, q.Currency, q.From, q.To, q.AsOf, v.role, seed, name)
					e := metrics.NewEngine(set, asRole{engine, v.role}, nil)
					got, err := e.Query(t.Context(), q.Query)
					if !assert.NoError(t, err, what) {
						continue
					}
					assert.Equal(t, want, shown(got), what)
					assert.False(t, got.Truncated, what)
					found := map[string]int64{}
					for _, x := range got.Counted.LeftOut {
						found[x.Why] = x.Records
					}
					assert.Equal(t, lost, found, what)
					said(t, q, got, used, what)
					behind(t, e, q.Query, got, i, what)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, d := range set.Definitions() {
		assert.True(t, asked[d.Name], "%s is not compared", d.Name)
	}
}

// said compares what a result says of its currency and rates.
func said(t *testing.T, q question, got *metrics.Result, used map[string]bool, what string) {
	t.Helper()
	want := ""
	switch {
	case !q.money:
	case slices.Contains(q.Dimensions, metrics.CurrencyDimension):
		want = metrics.PerRecord
	default:
		want = cmp.Or(q.Currency, "USD") // the accounting schema's
	}
	assert.Equal(t, want, got.Counted.Currency, what)
	assert.Equal(t, [3]string{q.From, q.To, q.AsOf}, [3]string{got.Counted.From, got.Counted.To, got.Counted.AsOf}, what)
	if !assert.Equal(t, len(used) > 0, len(got.Counted.Rates) > 0, what) || len(used) == 0 {
		return
	}
	assert.NotEmpty(t, got.Counted.RateDate, what)
	told := map[string]bool{}
	for _, r := range got.Counted.Rates {
		for _, n := range []json.Number{r.Rate, r.UpTo} {
			if x, ok := new(big.Rat).SetString(n.String()); ok {
				told[x.RatString()] = true
			}
		}
		if !q.rates.IsZero() {
			assert.Equal(t, q.rates.Format(time.DateOnly), r.Day, what)
			assert.Empty(t, r.LastDay, what)
		}
		assert.Equal(t, want, r.To, what)
	}
	assert.Subset(t, slices.Collect(maps.Keys(used)), slices.Collect(maps.Keys(told)), what)
	if len(used) <= len(got.Counted.Rates) {
		assert.Equal(t, used, told, what)
	}
}

// openAmounts compares what the function returns for every invoice and every part of
// a payment schedule.
func openAmounts(t *testing.T, r *rig, b *books, v viewer) {
	t.Helper()
	want := []string{}
	for _, i := range b.invoices {
		if !v.sees(i.place) {
			continue
		}
		want = append(want, fmt.Sprintf("%d 0 %s", i.id, ratText(b.openNow(v, i, 0))))
		for _, p := range i.parts {
			if v.sees(p.place) {
				want = append(want, fmt.Sprintf("%d %d %s", i.id, p.id, ratText(b.openNow(v, i, p.id))))
			}
		}
	}
	slices.Sort(want)
	for name, engine := range r.engines {
		result, err := asRole{engine, v.role}.Query(t.Context(), `SELECT i.c_invoice_id, 0 AS part, invoiceOpen(i.c_invoice_id, 0) AS open FROM c_invoice i
UNION ALL SELECT i.c_invoice_id, s.c_invoicepayschedule_id, invoiceOpen(i.c_invoice_id, s.c_invoicepayschedule_id) FROM c_invoicepayschedule s JOIN c_invoice i ON i.c_invoice_id = s.c_invoice_id`, nil, 0)
		if !assert.NoError(t, err, name) {
			continue
		}
		got := []string{}
		for _, row := range result.Rows {
			open := "NULL"
			if row[2] != nil {
				x, _ := new(big.Rat).SetString(fmt.Sprint(row[2]))
				open = ratText(x)
			}
			got = append(got, fmt.Sprintf("%v %v %s", row[0], row[1], open))
		}
		slices.Sort(got)
		assert.Equal(t, want, got, "open amounts for role %d on %s", v.role, name)
	}
}

// behind compares the first and the last row with the records behind them; with -short
// one of the two, in turn.
func behind(t *testing.T, e *metrics.Engine, q metrics.Query, got *metrics.Result, turn int, what string) {
	t.Helper()
	records := slices.IndexFunc(got.Columns, func(c metrics.Column) bool { return c.Name == metrics.RecordsColumn })
	ends := slices.Compact([]int{0, len(got.Rows) - 1})
	if testing.Short() {
		ends = ends[turn%len(ends):][:1]
	}
	for _, n := range ends {
		if n < 0 || len(got.Rows) == 0 {
			return
		}
		cell, err := e.Query(t.Context(), got.Cell(q, n))
		if assert.NoError(t, err, what) {
			assert.Equal(t, fmt.Sprint(got.Rows[n][records]), fmt.Sprint(len(cell.Rows)), "records of row %d: %s", n, what)
		}
		if q.Metric != "revenue" || err != nil {
			continue
		}
		sum := new(big.Rat)
		for _, row := range cell.Rows {
			if x, ok := row[len(row)-1].(json.Number); ok {
				y, _ := new(big.Rat).SetString(x.String())
				sum.Add(sum, y)
			}
		}
		want := fmt.Sprint(got.Rows[n][len(q.Dimensions)])
		if x, ok := new(big.Rat).SetString(want); ok {
			assert.Equal(t, x.RatString(), sum.RatString(), "amounts of row %d: %s", n, what)
		}
	}
}

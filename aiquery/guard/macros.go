package guard

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Functions of the ERP that people know are written out as subqueries over the
// tables they read, before the statement is checked: what comes of them is what
// the statement would show that its author wrote without them. The functions in
// the database, which read the rows of everybody, are not called.
//
// Arguments stand in a subquery of their own without tables, so that a name in an
// argument means what it means outside of the call.

// macro is a function and the SELECT that stands for it.
type macro struct {
	name string // as people write it
	args []string
	sql  string // of which each parameter occurs once
}

// rateOf is the conversion rate for a row of arguments a (source, target, day,
// kind, client, org): the ERP takes the tenant's own before those of all tenants,
// then the organization's, then the latest.
const rateOf = `(
SELECT r.multiplyrate FROM c_conversion_rate r
WHERE r.isactive = 'Y' AND r.c_currency_id = a.source AND r.c_currency_id_to = a.target AND a.day BETWEEN r.validfrom AND r.validto
  AND r.ad_client_id IN (0, a.client) AND r.ad_org_id IN (0, a.org)
  AND r.c_conversiontype_id = CASE WHEN a.kind <> 0 THEN a.kind ELSE (
    SELECT ct.c_conversiontype_id FROM c_conversiontype ct
    WHERE ct.isactive = 'Y' AND ct.isdefault = 'Y' AND ct.ad_client_id IN (0, a.client)
    ORDER BY ct.ad_client_id DESC, ct.c_conversiontype_id LIMIT 1) END
ORDER BY r.ad_client_id DESC, r.ad_org_id DESC, r.validfrom DESC, r.c_conversion_rate_id LIMIT 1)`

// conversion are the arguments a of rateOf, numbered from n.
func conversion(n int) string {
	return fmt.Sprintf(`CAST($%d AS numeric) AS source, CAST($%d AS numeric) AS target, coalesce(CAST($%d AS timestamp), CAST(now() AS timestamp)) AS day,
CAST($%d AS numeric) AS kind, CAST($%d AS numeric) AS client, CAST($%d AS numeric) AS org`, n, n+1, n+2, n+3, n+4, n+5)
}

var macros = func() map[string]macro {
	byName := map[string]macro{}
	for _, m := range []macro{
		{
			"currencyRate", []string{"from", "to", "date", "conversionType", "tenant", "organization"},
			`SELECT CASE WHEN a.source = a.target THEN 1 ELSE ` + rateOf + ` END AS currencyrate FROM (SELECT ` + conversion(1) + `) a`,
		},
		{
			"currencyConvert", []string{"amount", "from", "to", "date", "conversionType", "tenant", "organization"},
			`SELECT CASE WHEN a.amount = 0 OR a.source = a.target THEN a.amount ELSE round(a.amount * ` + rateOf + `,
(SELECT CAST(cur.stdprecision AS integer) FROM c_currency cur WHERE cur.c_currency_id = a.target)) END AS currencyconvert
FROM (SELECT CAST($1 AS numeric) AS amount, ` + conversion(2) + `) a`,
		},
		{
			"invoiceOpen", []string{"C_Invoice_ID", "C_InvoicePaySchedule_ID"},
			invoiceOpen,
		},
		{
			"paymentTermDueDate", []string{"C_PaymentTerm_ID", "date"},
			`SELECT CASE WHEN pt.isduefixed = 'Y' THEN CAST(CAST(date_trunc('month', a.day) AS date) + (CAST(pt.fixmonthday AS integer) - 1)
    + CAST(pt.fixmonthoffset AS integer) * interval '1 month'
    + CASE WHEN extract(day FROM a.day) - 1 > pt.fixmonthcutoff THEN interval '1 month' ELSE interval '0 months' END AS date)
  ELSE CAST(a.day AS date) + CAST(pt.netdays AS integer) END AS paymenttermduedate
FROM (SELECT CAST($1 AS numeric) AS term, CAST($2 AS timestamp) AS day) a
JOIN c_paymentterm pt ON pt.c_paymentterm_id = a.term`,
		},
	} {
		byName[strings.ToLower(m.name)] = m
	}
	return byName
}()

// invoiceOpen: allocations count with discount and write-off, in the invoice's
// currency; those of vendors are negative. They pay the parts of a valid schedule
// in the order in which these are due.
const invoiceOpen = `SELECT x.credit * round(CASE
  WHEN x.paid IS NULL THEN NULL
  WHEN x.due IS NULL THEN x.grandtotal - x.paid
  WHEN x.earlier = 0 THEN greatest(0, x.due - x.paid)
  ELSE greatest(0, x.due - greatest(0, x.paid - x.earlier)) END, x.digits) AS invoiceopen
FROM (
  SELECT i.grandtotal, s.dueamt AS due, CAST(cur.stdprecision AS integer) AS digits,
    CASE WHEN dt.docbasetype IN ('ARC', 'APC') THEN -1 ELSE 1 END AS credit,
    CASE WHEN dt.docbasetype IN ('ARC', 'API') THEN -1 ELSE 1 END * (
      SELECT CASE WHEN count(*) = count(p.amount) THEN coalesce(sum(p.amount), 0) END
      FROM (
        SELECT round(CASE WHEN a.source = a.target THEN a.amount ELSE a.amount * ` + rateOf + ` END, a.digits) AS amount
        FROM (
          SELECT al.amount + al.discountamt + al.writeoffamt AS amount, h.c_currency_id AS source, i.c_currency_id AS target,
            h.datetrx AS day, 0 AS kind, h.ad_client_id AS client, h.ad_org_id AS org, CAST(cur.stdprecision AS integer) AS digits
          FROM c_allocationline al
          JOIN c_allocationhdr h ON h.c_allocationhdr_id = al.c_allocationhdr_id
          WHERE al.c_invoice_id = i.c_invoice_id AND h.isactive = 'Y' AND h.docstatus IN ('CO', 'CL', 'RE')
        ) a
      ) p
    ) AS paid,
    (SELECT coalesce(sum(e.dueamt), 0) FROM c_invoicepayschedule e
     WHERE e.c_invoice_id = i.c_invoice_id AND e.isvalid = 'Y'
       AND (e.duedate < s.duedate OR e.duedate = s.duedate AND e.c_invoicepayschedule_id < s.c_invoicepayschedule_id)) AS earlier
  FROM (SELECT CAST($1 AS numeric) AS invoice, coalesce(CAST($2 AS numeric), 0) AS part) a
  JOIN c_invoice i ON i.c_invoice_id = a.invoice
  JOIN c_doctype dt ON dt.c_doctype_id = i.c_doctype_id
  JOIN c_currency cur ON cur.c_currency_id = i.c_currency_id
  LEFT JOIN c_invoicepayschedule s ON s.c_invoicepayschedule_id = a.part AND s.c_invoice_id = i.c_invoice_id AND s.isvalid = 'Y'
) x`

func (m *macro) signature() string { return m.name + "(" + strings.Join(m.args, ", ") + ")" }

// macrosIn reports whether a text may call one, so that others need not be walked
// through.
func macrosIn(text string) bool {
	text = strings.ToLower(text)
	for name := range maps.Keys(macros) {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// expand writes out the calls of macros below a message.
func (j *job) expand(m any) error {
	if err := children(m, j.expand); err != nil { // arguments first
		return err
	}
	for _, n := range nodesIn(m) {
		call := n.GetFuncCall()
		if call == nil || len(call.Funcname) != 1 {
			continue // with a schema it is the function in the database
		}
		name, _ := lastName(call.Funcname)
		found, ok := macros[name]
		if !ok || j.policy.Functions[name] { // the operator permits the one in the database
			continue
		}
		body, err := j.called(&found, call)
		if err != nil {
			return err
		}
		n.Node = &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(body), Location: call.Location}}
	}
	return nil
}

// called is the SELECT that stands for a call.
func (j *job) called(m *macro, call *pg.FuncCall) (*pg.SelectStmt, error) {
	at := call.Location
	if len(call.Args) != len(m.args) {
		return nil, unsupported(at, "%s has %d arguments, not %d", m.name, len(m.args), len(call.Args)).advise("write %s; NULL stands for what is not known", m.signature())
	}
	if !hasOnly(call, "funcname", "args", "funcformat", "location") {
		return nil, unsupported(at, "%s is called with its arguments alone", m.name).advise("write %s", m.signature())
	}
	for _, a := range call.Args {
		if collects(a) {
			return nil, unsupported(at, "an aggregate or window function cannot be an argument of %s", m.name).
				advise("compute it in a subquery, SELECT %s(q.total, …) FROM (SELECT sum(…) AS total … ) q, or convert first and add up the result", m.name)
		}
	}
	body, err := j.trusted(m.sql)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", m.name, err)
	}
	places := make([]*pg.Node, len(call.Args))
	j.place(body, at, places)
	j.owns(body)
	for i, n := range places {
		n.Node = call.Args[i].GetNode()
	}
	return body, nil
}

// place makes a body part of the statement: its positions are the call's, its
// tables those of the ERP whatever the statement calls by their names, and its
// parameters are found.
func (j *job) place(m any, at int32, places []*pg.Node) {
	v := reflect.ValueOf(m).Elem()
	if l := layoutOf(v.Type()); l.location >= 0 {
		v.Field(l.location).SetInt(int64(at))
	}
	if table, ok := m.(*pg.RangeVar); ok {
		table.Schemaname = j.schema
	}
	for _, n := range nodesIn(m) {
		if p := n.GetParamRef(); p != nil {
			places[p.Number-1] = n
		}
	}
	_ = children(m, func(c any) error {
		j.place(c, at, places)
		return nil
	})
}

// owns notes the expressions of a body as not the caller's: they do not fail.
func (j *job) owns(m any) {
	if c, ok := m.(*pg.TypeCast); !ok || c.Arg.GetParamRef() == nil {
		if j.own == nil {
			j.own = map[any]bool{}
		}
		j.own[m] = true
	}
	_ = children(m, func(c any) error {
		j.owns(c)
		return nil
	})
}

// nodesIn are the nodes directly in a message.
func nodesIn(m any) []*pg.Node {
	var nodes []*pg.Node
	v := reflect.ValueOf(m).Elem()
	l := layoutOf(v.Type())
	for i := range l.fields {
		fv := v.Field(l.fields[i].index)
		switch l.fields[i].shape {
		case message:
			if n, ok := fv.Interface().(*pg.Node); ok && n != nil {
				nodes = append(nodes, n)
			}
		case repeated:
			if list, ok := fv.Interface().([]*pg.Node); ok {
				nodes = append(nodes, list...)
			}
		}
	}
	return nodes
}

// collects reports whether an expression has an aggregate or a window function of
// its own, not of a subquery.
func collects(n *pg.Node) bool {
	found := false
	var look func(m any) error
	look = func(m any) error {
		switch m := m.(type) {
		case *pg.SubLink:
			return nil
		case *pg.FuncCall:
			name, _ := lastName(m.Funcname)
			found = found || aggregates[name] || m.Over != nil
		}
		return children(m, look)
	}
	if m := content(n); m != nil {
		_ = look(m)
	}
	return found
}

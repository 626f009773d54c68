package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/aggregate"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// origin is where the currency and the document status of a table's records stand: in
// the table, or in that of the document they are a line of.
type origin struct {
	table    *registry.Table
	parent   *registry.Table // nil: neither is in another table
	link     string          // column that points to the parent
	currency string          // in SQL, with t for the table and d for its parent; empty: there is none
	status   string
}

// originOf looks at a table and at the one it has the lines of.
func (b *Toolbox) originOf(ctx context.Context, c *mcp.Call, t *registry.Table) origin {
	o := origin{table: t}
	take := func(from *registry.Table, alias string) (took bool) {
		for _, x := range []struct {
			name string
			to   *string
		}{{"C_Currency_ID", &o.currency}, {"DocStatus", &o.status}} {
			if col, ok := from.Column(x.name); ok && !col.Virtual() && *x.to == "" {
				*x.to, took = alias+"."+strings.ToLower(col.Name), true
			}
		}
		return took
	}
	take(t, "t")
	for _, col := range t.Columns {
		if o.currency != "" && o.status != "" || !col.Parent || col.ForeignTable == "" || !strings.EqualFold(col.Name, col.ForeignTable+"_ID") {
			continue
		}
		parent, err := b.table(ctx, c, col.ForeignTable)
		if err == nil && parent != nil && !parent.View && take(parent, "d") {
			o.parent, o.link = parent, strings.ToLower(col.Name)
			break
		}
	}
	return o
}

// isMoney reports whether a column holds amounts.
func isMoney(c *registry.Column) bool {
	return c.Type == dict.TypeAmount || c.Type == dict.TypeCostPrice
}

// notLooked is said of a sum where nobody could look at what it adds up.
const notLooked = " may add up amounts of different currencies and document statuses: that could not be looked at"

// found are the currencies and statuses of records, and how many are deactivated and
// how many are not.
type found struct {
	currencies, statuses []string
	inactive, active     int64
}

func (f *found) add(currency, status any) {
	for _, x := range []struct {
		value any
		to    *[]string
	}{{currency, &f.currencies}, {status, &f.statuses}} {
		if text, ok := x.value.(string); ok && text != "" && !slices.Contains(*x.to, text) {
			*x.to = append(*x.to, text)
			slices.Sort(*x.to)
		}
	}
}

// look finds what the records of a table are, those that meet a condition of t.
func (o origin) look(ctx context.Context, b *Toolbox, c *mcp.Call, role *int, where string, s *statement) (*found, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	selected := []string{"CAST(NULL AS text)", "CAST(NULL AS text)", "CAST(NULL AS text)"}
	join := ""
	if o.parent != nil {
		join = fmt.Sprintf(" LEFT JOIN %s d ON d.%s = t.%[2]s", strings.ToLower(o.parent.Name), o.link)
	}
	if o.currency != "" {
		selected[0], join = "cur.iso_code", join+" LEFT JOIN c_currency cur ON cur.c_currency_id = "+o.currency
	}
	if o.status != "" {
		selected[1] = o.status
	}
	if _, ok := o.table.Column("IsActive"); ok {
		selected[2] = "t.isactive"
	}
	q := backend.Query{
		SQL:    "SELECT " + strings.Join(selected, ", ") + ", count(*) FROM " + strings.ToLower(o.table.Name) + " t" + join + where + " GROUP BY 1, 2, 3",
		RoleID: role, MaxRows: mostSQLGroups,
	}
	if s != nil {
		q.Params = s.params
	}
	r, err := b.query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	f := &found{}
	for _, row := range r.Rows {
		n, _ := strconv.ParseInt(fmt.Sprint(row[3]), 10, 64)
		if row[2] != "N" {
			f.active += n
		} else if f.inactive += n; s != nil && s.active { // they are left out
			continue
		}
		f.add(row[0], row[1])
	}
	return f, nil
}

// adds are the measures that compute with amounts.
func (a *aggregation) adds() (names []string) {
	for _, m := range a.totals.Measures {
		if a.table == nil || m.Column == "" || m.Func == aggregate.Count {
			continue
		}
		if c, ok := a.table.Column(m.Column); ok && isMoney(&c) {
			names = append(names, m.String())
		}
	}
	return names
}

// grouped reports whether the records are divided by a column.
func (a *aggregation) grouped(column string) bool {
	return slices.ContainsFunc(a.totals.Groups, func(g aggregate.Group) bool { return g.Column == column })
}

// count says what was counted. Of records that were read the currencies and statuses
// are known already.
func (a *aggregation) count(ctx context.Context, s *statement) {
	if a.table == nil {
		a.out.Counted = counts(nil)
		return
	}
	a.out.Counted = counts(a.b.scope(ctx, a.c, nil), a.table)
	a.out.Counted.From, a.out.Counted.To = a.filter.period(a.table)
	inactive := int64(0)
	if s != nil {
		where := ""
		if len(s.conditions) > 0 {
			where = " WHERE " + strings.Join(s.conditions, " AND ")
		}
		f, err := a.origin.look(ctx, a.b, a.c, nil, where, s)
		if err == nil {
			if a.found = *f; s.active {
				inactive = f.inactive
			} else if f.inactive > 0 && f.active > 0 && !a.grouped("IsActive") {
				a.out.AddNote(fmt.Sprintf("inactive records are in it: %d of %d; IsActive eq true leaves them out", f.inactive, f.inactive+f.active))
			}
		} else if adds := a.adds(); len(adds) > 0 {
			a.out.AddNote(strings.Join(adds, ", ") + notLooked)
		}
	} else if _, ok := a.table.Column("IsActive"); ok && !a.filter.names("IsActive") {
		inactive = int64(a.b.inactive(ctx, a.c, a.table, a.filter))
	}
	if inactive > 0 {
		a.out.Counted.LeftOut = append(a.out.Counted.LeftOut, metrics.LeftOut{Records: inactive, Why: "inactive; IsActive neq null in the filter counts them, too"})
	}
	adds := a.adds()
	if !a.grouped("DocStatus") {
		a.out.Counted.Statuses = a.found.statuses
	}
	if len(adds) > 0 && !a.grouped("C_Currency_ID") {
		a.out.Notes = append(a.out.Notes, a.b.mixed(a.c, &a.out.Counted, strings.Join(adds, ", "), a.found.currencies, "C_Currency_ID", a.filter.names("DocStatus"))...)
		if s == nil && strings.HasPrefix(a.origin.currency, "d.") {
			a.out.AddNote(fmt.Sprintf("currency and status stand in %s and were not looked at: %s may add up amounts of different currencies, and of drafts", a.origin.parent.Name, strings.Join(adds, ", ")))
		}
	}
}

// mixed says in which currency amounts were added up, and what is wrong with the sum.
// chosen says that whoever asked looks at the statuses.
func (b *Toolbox) mixed(c *mcp.Call, counted *metrics.Counted, sums string, currencies []string, column string, chosen bool) (notes []string) {
	switch len(currencies) {
	case 0:
	case 1:
		counted.Currency = currencies[0]
	default:
		counted.Mixed = currencies
		notes = append(notes, b.text(c, fmt.Sprintf("%s adds up %s as if they were one currency: group by %s; queryMetric converts amounts", sums, strings.Join(currencies, " and "), column)))
	}
	odd := slices.DeleteFunc(slices.Clone(counted.Statuses), func(s string) bool { return s == "CO" || s == "CL" })
	if len(odd) > 0 && !chosen {
		notes = append(notes, fmt.Sprintf("%s has amounts of documents in the status %s: what took effect is CO and CL; credit memos count as positive", sums, strings.Join(odd, ", ")))
	}
	return notes
}

// period are the first and the last day that a filter leaves, where it has conditions
// on one column of dates alone.
func (f *checkedFilter) period(t *registry.Table) (from, to string) {
	column := ""
	for _, term := range f.Terms {
		c, ok := t.Column(term.Column)
		if !ok || c.Type != dict.TypeDate || len(term.Values) != 1 || joined().MatchString(quoted().ReplaceAllString(f.Text, "''")) {
			continue
		}
		day, err := time.Parse(time.DateOnly, strings.Trim(term.Values[0], "'"))
		if err != nil || column != "" && column != c.Name {
			return "", ""
		}
		column = c.Name
		switch term.Operator {
		case "eq":
			from, to = day.Format(time.DateOnly), day.Format(time.DateOnly)
		case "ge":
			from = day.Format(time.DateOnly)
		case "gt":
			from = day.AddDate(0, 0, 1).Format(time.DateOnly)
		case "le":
			to = day.Format(time.DateOnly)
		case "lt":
			to = day.AddDate(0, 0, -1).Format(time.DateOnly)
		}
	}
	return from, to
}

package erptest

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// queryModel handles GET /models/{table}.
func queryModel(c *call) error {
	q, err := c.listQuery()
	if err != nil {
		return err
	}
	ctx := c.ctx()
	var page *listPage
	err = c.view(ctx, func(tx *store.Tx) error {
		t, err := c.session.FindTable(ctx, tx, c.param("table"), false)
		if err != nil {
			return err
		}
		page, err = c.list(ctx, tx, t, q)
		return err
	})
	if err != nil {
		return readError(err)
	}
	page.write(c)
	return nil
}

// readError is how the endpoints that read report what they do not classify.
func readError(err error) error {
	var refused *filter.Error
	if errors.As(err, &refused) {
		return fail(refused.Status, refused.Title, refused.Detail)
	}
	return orTitled("GET Error", err)
}

// listQuery are the query options of a list.
type listQuery struct {
	readOptions
	filter, orderBy, label string
	valRule, context       string
	hasValRule             bool // $valrule is there, be it empty
	top, skip              int
}

// readOptions are the query options lists and single records have in common.
type readOptions struct {
	selects, expand string
	showSQL, noData bool
	showLabel       bool
	labelColumns    string
}

// labelsShown is what of their labels records have; nil without any.
func (o readOptions) labelsShown() *string {
	if !o.showLabel {
		return nil
	}
	return &o.labelColumns
}

func (c *call) readOptions() readOptions {
	return readOptions{
		selects:      c.query.get("$select"),
		expand:       c.query.get("$expand"),
		showSQL:      c.query.has("showsql"),
		noData:       c.query.get("showsql") == "nodata",
		showLabel:    c.query.has("showlabel"),
		labelColumns: c.query.get("showlabel"),
	}
}

func (c *call) listQuery() (listQuery, error) {
	q := listQuery{
		readOptions: c.readOptions(),
		filter:      c.query.get("$filter"), orderBy: c.query.get("$orderby"), label: c.query.get("label"),
		valRule: c.query.get("$valrule"), hasValRule: c.query.has("$valrule"), context: c.query.get("$context"),
	}
	for name, into := range map[string]*int{"$top": &q.top, "$skip": &q.skip} {
		if !c.query.has(name) || c.query.get(name) == "" {
			continue
		}
		n, err := strconv.ParseInt(c.query.get(name), 10, 32)
		if err != nil {
			return q, page(http.StatusNotFound) // the container cannot convert the parameter
		}
		*into = int(n)
	}
	return q, nil
}

// listPage is one page of a list.
type listPage struct {
	size, skip, rows int
	statements       *wire.Object // with showsql
	records          any          // objects, or the text of them all
	noData           bool
	count            int // of the records, which are left out with noData
}

// sent is how many records the page has without noData.
func (p *listPage) sent() int {
	n := max(p.rows-max(p.skip, 0), 0)
	if p.size > 0 {
		n = min(n, p.size)
	}
	return n
}

// list reads one page of t.
func (c *call) list(ctx context.Context, tx *store.Tx, t *store.Table, q listQuery) (*listPage, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	w, err := rd.listWork(ctx, t, q)
	if err != nil {
		return nil, err
	}
	p := &listPage{size: rd.limit(q.top), skip: q.skip, noData: q.noData}
	if q.noData {
		if p.rows, err = tx.Total(ctx, t, w.total, w.totalArgs...); err != nil {
			return nil, err
		}
	}
	w.sel.Limit, w.sel.Offset = p.size, max(q.skip, 0)
	rd.labels = q.labelsShown()
	if q.showSQL {
		p.statements = wire.NewObject("sql-command", erpSQL(store.SelectSQL(t, w.sel.Columns, w.sel)))
	}
	if q.noData {
		for _, x := range w.expansions {
			x.addStatement(p.statements)
		}
		p.count = p.sent()
		return p, nil
	}
	rows, err := tx.Page(ctx, t, w.sel)
	if err != nil {
		return nil, err
	}
	if p.rows, err = w.rows(ctx, tx, t, rows.Len()); err != nil {
		return nil, err
	}
	if p.count = rows.Len(); len(w.expansions) == 0 && !q.showLabel {
		p.records, err = rd.list(ctx, t, w.properties, rows)
	} else {
		p.records, err = rd.completed(ctx, t, w, rows, q)
	}
	if err != nil {
		return nil, err
	}
	if q.showSQL {
		for _, x := range w.expansions {
			x.addStatement(p.statements)
		}
	}
	return p, nil
}

// completed are rows as objects with what they are expanded by, and their labels.
func (rd *reader) completed(ctx context.Context, t *store.Table, w readWork, rows *store.Sheet, q listQuery) ([]*wire.Object, error) {
	objects, err := rd.objects(ctx, t, w.properties, rows)
	if err != nil {
		return nil, err
	}
	for i, o := range objects {
		row := rows.Row(i)
		rd.finish(o, t)
		if err := rd.expandInto(ctx, t, row, o, w.expansions, 0); err != nil {
			return nil, err
		}
		if q.showLabel {
			if err := rd.addLabels(ctx, t, row, o, q.labelColumns); err != nil {
				return nil, err
			}
		}
	}
	return objects, nil
}

// readWork is what a read has to do, with every name resolved.
type readWork struct {
	properties []property
	expansions []*expansion
	sel        store.Selection
	total      string // the condition for their number
	totalArgs  []any
}

// rows is how many rows the list has, of which a page has so many. One that is
// not full is the last, if the page and the number are of the same rows.
func (w *readWork) rows(ctx context.Context, tx *store.Tx, t *store.Table, page int) (int, error) {
	last := page < w.sel.Limit && (page > 0 || w.sel.Offset == 0)
	if last && w.sel.Where == w.total && reflect.DeepEqual(w.sel.Args, w.totalArgs) {
		return w.sel.Offset + page, nil
	}
	return tx.Total(ctx, t, w.total, w.totalArgs...)
}

// resolve prepares what lists and single records have in common.
func (rd *reader) resolve(ctx context.Context, t *store.Table, opts readOptions) (readWork, error) {
	var w readWork
	columns, err := rd.selected(ctx, t, filter.Select(opts.selects))
	if err != nil {
		return w, err
	}
	if w.properties, err = rd.properties(ctx, t, columns); err != nil {
		return w, err
	}
	items, err := filter.Expand(opts.expand, rd.expandSeparator(ctx))
	if err != nil {
		return w, err
	}
	if w.expansions, err = rd.expansions(ctx, t, items, 0); err != nil {
		return w, err
	}
	w.sel.Columns = sources(t, w.properties, parentColumns(w.expansions)...)
	return w, nil
}

func (rd *reader) listWork(ctx context.Context, t *store.Table, q listQuery) (readWork, error) {
	w, err := rd.resolve(ctx, t, q.readOptions)
	if err != nil {
		return w, err
	}
	cond, args, err := rd.filterSQL(t, q.filter)
	if err != nil {
		return w, err
	}
	and := func(more string, moreArgs ...any) {
		if cond != "" && more != "" {
			cond += " AND "
		}
		cond += more
		args = append(args, moreArgs...)
	}
	if q.hasValRule {
		rule, err := rd.c.session.ValidationRule(ctx, rd.tx, t, q.valRule, q.context)
		if err != nil {
			return w, err
		}
		and(rule.Text, rule.Args...)
	}
	if q.label != "" {
		labelled, labelArgs, err := rd.labelCondition(ctx, t, q.label)
		if err != nil {
			return w, err
		}
		and(labelled, labelArgs...)
	}
	if w.total, w.totalArgs, err = rd.condition(ctx, t, cond, args); err != nil {
		return w, err
	}
	w.sel.Where, w.sel.Args = w.total, w.totalArgs
	if q.selects != "" {
		mentions := func(column string) bool {
			return strings.Contains(cond, column) || slices.ContainsFunc(w.properties, func(p property) bool { return p.col.Name == column })
		}
		if w.sel.Where, w.sel.Args, err = rd.conditionOf(ctx, t, cond, args, mentions); err != nil {
			return w, err
		}
	}
	w.sel.OrderBy, err = filter.OrderBy(q.orderBy, t)
	return w, err
}

// filterSQL translates a $filter on t.
func (rd *reader) filterSQL(t *store.Table, text string) (string, []any, error) {
	sql, err := filter.Translate(text, filter.ForTable(t), rd.c.srv.opts.Location)
	return sql.Where, sql.Args, err
}

// expandSeparator is the character between the options of an expansion.
func (rd *reader) expandSeparator(ctx context.Context) byte {
	if s := strings.TrimSpace(rd.c.session.Sysconfig(ctx, rd.tx, "REST_EXPAND_SEPARATOR", ";")); s != "" {
		return s[0]
	}
	return ';'
}

// write writes the envelope, its numbers also as headers.
func (p *listPage) write(c *call) {
	pages := 1
	if p.size > 0 && p.rows > 0 {
		pages = (p.rows + p.size - 1) / p.size
	}
	o := wire.NewObject()
	number := func(name, header string, n int) {
		o.Set(name, n)
		c.w.Header().Set(header, strconv.Itoa(n))
	}
	number("page-count", "X-Page-Count", pages)
	number("records-size", "X-Records-Size", p.size)
	number("skip-records", "X-Skip-Records", p.skip)
	number("row-count", "X-Row-Count", p.rows)
	if p.statements != nil {
		for _, name := range p.statements.Names() {
			v, _ := p.statements.Get(name)
			o.Set(name, v)
		}
	}
	if !p.noData {
		o.Set("records", p.records)
	}
	number("array-count", "X-Array-Count", p.count)
	c.json(http.StatusOK, o)
}

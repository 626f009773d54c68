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

// queryRecords handles GET /models/{table} and GET /views/{view}.
func queryRecords(c *call) error {
	q, err := c.listQuery()
	if err != nil {
		return err
	}
	var page *listPage
	err = c.read(func(ctx context.Context, rd *reader) error {
		s, err := rd.pathShape(ctx, false)
		if err != nil {
			return err
		}
		page, err = rd.page(ctx, s, q)
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

// page reads one page of the records of a shape.
func (rd *reader) page(ctx context.Context, s *shape, q listQuery) (*listPage, error) {
	w, err := rd.listWork(ctx, s, q)
	if err != nil {
		return nil, err
	}
	p := &listPage{size: rd.limit(q.top), skip: q.skip, noData: q.noData}
	if q.noData {
		if p.rows, err = rd.tx.Total(ctx, s.table, w.total, w.totalArgs...); err != nil {
			return nil, err
		}
	}
	w.sel.Limit, w.sel.Offset = p.size, max(q.skip, 0)
	if q.showSQL {
		p.statements = wire.NewObject("sql-command", erpSQL(store.SelectSQL(s.table, w.sel.Columns, w.sel)))
		for _, x := range w.expansions {
			x.addStatement(p.statements)
		}
	}
	if q.noData {
		p.count = p.sent()
		return p, nil
	}
	rows, err := rd.tx.Page(ctx, s.table, w.sel)
	if err != nil {
		return nil, err
	}
	if p.rows, err = w.rows(ctx, rd.tx, rows.Len()); err != nil {
		return nil, err
	}
	if p.count = rows.Len(); s.view == nil && len(w.expansions) == 0 && !q.showLabel {
		p.records, err = rd.list(ctx, s.table, w.properties, rows)
	} else {
		p.records, err = rd.completed(ctx, w, rows, q.readOptions)
	}
	return p, err
}

// completed are rows as objects with what they are expanded by, and their labels.
func (rd *reader) completed(ctx context.Context, w readWork, rows *store.Sheet, opts readOptions) ([]*wire.Object, error) {
	rd.labels = opts.labelsShown()
	objects, err := rd.shaped(ctx, w.shape, w.properties, rows)
	if err != nil {
		return nil, err
	}
	for i, o := range objects {
		row := rows.Row(i)
		rd.finishShaped(o, w.shape)
		if err := rd.expandInto(ctx, row, o, w.expansions, 0); err != nil {
			return nil, err
		}
		if opts.showLabel {
			if err := rd.addLabels(ctx, w.shape.table, row, o, opts.labelColumns); err != nil {
				return nil, err
			}
		}
	}
	return objects, nil
}

// readWork is what a read has to do, with every name resolved.
type readWork struct {
	shape      *shape
	properties []property
	expansions []*expansion
	sel        store.Selection
	total      string // the condition for their number
	totalArgs  []any
}

// rows is how many rows the list has, of which a page has so many. One that is
// not full is the last, if the page and the number are of the same rows.
func (w *readWork) rows(ctx context.Context, tx *store.Tx, page int) (int, error) {
	last := page < w.sel.Limit && (page > 0 || w.sel.Offset == 0)
	if last && w.sel.Where == w.total && reflect.DeepEqual(w.sel.Args, w.totalArgs) {
		return w.sel.Offset + page, nil
	}
	return tx.Total(ctx, w.shape.table, w.total, w.totalArgs...)
}

// expand resolves a $expand.
func (rd *reader) expand(ctx context.Context, w *readWork, text string) error {
	items, err := rd.expandItems(ctx, w.shape, text)
	if err != nil {
		return err
	}
	w.expansions, err = rd.expansions(ctx, w.shape, items, 0)
	return err
}

func (rd *reader) listWork(ctx context.Context, s *shape, q listQuery) (readWork, error) {
	w := readWork{shape: s}
	var err error
	if w.properties, err = rd.shown(ctx, s, q.selects); err != nil {
		return w, err
	}
	if err := rd.expand(ctx, &w, q.expand); err != nil {
		return w, err
	}
	w.sel.Columns = sources(s.table, w.properties, parentColumns(w.expansions)...)
	cond, args, err := rd.asked(ctx, s, q)
	if err != nil {
		return w, err
	}
	own, err := rd.ownCondition(ctx, s)
	if err != nil {
		return w, err
	}
	if w.total, w.totalArgs, err = rd.condition(ctx, s.table, cond, args); err != nil {
		return w, err
	}
	if own.Text != "" {
		if w.total != "" {
			w.total += " AND "
		}
		w.total, w.totalArgs = w.total+own.Text, append(w.totalArgs, own.Args...)
	}
	w.sel.Where, w.sel.Args = w.total, w.totalArgs
	if q.selects != "" && s.view == nil {
		mentions := func(column string) bool {
			return strings.Contains(cond, column) || slices.ContainsFunc(w.properties, func(p property) bool { return p.col.Name == column })
		}
		if w.sel.Where, w.sel.Args, err = rd.conditionOf(ctx, s.table, cond, args, mentions); err != nil {
			return w, err
		}
	}
	w.sel.OrderBy, err = filter.OrderBy(q.orderBy, s.table)
	return w, err
}

// asked is the condition that a request has for a list.
func (rd *reader) asked(ctx context.Context, s *shape, q listQuery) (string, []any, error) {
	sql, err := filter.Translate(q.filter, s.filterable(), rd.c.srv.opts.Location)
	if err != nil {
		return "", nil, err
	}
	cond, args := sql.Where, sql.Args
	and := func(more string, moreArgs ...any) {
		if cond != "" && more != "" {
			cond += " AND "
		}
		cond += more
		args = append(args, moreArgs...)
	}
	if q.hasValRule {
		rule, err := rd.c.session.ValidationRule(ctx, rd.tx, s.table, q.valRule, q.context)
		if err != nil {
			return "", nil, err
		}
		and(rule.Text, rule.Args...)
	}
	if q.label != "" {
		labelled, labelArgs, err := rd.labelCondition(ctx, s.table, q.label)
		if err != nil {
			return "", nil, err
		}
		and(labelled, labelArgs...)
	}
	return cond, args, nil
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
	if text, ok := p.records.(wire.Raw); ok {
		dropBody(text)
	}
}

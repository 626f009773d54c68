package erptest

import (
	"context"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// viewProperty is a column of a view as it is shown.
type viewProperty struct {
	field property
	// view is the name of the reference view of a lookup, "" for none.
	view string
}

// viewWork is what reading through a view has to do, with every name resolved.
type viewWork struct {
	view       *viewDef
	properties []viewProperty
	expansions []*viewExpansion
}

// fields are the properties for the reader.
func (w *viewWork) fields() []property {
	out := make([]property, len(w.properties))
	for i, p := range w.properties {
		out[i] = p.field
	}
	return out
}

// resolveView prepares a read. Without $expand the relations that expand by
// themselves are brought, if auto says so.
func (rd *reader) resolveView(ctx context.Context, v *viewDef, selects string, items []filter.Expansion, auto bool, depth int) (*viewWork, error) {
	columns, err := rd.viewSelection(ctx, v, filter.Select(selects))
	if err != nil {
		return nil, err
	}
	w := &viewWork{view: v}
	if w.properties, err = rd.viewProperties(ctx, v, columns); err != nil {
		return nil, err
	}
	if auto {
		if items, err = rd.autoExpand(ctx, v, depth); err != nil {
			return nil, err
		}
	}
	w.expansions, err = rd.viewExpansions(ctx, v, items, depth)
	return w, err
}

// autoExpand are the relations of a view that expand by themselves, with those of
// their views.
func (rd *reader) autoExpand(ctx context.Context, v *viewDef, depth int) ([]filter.Expansion, error) {
	var items []filter.Expansion
	for _, r := range v.related {
		if !r.row.Bool("IsRestAutoExpand") || depth > maxRecursion {
			continue
		}
		item := filter.Expansion{Name: r.name()}
		if id := r.row.Int("REST_RelatedRestView_ID"); id != v.row.Int("REST_View_ID") {
			below, err := rd.viewByID(ctx, id)
			if err != nil {
				return nil, err
			}
			if below != nil {
				if item.Expand, err = rd.autoExpand(ctx, below, depth+1); err != nil {
					return nil, err
				}
			}
		}
		items = append(items, item)
	}
	return items, nil
}

// viewSelection are the columns a $select names, by the view's names or the
// table's; nil, which means all, without one. Columns of the table which are
// not in the view are accepted and bring nothing.
func (rd *reader) viewSelection(ctx context.Context, v *viewDef, names []string) ([]viewColumn, error) {
	if len(names) == 0 {
		return v.columns, nil
	}
	out := []viewColumn{}
	hiddenOnly := true
	for _, name := range names {
		col, ok := v.column(name)
		if !ok {
			if _, inTable := v.table.Column(name); !inTable {
				return nil, failf(http.StatusBadRequest, "", "%s is not a valid column of table %s", name, v.table.Name)
			}
			hiddenOnly = false
			continue
		}
		if rd.c.session.Role.CanSeeColumn(v.table, col.col) {
			out, hiddenOnly = append(out, col), false
		}
	}
	if hiddenOnly {
		return v.columns, nil
	}
	return out, nil
}

func (rd *reader) viewProperties(ctx context.Context, v *viewDef, columns []viewColumn) ([]viewProperty, error) {
	var out []viewProperty
	for _, c := range columns {
		fields, err := rd.properties(ctx, v.table, []*store.Column{c.col})
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 {
			continue
		}
		p := viewProperty{field: fields[0]}
		p.field.name = c.name()
		if id := c.row.Int("REST_ReferenceView_ID"); id != 0 && p.field.look != nil {
			ref, err := rd.viewByID(ctx, id)
			if err != nil {
				return nil, err
			}
			if ref != nil {
				p.view = ref.name()
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// viewObjects renders rows through a view, without their expansions. nested
// tells that they stand inside another record.
func (rd *reader) viewObjects(ctx context.Context, w *viewWork, rows []store.Row, nested bool) ([]*wire.Object, error) {
	flat, err := rd.rowObjects(ctx, w.view.table, w.fields(), rows)
	if err != nil {
		return nil, err
	}
	out := make([]*wire.Object, len(flat))
	for i, o := range flat {
		x := wire.NewObject()
		for _, name := range []string{"id", "uid"} {
			if v, ok := o.Get(name); ok {
				x.Set(name, v)
			}
		}
		for _, p := range w.properties {
			v, ok := o.Get(p.field.name)
			if !ok || (p.field.name == "id" || p.field.name == "uid") && x.Len() > 0 && hasMember(x, p.field.name) {
				continue
			}
			if look, isObject := v.(*wire.Object); isObject && p.view != "" {
				v = viewLookup(look, p.view)
			}
			setPath(x, p.field.name, v)
		}
		if !nested {
			rd.finish(x, w.view.table)
			x.Set("view-name", w.view.name())
		}
		out[i] = x
	}
	return out, nil
}

func hasMember(o *wire.Object, name string) bool {
	_, ok := o.Get(name)
	return ok
}

// viewLookup is a lookup that leads to another view.
func viewLookup(look *wire.Object, view string) *wire.Object {
	out := wire.NewObject()
	for _, name := range look.Names() {
		if name != "propertyLabel" && name != "model-name" {
			v, _ := look.Get(name)
			out.Set(name, v)
		}
	}
	out.Set("view-name", view)
	return out
}

// setPath sets a member; dots in the name lead into nested objects.
func setPath(o *wire.Object, path string, v any) {
	for {
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted || name == "" || rest == "" {
			o.Set(path, v)
			return
		}
		inner, _ := o.Get(name)
		object, ok := inner.(*wire.Object)
		if !ok {
			object = wire.NewObject()
			o.Set(name, object)
		}
		o, path = object, rest
	}
}

// getPath is the member setPath set.
func getPath(o *wire.Object, path string) (any, bool) {
	for {
		if v, ok := o.Get(path); ok {
			return v, true
		}
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted {
			return nil, false
		}
		inner, _ := o.Get(name)
		object, ok := inner.(*wire.Object)
		if !ok {
			return nil, false
		}
		o, path = object, rest
	}
}

// expandItems reads the request's $expand; auto tells that there is none.
func (rd *reader) expandItems(ctx context.Context, text string) (items []filter.Expansion, auto bool, err error) {
	items, err = filter.Expand(text, rd.expandSeparator(ctx))
	return items, strings.TrimSpace(text) == "", err
}

// queryView handles GET /views/{view}.
func queryView(c *call) error {
	q, err := c.listQuery()
	if err != nil {
		return err
	}
	var p *listPage
	err = c.read(func(ctx context.Context, rd *reader) error {
		v, err := rd.pathView(ctx)
		if err != nil {
			return err
		}
		p, err = rd.viewPage(ctx, v, q)
		return err
	})
	if err != nil {
		return readError(err)
	}
	p.write(c)
	return nil
}

// viewPage reads a page of a view's records.
func (rd *reader) viewPage(ctx context.Context, v *viewDef, q listQuery) (*listPage, error) {
	items, auto, err := rd.expandItems(ctx, q.expand)
	if err != nil {
		return nil, err
	}
	w, err := rd.resolveView(ctx, v, q.selects, items, auto, 0)
	if err != nil {
		return nil, err
	}
	sel, err := rd.viewRows(ctx, v, q)
	if err != nil {
		return nil, err
	}
	p := &listPage{size: rd.limit(q.top), skip: q.skip, noData: q.noData}
	if p.rows, err = rd.tx.Total(ctx, v.table, sel.Where, sel.Args...); err != nil {
		return nil, err
	}
	sel.Columns = sources(v.table, w.fields(), w.parentColumns()...)
	sel.Limit, sel.Offset = p.size, max(q.skip, 0)
	rd.labels = q.labelsShown()
	if q.showSQL {
		p.statements = wire.NewObject("sql-command", erpSQL(store.SelectSQL(v.table, sel.Columns, sel)))
	}
	for _, x := range w.expansions {
		x.addStatement(p.statements)
	}
	if q.noData {
		p.count = p.sent()
		return p, nil
	}
	page, err := rd.tx.Page(ctx, v.table, sel)
	if err != nil {
		return nil, err
	}
	rows := page.Rows()
	records, err := rd.viewObjects(ctx, w, rows, false)
	if err != nil {
		return nil, err
	}
	for i, o := range records {
		if err := rd.expandView(ctx, w, rows[i], o); err != nil {
			return nil, err
		}
		if q.showLabel {
			if err := rd.addLabels(ctx, v.table, rows[i], o, q.labelColumns); err != nil {
				return nil, err
			}
		}
	}
	p.records, p.count = records, len(records)
	return p, nil
}

// viewRows is which rows of its table a list through a view is made of.
func (rd *reader) viewRows(ctx context.Context, v *viewDef, q listQuery) (sel store.Selection, err error) {
	sql, err := filter.Translate(q.filter, v, rd.c.srv.opts.Location)
	if err != nil {
		return sel, err
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
		rule, err := rd.c.session.ValidationRule(ctx, rd.tx, v.table, q.valRule, q.context)
		if err != nil {
			return sel, err
		}
		and(rule.Text, rule.Args...)
	}
	if q.label != "" {
		labelled, labelArgs, err := rd.labelCondition(ctx, v.table, q.label)
		if err != nil {
			return sel, err
		}
		and(labelled, labelArgs...)
	}
	own, err := rd.viewCondition(ctx, v)
	if err != nil {
		return sel, err
	}
	if sel.Where, sel.Args, err = rd.condition(ctx, v.table, cond, args); err != nil {
		return sel, err
	}
	if own.Text != "" {
		if sel.Where != "" {
			sel.Where += " AND "
		}
		sel.Where, sel.Args = sel.Where+own.Text, append(sel.Args, own.Args...)
	}
	sel.OrderBy, err = filter.OrderBy(q.orderBy, v.table)
	return sel, err
}

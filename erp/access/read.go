package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp"
)

// explainer reads for one question.
type explainer struct {
	client  *erp.Client
	unread  []string
	refused map[string]bool
	kept    map[string][]erp.Record // what was read
	asked   Question
}

func newExplainer(client *erp.Client) *explainer {
	return &explainer{client: client, refused: map[string]bool{}, kept: map[string][]erp.Record{}}
}

// most is how many rows of one kind are read.
const most = 100

// rows reads records, at most so many, deactivated ones among them. ok is false when the
// caller may not read the table.
func (x *explainer) rows(ctx context.Context, table string, filter erp.Filter, columns ...string) (records []erp.Record, ok bool, err error) {
	return x.read(ctx, table, erp.ActiveOrNot(filter), true, append(columns, "IsActive"))
}

// all reads all active records of a filter, page by page.
func (x *explainer) all(ctx context.Context, table string, filter erp.Filter, columns ...string) (records []erp.Record, ok bool, err error) {
	return x.read(ctx, table, filter, false, columns)
}

// read keeps what it read for the next time.
func (x *explainer) read(ctx context.Context, table string, filter erp.Filter, few bool, columns []string) (records []erp.Record, ok bool, err error) {
	key := fmt.Sprint(table, filter, few, columns)
	if found, ok := x.kept[key]; ok || x.refused[table] {
		return slices.Clone(found), ok, nil
	}
	for page := (*erp.Page)(nil); page == nil || page.More() && !few; {
		q := &erp.Query{Filter: filter, Select: columns, OrderBy: []string{table + "_UU"}, Top: 1000, Skip: len(records)}
		if few {
			q.OrderBy, q.Top = nil, most
		}
		page, err = x.client.Query(ctx, table, q)
		switch {
		case errors.Is(err, erp.ErrForbidden), errors.Is(err, erp.ErrNotFound):
			x.refuse(table)
			return nil, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("reading %s: %w", table, err)
		}
		records = append(records, page.Records...)
	}
	x.kept[key] = records
	return slices.Clone(records), true, nil
}

// sees reports whether the caller sees any row of a table that every ERP has rows
// in. Where none is seen, the table is hidden rather than empty.
func (x *explainer) sees(ctx context.Context, table string) (bool, error) {
	rows, ok, err := x.rows(ctx, table, erp.Filter{})
	if err == nil && ok && len(rows) == 0 {
		x.refuse(table)
		ok = false
	}
	return ok, err
}

func (x *explainer) refuse(table string) {
	x.refused[table] = true
	x.unread = append(x.unread, table)
}

// one finds the record of a name, by its number or by one of the columns, without
// regard to case. What is not there, or there more than once, is an error with
// those that are near.
func (x *explainer) one(ctx context.Context, kind, table, name string, by []string, columns ...string) (erp.Record, error) {
	name = strings.TrimSpace(name)
	if strings.ContainsRune(name, '\'') {
		return erp.Record{}, asked("the %s %q has a quote in its name, which no filter of the ERP can have; give the number", kind, name)
	}
	var conditions []erp.Filter
	for _, column := range by {
		conditions = append(conditions, erp.Eq(erp.ToLower(column), strings.ToLower(name)))
	}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		conditions = []erp.Filter{erp.Eq(table+"_ID", id)}
	}
	found, ok, err := x.rows(ctx, table, erp.Or(conditions...), append(by, columns...)...)
	switch {
	case err != nil:
		return erp.Record{}, err
	case !ok:
		return erp.Record{}, asked("the caller may not read %s, so no %s can be looked up", table, kind)
	}
	if len(found) > 1 { // an active one before those that are not
		active := slices.DeleteFunc(slices.Clone(found), func(r erp.Record) bool { return !is(r, "IsActive") })
		if len(active) == 1 {
			found = active
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		hint := ""
		if near, _, err := x.rows(ctx, table, erp.Contains(erp.ToLower(by[0]), strings.ToLower(name)), by[0]); err == nil && len(near) > 0 {
			hint = "; there are: " + names(near, by[0])
		}
		return erp.Record{}, asked("there is no %s %q, or the caller may not see it%s", kind, name, hint)
	}
	return erp.Record{}, asked("there are %d of %s %q: %s; give the number", len(found), kind, name, numbers(found))
}

func names(records []erp.Record, column string) string {
	var out []string
	for _, r := range records[:min(len(records), 8)] {
		name, _ := r.Text(column)
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func numbers(records []erp.Record) string {
	var out []string
	for _, r := range records[:min(len(records), 8)] {
		out = append(out, r.ID().String())
	}
	return strings.Join(out, ", ")
}

// is reports whether a flag is set.
func is(r erp.Record, column string) bool {
	v, _ := r.Bool(column)
	return v
}

// number is an id in a column, which may be a reference; ok is false for none.
func number(r erp.Record, column string) (int64, bool) {
	if ref, ok := r.Ref(column); ok {
		return ref.ID.Int()
	}
	return r.Int(column)
}

// key is the number of a record.
func key(r erp.Record) int64 {
	n, _ := r.ID().Int()
	return n
}

// text is a text, or the name of a reference.
func text(r erp.Record, column string) string {
	if ref, ok := r.Ref(column); ok && ref.Identifier != "" {
		return ref.Identifier
	}
	s, _ := r.Text(column)
	return s
}

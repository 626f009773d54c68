package twin

import (
	"cmp"
	"context"
	"slices"

	"github.com/erphub/erphub/erp"
)

// button is a column that the server leaves out of records; it lets them be found
// by what it holds.
type button struct {
	column int
	codes  []code           // that some records hold
	rest   string           // what all others hold, "" when they need not hold any
	values map[int64]string // by key, of records that were found and not taken yet
}

// code is a value that is looked for in a column.
type code struct {
	value string
	at    *int64 // the last key that was found with it
	done  bool   // no more follow
}

// findButtons finds out which values there are at all. The one that most records
// hold need not be looked for on each page when all of them hold some.
func (r *restReader) findButtons(ctx context.Context) error {
	if len(r.buttons) == 0 || r.q.Table.Key == "" {
		r.buttons = nil // without a key there is no telling which record is which
		return nil
	}
	all, err := r.number(ctx, r.base)
	if err != nil {
		return err
	}
	for _, b := range r.buttons {
		c := &r.q.Columns[b.column]
		b.values = map[int64]string{}
		codes := c.Codes
		if c.Type == Flag || len(codes) == 0 {
			codes = []string{"Y", "N"}
		}
		most, left := 0, all
		for _, value := range codes {
			f, ok := holds(c.Name, value)
			if !ok || left <= 0 {
				continue
			}
			n, err := r.number(ctx, r.base.And(f))
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			left -= n
			b.codes = append(b.codes, code{value: value})
			if n > most {
				most, b.rest = n, value
			}
		}
		if left != 0 {
			b.rest = ""
		}
		b.codes = slices.DeleteFunc(b.codes, func(c code) bool { return c.value == b.rest })
	}
	return nil
}

// number counts records; of a server that does not count, it says whether there are any.
func (r *restReader) number(ctx context.Context, f erp.Filter) (int, error) {
	page, err := r.s.page(ctx, r.q.Table.Name, &erp.Query{Filter: f, Select: []string{r.q.Table.Key}, Top: 1})
	if err != nil {
		return 0, err
	}
	if page.Rows < 0 {
		return len(page.Records), nil
	}
	return page.Rows, nil
}

func holds(column, code string) (erp.Filter, bool) {
	f := erp.Eq(column, code)
	_, err := f.Render()
	return f, err == nil
}

// pageButtons finds out what the records up to a key hold, the last of a page. Each code
// is followed through the table by its own pages, so that one that few records hold takes
// few requests.
func (r *restReader) pageButtons(ctx context.Context, last int64) error {
	for _, b := range r.buttons {
		for i := range b.codes {
			code := &b.codes[i]
			for !code.done && (code.at == nil || *code.at != last && (*code.at < last) != r.q.Descending) {
				if err := r.follow(ctx, b, code); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// follow requests the next records that hold a code.
func (r *restReader) follow(ctx context.Context, b *button, code *code) error {
	held, _ := holds(r.q.Columns[b.column].Name, code.value)
	q := erp.Query{Filter: r.base.And(held), Select: []string{r.q.Table.Key}, OrderBy: r.order(), Top: r.s.opts.PageSize}
	if after := cmp.Or(code.at, r.q.After); after != nil {
		q.Filter = q.Filter.And(r.behind(*after))
	}
	page, err := r.s.page(ctx, r.q.Table.Name, &q)
	if err != nil {
		return err
	}
	for _, record := range page.Records {
		id, ok := record.ID().Int()
		if !ok || code.at != nil && (id <= *code.at) != r.q.Descending {
			return outOfOrder(r.q.Table)
		}
		b.values[id], code.at = code.value, &id
	}
	code.done = !page.More()
	return nil
}

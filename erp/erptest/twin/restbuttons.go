package twin

import (
	"context"
	"fmt"
	"slices"

	"github.com/erphub/erphub/erp"
)

// button is a column that the server leaves out of records; it lets them be found
// by what it holds.
type button struct {
	column int
	codes  []string         // that some records hold
	rest   string           // what all others hold, "" when they need not hold any
	values map[int64]string // of the records of a page
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
		codes := c.Codes
		if c.Type == Flag || len(codes) == 0 {
			codes = []string{"Y", "N"}
		}
		most, left := 0, all
		for _, code := range codes {
			f, ok := holds(c.Name, code)
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
			b.codes = append(b.codes, code)
			if n > most {
				most, b.rest = n, code
			}
		}
		if left != 0 {
			b.rest = ""
		}
		b.codes = slices.DeleteFunc(b.codes, func(code string) bool { return code == b.rest })
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

// pageButtons finds out what the records of a page hold.
func (r *restReader) pageButtons(ctx context.Context, page *erp.Page, first, last int64) error {
	if len(page.Records) == 0 {
		return nil
	}
	key := r.q.Table.Key
	for _, b := range r.buttons {
		b.values = map[int64]string{}
		for _, code := range b.codes {
			f, _ := holds(r.q.Columns[b.column].Name, code)
			from := first - 1
			for {
				q := erp.Query{
					Filter: r.base.And(f, erp.Gt(key, from), erp.Le(key, last)), Select: []string{key},
					OrderBy: []string{key}, Top: r.s.opts.PageSize,
				}
				found, err := r.s.page(ctx, r.q.Table.Name, &q)
				if err != nil {
					return err
				}
				for _, record := range found.Records {
					id, ok := record.ID().Int()
					if !ok || id <= from {
						return fmt.Errorf("records of %s are not in the order of their keys: %w", r.q.Table.Name, erp.ErrBadResponse)
					}
					b.values[id], from = code, id
				}
				if !found.More() {
					break
				}
			}
		}
	}
	return nil
}

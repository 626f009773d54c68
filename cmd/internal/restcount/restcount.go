// Package restcount counts rows over the ERP's REST API, for package review.
package restcount

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/erp"
)

// mostCounted is how many rows are read where the API cannot count.
const mostCounted = 20_000

// content counts rows over the API.
type content struct{ client *erp.Client }

// New counts rows over the API. It sees the rows of the
// login's tenant and those that all have, so its counts are never complete; of texts,
// numbers and repeated values it looks at the first 20,000 rows.
func New(client *erp.Client) review.Content { return &content{client} }

// Count implements [review.Content].
func (c *content) Count(ctx context.Context, q review.Question) (review.Count, error) {
	n, err := c.count(ctx, q)
	var refused *erp.Error
	switch {
	case err == nil && n < 0:
		return review.Count{}, review.ErrUnknown
	case errors.As(err, &refused), errors.Is(err, erp.ErrInvalid): // no such table yet, or not for this login
		return review.Count{}, fmt.Errorf("%w: %w", review.ErrUnknown, err)
	case err != nil:
		return review.Count{}, fmt.Errorf("counting rows of %s: %w", q.Table, err)
	}
	return review.Count{Rows: n}, nil
}

func (c *content) count(ctx context.Context, q review.Question) (int64, error) {
	all := erp.Or(erp.Eq("IsActive", true), erp.Eq("IsActive", false)) // the server leaves inactive ones out otherwise
	switch q.Kind {
	case review.Rows:
		return c.rows(ctx, q.Table, all)
	case review.Empty:
		return c.rows(ctx, q.Table, erp.And(erp.IsNull(q.Column), all))
	case review.Longer, review.Fractional, review.Repeated:
		return c.read(ctx, q, all)
	}
	return 0, fmt.Errorf("there is no kind %d", q.Kind)
}

func (c *content) rows(ctx context.Context, table string, filter erp.Filter) (int64, error) {
	page, err := c.client.Query(ctx, table, &erp.Query{Filter: filter, Top: 1, Select: []string{"IsActive"}})
	if err != nil {
		return 0, err
	}
	return int64(page.Rows), nil
}

// read counts what the API cannot, by reading the columns in question.
func (c *content) read(ctx context.Context, q review.Question, filter erp.Filter) (int64, error) {
	columns := q.Unique
	if q.Kind != review.Repeated {
		columns = []string{q.Column}
	}
	seen := map[string]int64{}
	var n int64
	rows := 0
	for rec, err := range c.client.Records(ctx, q.Table, &erp.Query{Filter: filter, Select: columns}) {
		if err != nil {
			return 0, err
		}
		if rows++; rows > mostCounted {
			break
		}
		switch q.Kind {
		case review.Longer:
			if text, _ := rec.Text(q.Column); utf8.RuneCountInString(text) > q.Length {
				n++
			}
		case review.Fractional:
			if strings.Contains(valueOf(rec, q.Column), "/") {
				n++
			}
		case review.Repeated:
			var parts []string
			for _, column := range columns {
				if text := valueOf(rec, column); text != "" {
					parts = append(parts, text)
				}
			}
			if len(parts) == len(columns) { // a row without one of the values repeats nothing
				seen[strings.Join(parts, "\x00")]++
			}
		}
	}
	for _, times := range seen {
		if times > 1 {
			n += times
		}
	}
	return n, nil
}

// valueOf is a value as text that is the same for the same values; empty for none.
func valueOf(rec erp.Record, column string) string {
	if text, ok := rec.Text(column); ok {
		return text
	}
	if number, ok := rec.Decimal(column); ok {
		if exact, ok := number.Rat(); ok {
			return exact.RatString() // 2 for 2.00, 3/2 for 1.5
		}
		return number.String()
	}
	if ref, ok := rec.Ref(column); ok {
		return ref.Code()
	}
	if flag, ok := rec.Bool(column); ok {
		return strconv.FormatBool(flag)
	}
	return ""
}

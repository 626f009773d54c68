package restdict

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// maxAddress bounds the length of the address of a request, in bytes. Servers
// and what stands before them take 8 kB with all headers, the token among them.
const maxAddress = 3500

// readWhere reads the rows of a table that meet its conditions, until none of
// them came or went meanwhile.
func (r *tableReader) readWhere(ctx context.Context) (registry.Stamp, error) {
	const attempts = 3
	filters := r.filters()
	r.expectRequests(len(filters) * (1 + len(r.hidden)))
	for attempt := 1; ; attempt++ {
		r.sink.Begin(r.place)
		r.taken = map[int64]bool{}
		if err := r.flags(ctx, filters...); err != nil {
			return registry.Stamp{}, err
		}
		steady := true
		for _, f := range filters {
			r.query.Filter = everything().And(f)
			same, err := r.some(ctx)
			if err != nil {
				return registry.Stamp{}, err
			}
			steady = steady && same
		}
		if !steady && attempt == attempts {
			r.s.log.WarnContext(ctx, "a table of the dictionary changes while it is read", "table", r.table.Name, "attempts", attempts)
		}
		if steady || attempt == attempts {
			return registry.Stamp{Rows: len(r.taken)}, nil
		}
	}
}

// some reads the rows that the query is for, and reports whether they stayed the
// same meanwhile. One page is of one moment.
func (r *tableReader) some(ctx context.Context) (steady bool, err error) {
	page, err := r.s.query(ctx, r.table.Name, &r.query)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", r.table.Name, err)
	}
	if !page.More() {
		_, err = r.hand(page, bounds{math.MinInt64, math.MaxInt64})
		return true, err
	}
	before, err := r.s.stamp(ctx, r.table.Name, r.query.Filter, r.s.query)
	if err != nil {
		return false, err
	}
	rows, err := r.parts(ctx)
	if err != nil {
		return false, err
	}
	after, err := r.s.stamp(ctx, r.table.Name, r.query.Filter, r.s.query)
	return rows == before.Rows && before.Rows == after.Rows && before.Mark == after.Mark, err
}

// take reports whether a row is to be handed over.
func (r *tableReader) take(key int64, values []registry.SourceValue) bool {
	if len(r.table.Where) == 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken[key] || r.sift && !r.table.Meets(values) {
		return false
	}
	r.taken[key] = true
	return true
}

// filters are the conditions of the table, in parts that are short enough for
// the address of a request. When the filter language cannot express one, it is a
// single filter that all rows meet, and rows are sifted here.
func (r *tableReader) filters() []erp.Filter {
	room := maxAddress - 200 // path, order and so on
	for _, name := range r.query.Select {
		room -= len(url.QueryEscape(name + ","))
	}
	room = max(room, 500)
	var out []erp.Filter
	for _, w := range r.table.Where {
		for _, ints := range chunks(w.Ints, room, strconv.Itoa) {
			out = append(out, erp.In(w.Column, ints...))
		}
		for _, texts := range chunks(w.Texts, room, func(s string) string { return "'" + s + "'" }) {
			for i, s := range texts {
				if strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c >= utf8.RuneSelf || strings.ContainsRune(",()'", c) }) >= 0 {
					r.sift = true
					return []erp.Filter{{}}
				}
				texts[i] = strings.ToLower(s)
			}
			out = append(out, erp.In(erp.ToLower(w.Column), texts...))
		}
	}
	return out
}

// chunks cuts a list where the escaped texts of its elements would take more
// than room.
func chunks[T any](list []T, room int, text func(T) string) [][]T {
	var out [][]T
	used := 0
	for _, v := range list {
		size := len(url.QueryEscape(text(v) + ","))
		if len(out) == 0 || used+size > room {
			out, used = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], v)
		used += size
	}
	return out
}

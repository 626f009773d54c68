package restdict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

const (
	// late is by how much changes may come late.
	late = unsettled + 2*skew
	// sincePage is how many rows are requested at first: after most changes, the
	// changed ones are among them.
	sincePage = 100
	// sinceShare is the part of a table up to which reading only what changed is
	// worth while. It is read page by page; a whole table is read in parts at a time.
	sinceShare = 4
)

// recently is the newest rows of a table.
type recently struct {
	stamp   registry.Stamp
	records []erp.Record
	pages   int
}

// readSince reads what changed since the time that the registry has, and reports
// whether it could. Rows are requested in the order of their times, the newest
// first, until they are older than that. So no time has to be written in the zone
// of the server, and one page shows the state of the table, too.
func (r *tableReader) readSince(ctx context.Context) (stamp registry.Stamp, ok bool, err error) {
	const attempts = 2
	at := slices.IndexFunc(r.table.Columns, func(c registry.SourceColumn) bool { return c.Type == registry.SourceTime })
	if r.table.Since == 0 || at < 0 || r.from[at] == "" {
		return registry.Stamp{}, false, nil
	}
	for range attempts {
		got, err := r.recent(ctx, at)
		if err != nil || got == nil {
			return registry.Stamp{}, false, err
		}
		rows, ok, err := r.recentRows(ctx, got.records, at)
		if err != nil {
			return registry.Stamp{}, false, err
		}
		if ok && (got.pages > 1 || len(r.hidden) > 0) {
			after, err := r.s.stamp(ctx, r.table.Name, everything(), r.s.query)
			if err != nil {
				return registry.Stamp{}, false, err
			}
			ok = after.Rows == got.stamp.Rows && after.Mark == got.stamp.Mark
		}
		if !ok {
			continue
		}
		r.sink.Begin(r.place)
		for _, values := range rows {
			if err := r.sink.Row(r.place, values); err != nil {
				return registry.Stamp{}, false, err
			}
		}
		got.stamp.Partial = true
		return got.stamp, true, nil
	}
	return registry.Stamp{}, false, nil
}

// recent reads the newest records of a table; nil when they are so many that the
// whole table is better read, or in no order that helps.
func (r *tableReader) recent(ctx context.Context, at int) (*recently, error) {
	name := r.table.Columns[at].Name
	q := r.query
	q.OrderBy, q.Top = []string{erp.Desc(name), r.table.Key}, min(sincePage, r.s.opts.PageSize)
	got := &recently{}
	last := int64(math.MaxInt64)
	for {
		page, err := r.s.query(ctx, r.table.Name, &q)
		if err != nil {
			return nil, fmt.Errorf("read what changed in %s: %w", r.table.Name, err)
		}
		if got.pages++; got.pages == 1 {
			got.stamp = stampOf(page)
		}
		for _, record := range page.Records {
			changed, ok := record.Time(name)
			if !ok || changed.UnixMilli() > last {
				return nil, nil // the server did not understand the order
			}
			last = changed.UnixMilli()
		}
		got.records = append(got.records, page.Records...)
		if last < r.table.Since-late.Milliseconds() || r.table.Settled && last <= r.table.Since || !page.More() {
			return got, nil
		}
		if page.Rows < 0 || len(got.records) > page.Rows/sinceShare {
			return nil, nil
		}
		q.Skip, q.Top = len(got.records), r.s.opts.PageSize
	}
}

// recentRows takes records apart. It reports false when one is there twice, as
// happens when others come in between two pages.
func (r *tableReader) recentRows(ctx context.Context, records []erp.Record, at int) ([][]registry.SourceValue, bool, error) {
	keys := make([]int64, len(records))
	seen := map[int64]bool{}
	for i, record := range records {
		key, ok := r.key(record)
		if !ok {
			return nil, false, r.keyless()
		}
		if seen[key] {
			return nil, false, nil
		}
		seen[key], keys[i] = true, key
	}
	if err := r.flagsOf(ctx, keys); err != nil {
		return nil, false, err
	}
	rows := make([][]registry.SourceValue, len(records))
	from := r.newRows()
	for i, record := range records {
		if _, err := from.next(record); err != nil {
			return nil, false, err
		}
		rows[i] = slices.Clone(from.values)
	}
	return rows, true, nil
}

// flagsOf requests which of some records have the flags that the server does not
// show.
func (r *tableReader) flagsOf(ctx context.Context, keys []int64) error {
	var among []erp.Filter
	for _, some := range chunks(keys, maxAddress-200, func(n int64) string { return strconv.FormatInt(n, 10) }) {
		among = append(among, erp.In(r.table.Key, some...))
	}
	return r.flags(ctx, among...)
}

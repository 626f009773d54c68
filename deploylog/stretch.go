package deploylog

import (
	"context"
	"iter"
	"time"

	"github.com/erphub/erphub/erp"
)

// stretch is a part of the log's time: from since (zero: its beginning) to before
// until (zero: its end).
type stretch struct{ since, until time.Time }

const (
	newestStretch = 24 * time.Hour
	// stretchGrowth is how many times as far each stretch reaches back as the one
	// before. It bounds what the server counts beyond the page that is requested.
	stretchGrowth = 16
)

// stretches cut the time from since to before until, either of which may be zero,
// into parts, the newest first. The server counts the matches of every query, so
// one that reaches back without end is slow when the log is long.
func stretches(now, since, until time.Time) iter.Seq[stretch] {
	from := now
	if !until.IsZero() && until.Before(now) {
		from = until
	}
	from = from.UTC().Truncate(time.Second)
	return func(yield func(stretch) bool) {
		for back := newestStretch; ; back *= stretchGrowth {
			s := stretch{from.Add(-back), until}
			if s.since.Year() < 1970 { // nothing was recorded before
				s.since = time.Time{}
			}
			last := !s.since.After(since)
			if last {
				s.since = since
			}
			if !yield(s) || last {
				return
			}
			until = s.since
		}
	}
}

// filter is true of the runs whose time in a column is in the stretch.
func (s stretch) filter(column string) erp.Filter {
	f := erp.NotNull(column)
	if !s.since.IsZero() {
		f = erp.Ge(column, s.since.UTC().Truncate(time.Second))
	}
	if !s.until.IsZero() {
		f = f.And(erp.Lt(column, s.until.UTC().Truncate(time.Second)))
	}
	return f
}

// newest yields the runs of a filter by a column of time, the newest first, at most
// so many.
func (l *Log) newest(ctx context.Context, f erp.Filter, column string, until time.Time, most int) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for s := range stretches(l.clock.Now(), time.Time{}, until) {
			for run, err := range l.list(ctx, erp.Query{Filter: s.filter(column).And(f), Limit: most, OrderBy: newestFirst(column)}) {
				if !yield(run, err) || err != nil {
					return
				}
				if most--; most == 0 {
					return
				}
			}
		}
	}
}

// newestFirst is the order by a column of time.
func newestFirst(column string) []string {
	return []string{erp.Desc(column), erp.Desc(TableName + "_ID")}
}

// searchedRuns is about how many runs one page of a search goes through: no index
// helps to find a word in a text.
const searchedRuns = 20_000

// reach is how far back a search may go so that it goes through about searchedRuns
// of the runs of a filter; since, if there are no more.
func (l *Log) reach(ctx context.Context, f erp.Filter, since, until time.Time) (time.Time, error) {
	now, seen := l.clock.Now(), 0
	for s := range stretches(now, since, until) {
		page, err := l.client.Query(ctx, TableName, &erp.Query{Filter: s.filter("DateStarted").And(f), Select: []string{"Environment"}, Top: 1})
		if err != nil {
			return time.Time{}, err
		}
		if seen+page.Rows <= searchedRuns {
			seen += max(page.Rows, 0)
			continue
		}
		// The runs of a stretch are taken to be spread evenly over it.
		if s.until.IsZero() || s.until.After(now) {
			s.until = now
		}
		if s.since.IsZero() {
			s.since = time.Unix(0, 0)
		}
		part := float64(searchedRuns-seen) / float64(page.Rows)
		back := max(time.Duration(float64(s.until.Sub(s.since))*part), time.Second)
		return s.until.Add(-back).UTC().Truncate(time.Second), nil
	}
	return since, nil
}

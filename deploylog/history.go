package deploylog

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// HistoryQuery says which runs to list. The zero value lists all.
type HistoryQuery struct {
	Environment Environment // empty: all
	Status      State       // empty: all
	Client      erp.ID      // tenant; zero: all that the role may see
	Since       time.Time   // runs that began then or later; zero: all
	Until       time.Time   // runs that began before; zero: all
	// Search lists the runs that have each of its words, in any case of letters,
	// in their version, components, changes, current step, error message, build
	// number or the name of who deployed, or whose environment or status begins
	// with it. At most 8 words and 100 characters; empty: all.
	Search string
	// Limit bounds the number of runs over all pages; 0 means no bound.
	Limit int
	// PageSize is the number of runs to request at a time; 0, or more than the
	// server's cap (100 by default), gives as many as the cap allows.
	PageSize int
}

// historyFilter is true of the runs of a query, whatever their time and text.
func (l *Log) historyFilter(ctx context.Context, q *HistoryQuery) (erp.Filter, error) {
	env, err := l.orAll(ctx, q.Environment)
	if err != nil {
		return erp.Filter{}, err
	}
	f := within(env, q.Client)
	if q.Status != "" {
		state, err := ParseState(string(q.Status))
		if err != nil {
			return f, err
		}
		f = f.And(erp.Eq("Status", state.Code()))
	}
	return f, nil
}

// HistoryPage is one page of runs, newest first.
type HistoryPage struct {
	Runs []Run `json:"runs"`
	// Next continues behind the page; empty: there is no more. A page of a search
	// goes through some 20,000 runs, so it may have few runs or none, and a Next.
	Next string `json:"next,omitempty"`
	// Total is the number of runs from this page on, -1 if that is not known:
	// a log is not counted beyond the time that its page was found in.
	Total int `json:"total"`
}

// History yields past and current runs, newest first, page by page. It never
// holds more than one page, and pages do not shift when runs are added
// meanwhile. The first error is yielded with a zero Run and ends it.
func (l *Log) History(ctx context.Context, q HistoryQuery) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		left, cursor := q.Limit, ""
		for {
			if q.Limit > 0 && (q.PageSize == 0 || left < q.PageSize) {
				q.PageSize = left
			}
			page, err := l.HistoryPage(ctx, q, cursor)
			if err != nil {
				yield(Run{}, err)
				return
			}
			for _, run := range page.Runs {
				if !yield(run, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if cursor = page.Next; cursor == "" {
				return
			}
		}
	}
}

// HistoryPage reads the page behind a cursor, which is HistoryPage.Next of the
// page before, or empty. Limit of the query is ignored. The time it takes depends
// on the page, and hardly on how long the log is.
func (l *Log) HistoryPage(ctx context.Context, q HistoryQuery, cursor string) (HistoryPage, error) {
	f, words, at, err := l.parseHistory(ctx, &q, cursor)
	if err != nil {
		return HistoryPage{}, err
	}
	since, until := q.Since, at.limit(q.Until)
	var environments []NamedEnvironment
	if len(words) > 0 {
		if environments, err = l.Environments(ctx); err != nil {
			return HistoryPage{}, err
		}
		if since, err = l.reach(ctx, f, q.Since, until); err != nil {
			return HistoryPage{}, fmt.Errorf("reading the deployment log: %w", err)
		}
	}
	f = f.And(words.filter(environments))
	page, skip, left, total := HistoryPage{Runs: []Run{}, Total: -1}, at.skip, cmp.Or(max(q.PageSize, 0), defaultPage), 0
	for s := range stretches(l.clock.Now(), since, until) {
		found, err := l.client.Query(ctx, TableName, &erp.Query{
			Filter: f.And(s.filter("DateStarted")), Select: runColumns(), Top: max(left, 1), Skip: skip, OrderBy: newestFirst("DateStarted"),
		})
		if err != nil {
			return HistoryPage{}, fmt.Errorf("reading the deployment log: %w", err)
		}
		total, skip = total+max(found.Rows-skip, 0), 0
		if s.since.Equal(since) && since.Equal(q.Since) && found.Rows >= 0 && !words.inexact() { // else the server counts too many, or not all
			page.Total = total
		}
		more := found.More()
		if left == 0 { // the page is full, and more follow only if something was found
			more, found.Records = len(found.Records) > 0, nil
		}
		if err := page.add(found.Records, words, environments, &at); err != nil {
			return HistoryPage{}, err
		}
		left = max(left-len(found.Records), 0)
		if more {
			page.Next = at.String()
			return page, nil
		}
	}
	if since.After(q.Since) { // the search goes on further back
		page.Next = historyCursor{second: since.Add(-time.Second)}.String()
	}
	return page, nil
}

func (l *Log) parseHistory(ctx context.Context, q *HistoryQuery, cursor string) (f erp.Filter, words search, at historyCursor, err error) {
	if words, err = parseSearch(q.Search); err == nil {
		f, err = l.historyFilter(ctx, q)
	}
	if err == nil {
		at, err = parseCursor(cursor)
	}
	return f, words, at, err
}

func (p *HistoryPage) add(records []erp.Record, words search, environments []NamedEnvironment, at *historyCursor) error {
	for _, rec := range records {
		run, err := ParseRun(rec)
		if err != nil {
			return err
		}
		if !words.inexact() || words.matches(&run, environments) {
			p.Runs = append(p.Runs, run)
		}
		*at = at.behind(&run)
	}
	return nil
}

// defaultPage is the server's cap unless somebody has changed it.
const defaultPage = 100

// historyCursor is a place in the history: the second in which the last run
// began, and how many runs of that second were seen. A place by time does not
// move when newer runs come.
type historyCursor struct {
	second time.Time
	skip   int
}

// limit ends the second of the cursor, if the time is not before that.
func (c historyCursor) limit(until time.Time) time.Time {
	if behind := c.second.Add(time.Second); !c.second.IsZero() && (until.IsZero() || behind.Before(until)) {
		return behind
	}
	return until
}

func (c historyCursor) behind(run *Run) historyCursor {
	second := run.DateStarted.Truncate(time.Second)
	if c.second.Equal(second) {
		return historyCursor{second, c.skip + 1}
	}
	return historyCursor{second, 1}
}

func (c historyCursor) String() string {
	return strconv.FormatInt(c.second.Unix(), 10) + "." + strconv.Itoa(c.skip)
}

func parseCursor(cursor string) (historyCursor, error) {
	if cursor == "" {
		return historyCursor{}, nil
	}
	second, skip, ok := strings.Cut(cursor, ".")
	at, err := strconv.ParseInt(second, 10, 64)
	n, err2 := strconv.Atoi(skip)
	if !ok || err != nil || err2 != nil || n < 0 || at < -1<<36 || at > 1<<36 {
		return historyCursor{}, fmt.Errorf("%w: %s is not a cursor of the history; begin without one", ErrInvalid, text.Quote(cursor))
	}
	return historyCursor{time.Unix(at, 0).UTC(), n}, nil
}

// list yields the runs of a query, page by page, unless it says otherwise with all
// columns.
func (l *Log) list(ctx context.Context, q erp.Query) iter.Seq2[Run, error] {
	if q.Select == nil {
		q.Select = runColumns()
	}
	return func(yield func(Run, error) bool) {
		for rec, err := range l.client.Records(ctx, TableName, &q) {
			if err != nil {
				yield(Run{}, err)
				return
			}
			run, err := ParseRun(rec)
			if !yield(run, err) || err != nil {
				return
			}
		}
	}
}

package deploylog

import (
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
	// Limit bounds the number of runs over all pages; 0 is no bound.
	Limit int
	// PageSize is how many runs to request at a time; 0, or more than the
	// server's cap (100 by default), gives as many as the cap allows.
	PageSize int
}

func (q *HistoryQuery) filter(words search) (erp.Filter, error) {
	// A run without a start is none that this package made.
	f := erp.NotNull("DateStarted")
	if q.Environment != "" {
		env, err := ParseEnvironment(string(q.Environment))
		if err != nil {
			return f, err
		}
		f = f.And(erp.Eq("Environment", string(env)))
	}
	if q.Status != "" {
		state, err := ParseState(string(q.Status))
		if err != nil {
			return f, err
		}
		f = f.And(erp.Eq("Status", state.Code()))
	}
	if !q.Client.IsZero() {
		f = f.And(erp.Eq("AD_Client_ID", q.Client))
	}
	if !q.Since.IsZero() {
		f = f.And(erp.Ge("DateStarted", q.Since.UTC().Truncate(time.Second)))
	}
	if !q.Until.IsZero() {
		f = f.And(erp.Lt("DateStarted", q.Until.UTC().Truncate(time.Second)))
	}
	return f.And(words.filter()), nil
}

// HistoryPage is one page of runs, newest first.
type HistoryPage struct {
	Runs []Run `json:"runs"`
	// Next continues behind the page; empty: there is no more.
	Next string `json:"next,omitempty"`
	// Total is how many runs there are from this page on, -1 if that is not known.
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
// page before, or empty. Limit of the query is ignored.
func (l *Log) HistoryPage(ctx context.Context, q HistoryQuery, cursor string) (HistoryPage, error) {
	words, err := parseSearch(q.Search)
	if err != nil {
		return HistoryPage{}, err
	}
	f, err := q.filter(words)
	if err != nil {
		return HistoryPage{}, err
	}
	at, err := parseCursor(cursor)
	if err != nil {
		return HistoryPage{}, err
	}
	if !at.second.IsZero() {
		f = f.And(erp.Lt("DateStarted", at.second.Add(time.Second)))
	}
	page, err := l.client.Query(ctx, TableName, &erp.Query{
		Filter: f, Select: runColumns(), Top: max(q.PageSize, 0), Skip: at.skip,
		OrderBy: []string{erp.Desc("DateStarted"), erp.Desc(TableName + "_ID")},
	})
	if err != nil {
		return HistoryPage{}, fmt.Errorf("reading the deployment log: %w", err)
	}
	h := HistoryPage{Runs: make([]Run, 0, len(page.Records)), Total: page.Rows}
	if page.Rows >= 0 {
		h.Total = max(page.Rows-at.skip, 0)
	}
	for _, rec := range page.Records {
		run, err := ParseRun(rec)
		if err != nil {
			return HistoryPage{}, err
		}
		if !words.inexact() || words.matches(&run) {
			h.Runs = append(h.Runs, run)
		}
		at = at.behind(&run)
	}
	if words.inexact() {
		h.Total = -1 // the server counts what only nearly matches, too
	}
	if page.More() && len(page.Records) > 0 {
		h.Next = at.String()
	}
	return h, nil
}

// historyCursor is a place in the history: the second in which the last run
// began, and how many runs of that second were seen. A place by time does not
// move when newer runs come.
type historyCursor struct {
	second time.Time
	skip   int
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
		return historyCursor{}, fmt.Errorf("%w: %s is no cursor of the history; begin without one", ErrInvalid, text.Quote(cursor))
	}
	return historyCursor{time.Unix(at, 0).UTC(), n}, nil
}

// list yields the runs of a filter in an order, page by page.
func (l *Log) list(ctx context.Context, f erp.Filter, orderBy ...string) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for rec, err := range l.client.Records(ctx, TableName, &erp.Query{Filter: f, Select: runColumns(), OrderBy: orderBy}) {
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

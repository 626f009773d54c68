package jobs

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/process"
	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

func TestNextRun(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, tc := range []struct {
		name, cron, kind string
		every            int64
		after, want      string
	}{
		{name: "minutes", kind: "M", every: 15, after: "2026-03-09T08:00:30Z", want: "2026-03-09T08:15:30Z"},
		{name: "hours", kind: "H", every: 2, after: "2026-03-09T23:00:00Z", want: "2026-03-10T01:00:00Z"},
		{name: "days, none said is one", kind: "D", after: "2026-03-09T08:00:00Z", want: "2026-03-10T08:00:00Z"},
		{name: "unknown unit", kind: "Y", every: 1, after: "2026-03-09T08:00:00Z"},
		{name: "every night", cron: "0 2 * * *", after: "2026-03-09T02:00:00Z", want: "2026-03-10T02:00:00Z"},
		{name: "later today", cron: "30 14 * * *", after: "2026-03-09T08:00:59Z", want: "2026-03-09T14:30:00Z"},
		{name: "steps", cron: "*/20 * * * *", after: "2026-03-09T08:40:00Z", want: "2026-03-09T09:00:00Z"},
		{name: "step from a start", cron: "5/30 * * * *", after: "2026-03-09T08:06:00Z", want: "2026-03-09T08:35:00Z"},
		{name: "ranges and lists", cron: "0 9-17 * * 1-5", after: "2026-03-13T17:30:00Z", want: "2026-03-16T09:00:00Z"},
		{name: "Sunday is 7, too", cron: "0 0 * * 7", after: "2026-03-09T08:00:00Z", want: "2026-03-15T00:00:00Z"},
		{name: "first of January", cron: "0 0 1 1 *", after: "2026-01-01T00:00:00Z", want: "2027-01-01T00:00:00Z"},
		{name: "day of month or weekday", cron: "0 0 20 * 3", after: "2026-03-09T08:00:00Z", want: "2026-03-11T00:00:00Z"},
		{name: "leap day", cron: "0 0 29 2 *", after: "2026-03-09T08:00:00Z", want: "2028-02-29T00:00:00Z"},
		{name: "never", cron: "0 0 31 2 *", after: "2026-03-09T08:00:00Z"},
		{name: "an hour that is skipped", cron: "30 2 * * *", after: "2026-03-29T01:00:00+01:00", want: "2026-03-29T03:30:00+02:00"},
		{name: "local time", cron: "0 2 * * *", after: "2026-06-01T12:00:00+02:00", want: "2026-06-02T02:00:00+02:00"},
		{name: "too few fields", cron: "0 2 * *", after: "2026-03-09T08:00:00Z"},
		{name: "out of range", cron: "60 2 * * *", after: "2026-03-09T08:00:00Z"},
		{name: "backwards", cron: "0 5-2 * * *", after: "2026-03-09T08:00:00Z"},
		{name: "step of nothing", cron: "*/0 * * * *", after: "2026-03-09T08:00:00Z"},
		{name: "no number", cron: "a * * * *", after: "2026-03-09T08:00:00Z"},
		{name: "empty", kind: "", after: "2026-03-09T08:00:00Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			row := store.Row{"ScheduleType": "F", "FrequencyType": tc.kind, "Frequency": tc.every}
			if tc.cron != "" {
				row = store.Row{"ScheduleType": "C", "CronPattern": tc.cron}
			}
			after, err := time.Parse(time.RFC3339, tc.after)
			require.NoError(t, err)
			if _, offset := after.Zone(); offset != 0 {
				after = after.In(berlin)
			}
			next, ok := nextRun(row, after)
			require.Equal(t, tc.want != "", ok)
			if ok {
				assert.Equal(t, tc.want, next.Format(time.RFC3339))
			}
		})
	}
}

func FuzzCron(f *testing.F) {
	f.Add("*/5 1-3,7 * * 1")
	f.Add("0 0 31 2 *")
	f.Fuzz(func(t *testing.T, pattern string) {
		after := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
		if p, ok := parseCron(pattern); ok {
			if next, ok := p.next(after); ok && !next.After(after) {
				t.Fatalf("%q is due at %v, which is not later than %v", pattern, next, after)
			}
		}
	})
}

func TestJobThatRunsIsNotRunAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := seed.Open(ctx, "", seed.Options{})
	require.NoError(t, err)
	silent := slog.New(slog.DiscardHandler)
	e := engine.New(db, engine.Options{Clock: time.Now, Location: time.UTC, Log: silent, Events: silent})
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	m := New(e, process.New(nil))
	require.NoError(t, e.DB.View(ctx, func(tx *store.Tx) error { return m.Reload(ctx, tx) }))
	require.True(t, m.begin("WorkflowProcessor100"))
	job, ok := m.Find("WorkflowProcessor100")
	require.True(t, ok)
	s := &engine.Session{ERP: e}
	err = m.Run(ctx, s, nil, job)
	require.EqualError(t, err, "Server error: The server job is running: WorkflowProcessor100")
	m.end(job.ID, LogLine{}, 0, time.Time{})
	require.NoError(t, m.Run(ctx, s, nil, job))
}

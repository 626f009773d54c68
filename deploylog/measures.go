package deploylog

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/erphub/erphub/erp"
)

// MeasureQuery says over which runs to measure. From is needed.
type MeasureQuery struct {
	From        time.Time   // beginning of the period
	To          time.Time   // its end; zero: now
	Environment Environment // empty: all
	Client      erp.ID      // tenant; zero: all that the role may see
}

// Measures are the four delivery measures of an environment over a period. A
// deployment is a run that ended in SUCCESS in the period, also when it was
// rolled back later, or one that failed while DEPLOYING; builds that failed
// count nowhere.
type Measures struct {
	Environment Environment `json:"environment"`
	// Deployments is the number of runs that were deployed, Failures the number of
	// deployments tried that went wrong: FAILED while DEPLOYING, or ROLLED_BACK.
	Deployments int `json:"deployments"`
	Failures    int `json:"failures"`
	// PerDay is the deployment frequency.
	PerDay float64 `json:"perDay"`
	// FailureRate is the change failure rate, 0 to 1; 0 when nothing was tried.
	FailureRate float64 `json:"failureRate"`
	// LeadTime is the median time from a change to its deployment, and
	// LeadTimes over how many changes. A change is a time in RFC 3339 within
	// Components, such as the time of the commit a component was built from; 0
	// when the components give none.
	LeadTime  time.Duration `json:"-"`
	LeadTimes int           `json:"leadTimes"`
	// Restore is the median time from a failure to the rollback or the next
	// success, and Restores over how many of them. Failures that were not
	// fixed in the period do not count.
	Restore  time.Duration `json:"-"`
	Restores int           `json:"restores"`
}

// Measure computes the measures of each environment from the runs that ended in
// the period. The first call reads them all, about a hundred with each request and
// the newest first, and the log remembers some 300 bytes of each. Later calls make two
// requests for each environment, one more for each hundred runs that have changed,
// and read what a longer period has before. A call that the context cuts off says
// so, and the next one goes on from there. After runs were deleted or moved to
// another environment, those of the environment are read again.
func (l *Log) Measure(ctx context.Context, q MeasureQuery) ([]Measures, error) {
	to := q.To
	if to.IsZero() {
		to = l.clock.Now()
	}
	if q.From.IsZero() || !q.From.Before(to) {
		return nil, fmt.Errorf("%w: the period to measure has no beginning, or ends before it", ErrInvalid)
	}
	env, err := l.orAll(ctx, q.Environment)
	if err != nil {
		return nil, err
	}
	environments, err := l.environmentsOf(ctx, env)
	if err != nil {
		return nil, err
	}
	list := make([]Measures, len(environments))
	return list, each(environments, func(i int, env Environment) error {
		runs, err := l.endedIn(env).between(ctx, q.From.UTC().Truncate(time.Second), to.UTC().Truncate(time.Second))
		if err != nil {
			return fmt.Errorf("measuring %s: %w", env.Name(), err)
		}
		var t tally
		for _, run := range runs {
			if q.Client.IsZero() || run.client == q.Client {
				t.add(run)
			}
		}
		list[i] = t.measures(env, to.Sub(q.From))
		return nil
	})
}

// tally counts the runs of one environment in the order they ended.
type tally struct {
	tried, deployed, failed int
	lead, restore           []time.Duration
	broken                  []time.Time // failures that nothing fixed yet
}

func (t *tally) add(run *ended) {
	if run.status == "" {
		return
	}
	t.tried++
	if run.deployed {
		t.deployed++
	}
	switch run.status {
	case Success:
		for _, at := range t.broken {
			t.restore = append(t.restore, run.completed.Sub(at))
		}
		t.broken = t.broken[:0]
	case RolledBack:
		t.failed++
		t.restore = append(t.restore, run.restore)
	case Failed:
		t.failed++
		t.broken = append(t.broken, run.completed)
	}
	for _, at := range run.changes {
		if lead := run.completed.Sub(at); lead >= 0 {
			t.lead = append(t.lead, lead)
		}
	}
}

func (t *tally) measures(env Environment, period time.Duration) Measures {
	m := Measures{
		Environment: env, Deployments: t.deployed, Failures: t.failed,
		PerDay:   float64(t.deployed) / (float64(period) / float64(24*time.Hour)),
		LeadTime: median(t.lead), LeadTimes: len(t.lead), Restore: median(t.restore), Restores: len(t.restore),
	}
	if t.tried > 0 {
		m.FailureRate = float64(t.failed) / float64(t.tried)
	}
	return m
}

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return (list[middle-1] + list[middle]) / 2
}

// changeTimes are the times that a text of components names.
func changeTimes(components string) []time.Time {
	var times []time.Time
	for _, text := range timePattern().FindAllString(components, 1000) {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			times = append(times, at)
		}
	}
	return times
}

func timePattern() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)
}

// MarshalJSON writes the measures with their times in seconds.
func (m Measures) MarshalJSON() ([]byte, error) {
	type plain Measures
	return json.Marshal(struct {
		plain
		LeadTime int64 `json:"leadTime"`
		Restore  int64 `json:"restore"`
	}{plain(m), int64(m.LeadTime / time.Second), int64(m.Restore / time.Second)})
}

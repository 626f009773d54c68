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
	// Deployments is how many runs were deployed, Failures how many of the
	// deployments tried went wrong: FAILED while DEPLOYING, or ROLLED_BACK.
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
// the period, which it reads page by page.
func (l *Log) Measure(ctx context.Context, q MeasureQuery) ([]Measures, error) {
	to := q.To
	if to.IsZero() {
		to = l.clock.Now()
	}
	if q.From.IsZero() || !q.From.Before(to) {
		return nil, fmt.Errorf("%w: the period to measure has no beginning, or ends before it", ErrInvalid)
	}
	environments := Environments()
	f := erp.Ge("DateCompleted", q.From.UTC().Truncate(time.Second)).And(erp.Lt("DateCompleted", to.UTC().Truncate(time.Second)))
	if q.Environment != "" {
		env, err := ParseEnvironment(string(q.Environment))
		if err != nil {
			return nil, err
		}
		environments = []Environment{env}
		f = f.And(erp.Eq("Environment", string(env)))
	}
	if !q.Client.IsZero() {
		f = f.And(erp.Eq("AD_Client_ID", q.Client))
	}
	tallies := map[Environment]*tally{}
	for _, env := range environments {
		tallies[env] = &tally{}
	}
	records := l.client.Records(ctx, TableName, &erp.Query{
		Filter: f, OrderBy: []string{erp.Asc("DateCompleted")},
		Select: []string{"Environment", "Status", "Progress", "Components", "CurrentStep", "DateCompleted", "VersionPrevious", "Updated"},
	})
	for rec, err := range records {
		if err != nil {
			return nil, fmt.Errorf("measuring: %w", err)
		}
		run, err := ParseRun(rec)
		if err != nil {
			return nil, err
		}
		if t := tallies[run.Environment]; t != nil {
			t.add(&run)
		}
	}
	list := make([]Measures, len(environments))
	for i, env := range environments {
		list[i] = tallies[env].measures(env, to.Sub(q.From))
	}
	return list, nil
}

// tally counts the runs of one environment in the order they ended.
type tally struct {
	tried, deployed, failed int
	lead, restore           []time.Duration
	broken                  []time.Time // failures that nothing fixed yet
}

func (t *tally) add(run *Run) {
	switch {
	case run.Status == Success:
		t.tried++
		t.deployed++
		for _, at := range t.broken {
			t.restore = append(t.restore, run.DateCompleted.Sub(at))
		}
		t.broken = t.broken[:0]
	case run.Status == RolledBack:
		t.tried++
		t.failed++
		if run.Progress == 100 { // only SUCCESS gets there
			t.deployed++
		}
		t.restore = append(t.restore, max(run.RolledBackAt().Sub(run.DateCompleted), 0))
	case run.Status == Failed && run.ReachedDeployment():
		t.tried++
		t.failed++
		t.broken = append(t.broken, run.DateCompleted)
	default:
		return
	}
	if run.Status == Failed {
		return
	}
	for _, at := range changeTimes(run.Components) { // what failed has not arrived
		if lead := run.DateCompleted.Sub(at); lead >= 0 {
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

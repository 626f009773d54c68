package doctor

import (
	"context"
	"errors"
	"time"
)

// Status is the result of a check.
type Status string

// The outcomes of a check.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Failed  Status = "failed"
	Skipped Status = "skipped" // an earlier check failed, or there is nothing to examine
)

// Area is the subject of a check.
type Area string

// The areas, in the order they are examined.
const (
	AreaEnvironment   Area = "environment"   // this machine and its variables
	AreaConfiguration Area = "configuration" // the settings and the stored login
	AreaAPI           Area = "api"           // the ERP's REST API
	AreaDatabase      Area = "database"      // the ERP's database, if it is configured
	AreaCompatibility Area = "compatibility" // what this build of the ERP can do; on request
)

// Areas returns the areas that are examined unless others are asked for, in order.
func Areas() []Area { return []Area{AreaEnvironment, AreaConfiguration, AreaAPI, AreaDatabase} }

// Check is one finding.
type Check struct {
	Area   Area   `json:"area"`
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Fix    string `json:"fix,omitempty"` // what to do, unless all is well
	Millis int64  `json:"millis"`
	// Err is the cause of a failure.
	Err error `json:"-"`
}

// errWarn marks a finding that is not a failure.
var errWarn = errors.New("warning")

// errSkip marks what there is nothing to examine of.
var errSkip = errors.New("skipped")

// run collects findings of one area; after a failure the rest is skipped.
type run struct {
	area   Area
	checks []Check
	failed bool
}

func (r *run) check(ctx context.Context, name string, do func(context.Context) (string, error), fix string) {
	c := Check{Area: r.area, Name: name}
	if r.failed {
		c.Status, c.Found = Skipped, "not examined, because of the failure above"
		r.checks = append(r.checks, c)
		return
	}
	start := time.Now()
	found, err := do(ctx)
	c.Millis, c.Found = time.Since(start).Milliseconds(), found
	switch {
	case err == nil:
		c.Status = OK
	case errors.Is(err, errWarn):
		c.Status, c.Fix = Warning, fix
	case errors.Is(err, errSkip):
		c.Status = Skipped
	default:
		c.Status, c.Found, c.Fix, c.Err = Failed, err.Error(), fix, err
		r.failed = true
	}
	r.checks = append(r.checks, c)
}

// Worst is the most serious status of the findings.
func Worst(checks []Check) Status {
	worst := OK
	for _, c := range checks {
		switch {
		case c.Status == Failed:
			return Failed
		case c.Status == Warning:
			worst = Warning
		}
	}
	return worst
}

// Skip is the finding that an area was not examined, and why.
func Skip(area Area, name, why string) Check {
	return Check{Area: area, Name: name, Status: Skipped, Found: why}
}

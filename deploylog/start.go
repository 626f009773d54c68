package deploylog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// NewRun describes a run that begins. Environment is needed, the rest may be
// left out.
type NewRun struct {
	Environment     Environment
	Version         string // target version, at most 40 characters
	Components      string // what is updated; times in it in RFC 3339 count as commit times, see Measures
	Changes         string
	CurrentStep     string
	BuildNo         string // build number on the build server, at most 50 characters
	BuildURL        string // an address that begins with http:// or https://
	AutomationJobID string // at most 50 characters
	AutomationURL   string // as BuildURL
	DeployedBy      string // user who triggered the run, at most 100 characters

	// UUID is the run's XX_Deploy_Log_UU, for callers that have to name the run
	// before the ERP can be reached; empty: see [RunUUID].
	UUID string
	// At is the time when the run began, by the caller's clock, for calls that are
	// delivered late; zero: now.
	At time.Time
}

// RunUUID is the UUID that a run gets unless NewRun names one. Runs with a
// build number have the same one every time, so that a build server may retry
// its call; others get a new one.
func RunUUID(n *NewRun) string {
	if n.UUID != "" {
		return n.UUID
	}
	if n.BuildNo == "" {
		return newUUID()
	}
	return derivedUUID("run", string(n.Environment), n.BuildNo, n.BuildURL)
}

// Start records a run in BUILDING and returns it. It is idempotent for the same
// build number and environment: the run that is there is returned as it is,
// whatever became of it. Two runs whose build URLs differ are different builds,
// because two pipelines may count alike.
//
// Texts that do not fit are refused with ErrInvalid, except CurrentStep,
// Components and Changes, which are cut and end in "…".
func (l *Log) Start(ctx context.Context, n NewRun) (Run, error) {
	body, err := l.startBody(&n)
	if err != nil {
		return Run{}, err
	}
	if n.Environment, err = l.environment(ctx, n.Environment); err != nil {
		return Run{}, err
	}
	body["Environment"] = string(n.Environment)
	run, found, err := l.sameBuild(ctx, &n)
	if err != nil {
		return Run{}, fmt.Errorf("starting a run: %w", err)
	}
	if found {
		return run, nil
	}
	given := RunUUID(&n)
	var first error
	// The UUID of a build may be that of another tenant's run, which cannot be
	// seen but is in the way; then the next one is taken.
	for salt := range 3 {
		uuid := given
		if salt > 0 {
			uuid = derivedUUID("again", given, strconv.Itoa(salt))
		}
		run, err := l.create(ctx, uuid, &n, body)
		if err == nil {
			return run, nil
		}
		if first == nil {
			first = err
		}
		if taken := (*takenError)(nil); !errors.As(err, &taken) || n.BuildNo == "" {
			break
		}
	}
	return Run{}, fmt.Errorf("starting a run: %w", first)
}

// takenError marks a creation that was refused although the run is not there.
type takenError struct{ error }

func (e *takenError) Unwrap() error { return e.error }

// startBody checks a run and makes its record.
func (l *Log) startBody(n *NewRun) (map[string]any, error) {
	env, err := ParseEnvironment(string(n.Environment))
	if err != nil {
		return nil, err
	}
	n.Environment = env
	body := map[string]any{"Environment": string(env), "Status": Building.Code(), "Progress": 0}
	var errs []error
	for _, f := range []struct {
		column, what string
		text         *string
		check        func(column, what, text string) (string, error)
	}{
		{"Version", "the version", &n.Version, l.limits.exact},
		{"Ci_BuildNo", "the build number", &n.BuildNo, l.limits.exact},
		{"Ci_URL", "the build URL", &n.BuildURL, l.limits.link},
		{"Automation_JobID", "the automation job", &n.AutomationJobID, l.limits.exact},
		{"Automation_URL", "the automation URL", &n.AutomationURL, l.limits.link},
		{"DeployedBy", "the name of who deploys", &n.DeployedBy, l.limits.exact},
	} {
		if *f.text, err = f.check(f.column, f.what, *f.text); err != nil {
			errs = append(errs, err)
		} else if *f.text != "" {
			body[f.column] = *f.text
		}
	}
	if n.UUID != "" {
		if _, ok := erp.UUID(n.UUID).UUID(); !ok {
			errs = append(errs, fmt.Errorf("%w: %s is no UUID", ErrInvalid, text.Quote(n.UUID)))
		}
	}
	for column, text := range map[string]string{"Components": n.Components, "Changes": n.Changes, "CurrentStep": n.CurrentStep} {
		if text != "" {
			body[column] = l.limits.cut(column, text)
		}
	}
	return body, errors.Join(errs...)
}

// sameBuild finds the run of a build that was recorded before.
func (l *Log) sameBuild(ctx context.Context, n *NewRun) (Run, bool, error) {
	if n.BuildNo == "" {
		return Run{}, false, nil
	}
	filter := erp.Eq("Environment", string(n.Environment)).And(erp.Eq("Ci_BuildNo", n.BuildNo))
	for run, err := range l.list(ctx, erp.Query{Filter: filter, OrderBy: []string{erp.Asc("Created")}}) {
		switch {
		case errors.Is(err, erp.ErrInexpressible):
			return Run{}, false, nil // the UUID finds it
		case err != nil:
			return Run{}, false, err
		}
		if n.BuildURL == "" || run.BuildURL == "" || n.BuildURL == run.BuildURL {
			return run, true, nil
		}
	}
	return Run{}, false, nil
}

// create makes the record with that UUID, or finds it when it is there.
func (l *Log) create(ctx context.Context, uuid string, n *NewRun, values map[string]any) (Run, error) {
	body := make(map[string]any, len(values)+2)
	maps.Copy(body, values)
	body[TableName+"_UU"] = uuid
	for attempt := 1; ; attempt++ {
		sent := l.clock.Now()
		at := n.At
		if at.IsZero() {
			at = sent
		}
		body["DateStarted"] = isoUTC(at)
		rec, err := l.client.Create(ctx, TableName, body)
		if err == nil {
			run, err := ParseRun(rec)
			if err != nil {
				return Run{}, err
			}
			return l.serverStart(ctx, run, at, sent), nil
		}
		if notCreated(ctx, err) {
			return Run{}, err
		}
		there, getErr := l.Get(ctx, erp.UUID(uuid))
		switch {
		case getErr == nil && there.Active:
			return there, nil
		case getErr == nil || errors.Is(getErr, erp.ErrNotFound) && !erp.Retryable(err) || errors.Is(getErr, erp.ErrForbidden):
			return Run{}, &takenError{err}
		case !l.again(ctx, attempt):
			return Run{}, err
		}
	}
}

// clockTolerance is how far two clocks may differ before it matters.
const clockTolerance = 2 * time.Second

// serverStart gives the run the start that the server's clock says, so that
// all its times come from one clock. sent is when the request was sent, at what
// was given as the start, both by our clock.
func (l *Log) serverStart(ctx context.Context, run Run, at, sent time.Time) Run {
	if run.Created.IsZero() || run.DateStarted.IsZero() {
		return run
	}
	// The server's time when it made the record is at + (Created - DateStarted),
	// whatever zone it writes; ours was between sent and now.
	server := at.Truncate(time.Second).Add(run.Created.Sub(run.DateStarted))
	now := l.clock.Now()
	if server.After(sent.Add(-clockTolerance)) && server.Before(now.Add(clockTolerance)) {
		return run
	}
	skew := server.Sub(now)
	l.log.Warn("the clock of this machine differs from the server's", "run", run.ID.String(), "by", skew.Round(time.Second))
	corrected, err := l.put(ctx, run.ID, map[string]any{"DateStarted": isoUTC(at.Add(skew))})
	if err != nil { // the run is recorded, which is what matters
		l.log.Warn("the start of the run stays as this machine's clock says", "run", run.ID.String(), "error", err)
		return run
	}
	return corrected
}

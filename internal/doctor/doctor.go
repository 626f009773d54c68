// Package doctor examines whether what the programs of this module need is
// there, and says of each finding how to mend it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// Status is how a check went.
type Status string

// The outcomes of a check.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Failed  Status = "failed"
	Skipped Status = "skipped" // an earlier check failed
)

// Check is one finding.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Mend   string `json:"mend,omitempty"` // what to do, unless all is well
	Millis int64  `json:"millis"`
	// Err is the cause of a failure.
	Err error `json:"-"`
}

// Options configure the checks.
type Options struct {
	// SyncProcess and ImportProcess are configured slugs or numbers, empty for
	// those found by themselves.
	SyncProcess, ImportProcess string
}

// API examines the ERP behind the client: whether it answers, accepts the
// token, shows the dictionary, and which processes change it.
func API(ctx context.Context, client *erp.Client, opts Options) []Check {
	r := &run{}
	r.check(ctx, "server answers", func(ctx context.Context) (string, error) {
		h, err := client.Health(ctx, &erp.HealthOptions{Database: true})
		switch {
		case errors.Is(err, erp.ErrNotFound):
			return client.BaseURL() + ", a release that has no health check", nil
		case errors.Is(err, erp.ErrUnauthorized):
			return client.BaseURL() + ", whose health check wants a key", nil
		case err != nil:
			return "", err
		case !h.Up():
			return "", fmt.Errorf("%s says it is %s, database %s", client.BaseURL(), h.Status, h.Database)
		}
		return client.BaseURL() + " is up, its database connected", nil
	}, "check the address (ERP_URL) and that the ERP runs")
	r.check(ctx, "token is accepted", func(ctx context.Context) (string, error) {
		models, err := client.Models(ctx, erp.Eq("TableName", "AD_Table"))
		if err != nil {
			return "", err
		}
		if len(models) == 0 {
			return "the role cannot read AD_Table", errWarn
		}
		return "the role can read the dictionary", nil
	}, "store an API token with `erphub config --token -`, or log in with `erphub auth login`; to change the dictionary, use a role of the System tenant")
	r.process(ctx, client, "table synchronisation", dict.SyncTable, opts.SyncProcess)
	r.process(ctx, client, "package import", dict.ImportPackage, opts.ImportProcess)
	return r.checks
}

// errWarn marks a finding that is no failure.
var errWarn = errors.New("warning")

// run collects findings; after a failure the rest is skipped.
type run struct {
	checks []Check
	failed bool
}

func (r *run) check(ctx context.Context, name string, do func(context.Context) (string, error), mend string) {
	c := Check{Name: name}
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
		c.Status, c.Mend = Warning, mend
	default:
		c.Status, c.Found, c.Mend, c.Err = Failed, err.Error(), mend, err
		r.failed = true
	}
	r.checks = append(r.checks, c)
}

// process examines the process that plays a role. Numbers differ between
// installations, so what a configured one stands for is read; a wrong or
// missing process is a warning, because reading and writing records does not
// need it.
func (r *run) process(ctx context.Context, client *erp.Client, name string, role dict.Role, configured string) {
	r.check(ctx, name, func(ctx context.Context) (string, error) {
		p, err := restdict.FindProcess(ctx, client, role, configured)
		var wrong *restdict.WrongProcessError
		var none *restdict.NoProcessError
		switch {
		case errors.As(err, &wrong), errors.As(err, &none), errors.Is(err, erp.ErrForbidden):
			return err.Error(), errWarn
		case err != nil:
			return "", err
		}
		return fmt.Sprintf("process %d %q (%s), address /processes/%s", p.ID, p.Value, p.Class, p.Slug), nil
	}, "give the slug or number of the right process (--sync-process), or use a role that may see processes")
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

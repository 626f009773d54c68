package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

// clockTolerance is how far the clocks of client and server may be apart before
// tokens seem to end early or late.
const clockTolerance = 30 * time.Second

// Options configure [API].
type Options struct {
	// SyncProcess and ImportProcess are configured slugs or numbers, empty for
	// those found by themselves.
	SyncProcess, ImportProcess string
	// RoleID is the role that the client works with. With 0, which is that of the
	// System tenant, API does not check whether the role reads what it should not.
	RoleID int
	// Now is the clock of this machine; nil is [time.Now].
	Now func() time.Time
}

// API examines the ERP behind the client: whether it responds, whether its clock
// agrees with ours, whether it accepts the token and shows the dictionary, and
// which processes change it.
func API(ctx context.Context, client *erp.Client, opts Options) []Check {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	r := &run{area: AreaAPI}
	r.check(ctx, "server responds", func(ctx context.Context) (string, error) {
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
	r.check(ctx, "clocks agree", func(ctx context.Context) (string, error) {
		return clockSkew(ctx, client, opts.Now)
	}, "set the clock of this machine or of the server (NTP): tokens end by the server's clock")
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
	r.auditRule(ctx, client, opts.RoleID)
	return r.checks
}

// clockSkew compares the header Date of a response with the middle of the time
// the question took. The header has whole seconds.
func clockSkew(ctx context.Context, client *erp.Client, now func() time.Time) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, client.BaseURL()+"/health", nil)
	if err != nil {
		return "", err
	}
	begin := now()
	// A client without token: the response does not matter, and the request must not
	// be a reason to log in.
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return "the time of the server cannot be read", errSkip
	}
	_ = resp.Body.Close() // only the header counts
	end := now()
	theirs, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return "the server does not tell its time", errSkip
	}
	took := end.Sub(begin)
	skew := theirs.Add(time.Second / 2).Sub(begin.Add(took / 2))
	if skew.Abs() <= clockTolerance+took/2 {
		return "the server's clock is less than 30 s from this one", nil
	}
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	return fmt.Sprintf("the server's clock is %s %s this one", skew.Abs().Round(time.Second), direction), errWarn
}

// process examines the process that plays a role. Numbers differ between
// installations, so what a configured one stands for is read; a wrong or
// missing process is a warning, because reading and writing records does not
// need it.
func (r *run) process(ctx context.Context, client *erp.Client, name string, role dict.Purpose, configured string) {
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

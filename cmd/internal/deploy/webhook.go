package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/notify"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/spool"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/internal/secretfile"
)

// webhookTime is how long a command that ends a run waits for receivers of
// webhooks, after it has printed its outcome; flush waits longer.
const (
	webhookTime      = 2 * time.Second
	webhookFlushTime = 30 * time.Second
	webhookDir       = "webhooks" // in the folder that keeps calls
)

// webhookFlags name the addresses that are notified when a run ends. The secret is
// not a flag, because other users of the machine see command lines.
func webhookFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "webhook", Usage: "address that is told how runs end, by POST; repeatable (ERPHUB_WEBHOOK_URL, hub.webhook.url)"},
		&cli.StringFlag{Name: "webhook-secret-file", Usage: "file with the secret that signs webhooks (ERPHUB_WEBHOOK_SECRET, hub.webhook.secret)", TakesFile: true},
		&cli.BoolFlag{Name: "webhook-allow-http", Usage: "send webhooks to other machines over plain http, too (ERPHUB_WEBHOOK_ALLOW_HTTP)"},
	}
}

// endFlags are those of commands that end a run.
func endFlags() []cli.Flag { return append(spoolFlags(), webhookFlags()...) }

// webhooks tells others how runs end. Nothing that goes wrong with it is a reason
// for a command to fail: it is noted.
type webhooks struct {
	a    *app
	n    *notify.Notifier // nil: there is nothing to tell with
	opts notify.Options
}

func (a *app) openWebhooks(c *cli.Context, s *shell.Setup) *webhooks {
	w := &webhooks{a: a, opts: notify.Options{Logger: a.Log, UserAgent: "erphub/" + shell.Version()}}
	err := w.open(c, s)
	if err != nil {
		a.Note("warning: nobody is told by webhook: %v", err)
	}
	return w
}

func (w *webhooks) open(c *cli.Context, s *shell.Setup) (err error) {
	secret := s.Resolver.Lookup("hub.webhook.secret")
	if path := c.String("webhook-secret-file"); path != "" {
		if secret, err = secretfile.ReadFile(path); err != nil {
			return fmt.Errorf("reading the secret of webhooks: %w", err)
		}
	}
	if w.opts.Secret, err = notify.ParseSecret(secret); err != nil {
		return err
	}
	w.opts.AllowHTTP = c.Bool("webhook-allow-http") || s.Resolver.Lookup("hub.webhook.allow-http") == "true"
	if w.opts.URLs = c.StringSlice("webhook"); len(w.opts.URLs) == 0 {
		w.opts.URLs = strings.Fields(s.Resolver.Lookup("hub.webhook.url"))
	}
	dir, err := w.a.keepDir(c, s)
	if err != nil {
		return err
	}
	if dir == "" && len(w.opts.URLs) > 0 {
		return errors.New("there is no folder to keep webhooks in; name one with --spool")
	}
	if dir != "" {
		w.n, err = notify.New(filepath.Join(dir, webhookDir), &w.opts)
	}
	return err
}

// endOf is the state that a call ends a run in, empty for others.
func endOf(call *spool.Call) deploylog.State {
	switch {
	case call.Complete != nil:
		return call.Complete.Status
	case call.Rollback != nil:
		return deploylog.RolledBack
	}
	return ""
}

// note returns who is to be told of a call that another process may carry out.
func (w *webhooks) note(call *spool.Call) json.RawMessage {
	if w.n == nil || endOf(call) == "" {
		return nil
	}
	return w.n.Targets()
}

// carried writes the messages about a run that a call has ended.
func (w *webhooks) carried(ctx context.Context, call spool.Call, run deploylog.Run) {
	if w.n == nil || endOf(&call) == "" {
		return
	}
	run.Status = endOf(&call) // the run may have gone further since
	// It has ended, whoever gives up now; but no process that is stuck may stop
	// this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), webhookTime)
	defer cancel()
	if err := w.n.Add(ctx, run, call.Note); err != nil {
		w.a.Note("warning: nobody is told by webhook that run %s ended: %v", run.ID, err)
	}
}

// send gives receivers a moment after a call that ends a run; what they do not
// take stays in the folder.
func (w *webhooks) send(ctx context.Context, call spool.Call) {
	if w.n == nil || endOf(&call) == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, webhookTime)
	defer cancel()
	w.report(w.n.Send(ctx))
}

// flush sends all that is kept; nil when nothing was.
func (w *webhooks) flush(ctx context.Context) *notify.Report {
	if w.n == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, webhookFlushTime)
	defer cancel()
	r := w.n.Flush(ctx)
	w.report(r)
	if r.Delivered+r.Waiting+r.Expired == 0 {
		return nil
	}
	w.a.Note("%s delivered, %d waiting", webhookCount(r.Delivered), r.Waiting)
	return &r
}

func (w *webhooks) report(r notify.Report) {
	for _, p := range r.Problems {
		w.a.Note("%v; erphub env deploy flush tries again, and spool shows what is kept", p)
	}
}

func webhookCount(n int) string { return shell.Count(n, "webhook", "webhooks") }

// keptNotifier is the folder of webhooks, for looking at it; nil for none.
func (a *app) keptNotifier(c *cli.Context) (*notify.Notifier, error) {
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	dir, err := a.keepDir(c, s)
	if err != nil || dir == "" {
		return nil, err
	}
	return notify.New(filepath.Join(dir, webhookDir), nil)
}

func (a *app) keptWebhooks(c *cli.Context) ([]notify.Kept, error) {
	n, err := a.keptNotifier(c)
	if n == nil || err != nil {
		return nil, err
	}
	return n.List()
}

// splitNames tells the names of webhooks, which begin with w, from those of
// calls.
func splitNames(names []string) (calls, hooks []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "w") && !strings.ContainsRune(name, os.PathSeparator) {
			hooks = append(hooks, name)
		} else {
			calls = append(calls, name)
		}
	}
	return calls, hooks
}

func (a *app) discardWebhooks(c *cli.Context, names []string) error {
	n, err := a.keptNotifier(c)
	if n == nil || err != nil {
		return err
	}
	gone, err := n.Discard(c.Context, names...)
	for _, k := range gone {
		a.Note("discarded %s: a webhook for %s about run %s", k.Name, shell.OrDash(k.Host), k.Run)
	}
	return err
}

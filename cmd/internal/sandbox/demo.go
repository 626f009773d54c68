package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

func (a *app) demoCommand() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "show in an embedded ERP how a table is added",
		Description: "Starts an embedded ERP on a free loopback port, creates the deployment-log table in its dictionary " +
			"over HTTP, and records a run in it. Needs nothing, changes nothing on this machine.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "serve", Usage: "keep the ERP running afterwards and show how to talk to it"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "address to listen on; port 0 picks a free one"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return shell.Usagef("demo takes no arguments, got %q", c.Args().First())
			}
			return a.demo(c.Context, c.String("listen"), c.Bool("serve"), c.Bool("json"))
		},
	}
}

// demoStep is one step of the story.
type demoStep struct {
	What   string  `json:"what"`
	Result string  `json:"result"`
	Millis float64 `json:"millis"`
}

// story tells steps as they happen.
type story struct {
	a     *app
	json  bool
	steps []demoStep
}

// tell runs one step and prints what came of it.
func (s *story) tell(what string, do func() (string, error)) error {
	start := time.Now()
	result, err := do()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	s.steps = append(s.steps, demoStep{what, result, float64(time.Since(start).Microseconds()) / 1000})
	if !s.json {
		fmt.Fprintf(s.a.Streams.Out, "%d. %s\n   %s  (%s)\n", len(s.steps), what, shell.Printable(result), since(start))
	}
	return nil
}

func (a *app) demo(ctx context.Context, listen string, serve, asJSON bool) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin := time.Now()
	s := &story{a: a, json: asJSON}
	var url string
	var served <-chan error
	err = s.tell("Start an embedded ERP", func() (string, error) {
		var err error
		var sandbox *sandboxServices
		at := func(ctx context.Context) (*shell.Listener, error) {
			ln, err := httpserver.Listen(ctx, listen)
			if err != nil {
				return nil, err
			}
			return &shell.Listener{Listener: ln, URL: httpserver.URL(ln.Addr()), Loopback: httpserver.Loopback(ln.Addr())}, nil
		}
		if sandbox, served, err = startSandbox(ctx, erptest.Options{Logger: a.warnings()}, at, postgresOptions{}); err != nil {
			return "", err
		}
		url = sandbox.url
		return "it responds at " + url, nil
	})
	if err != nil {
		return err
	}
	if err := a.tellDemo(ctx, s, url); err != nil {
		cancel()
		return errors.Join(err, <-served)
	}
	if asJSON {
		if err := a.PrintJSON(map[string]any{"url": url, "steps": s.steps}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.Streams.Out, "\nAll of it over HTTP, in %s.\n", since(begin))
		if !serve {
			fmt.Fprint(a.Streams.Out, demoNext)
		}
	}
	if serve {
		fmt.Fprintf(a.Streams.Err, "\nThe ERP keeps running at %s until Ctrl-C.\n%s", url, talkToIt(url))
	} else {
		cancel()
	}
	return <-served
}

// demoNext is what somebody may want to do after the demo.
const demoNext = `
Next:
  erphub sandbox --write-profiles    keep such an ERP running, with two logins in the configuration
  erphub --profile garden record list C_Order
  erphub auth login                  use your own ERP
`

// warnings is a log that tells what goes wrong inside without --debug, too.
func (a *app) warnings() *slog.Logger {
	if a.Log.Enabled(context.Background(), slog.LevelError) {
		return a.Log
	}
	return slog.New(slog.NewTextHandler(a.Streams.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// tellDemo is the story from the login on.
func (a *app) tellDemo(ctx context.Context, s *story, url string) error {
	var admin, garden *erp.Client
	err := s.tell("Log in as SuperUser, who may change the dictionary, and as GardenAdmin, who works in it", func() (_ string, err error) {
		admin, err = a.ClientWith(ctx, url, tokens.Login{Username: "SuperUser", Password: tokens.NewSecret("System"), Client: "0", Role: "0", Organization: "0"})
		if err != nil {
			return "", err
		}
		garden, err = a.ClientWith(ctx, url, tokens.Login{Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11"})
		return "two signed tokens, each good for an hour", err
	})
	if err != nil {
		return err
	}
	var plan *dict.Plan
	if err := s.tell("Describe the deployment log as a table, and make a plan of it", func() (_ string, err error) {
		if plan, err = dict.NewPlan(nil, deploylog.Table()); err != nil {
			return "", err
		}
		sum := plan.Summary()
		return fmt.Sprintf("%d steps: %s with %d columns, the lists they choose from, the sync process", plan.Len(), deploylog.TableName, sum.Columns), nil
	}); err != nil {
		return err
	}
	if err := s.tell("Run the plan: POST AD_Table, AD_Column, ..., then the process that makes the database table", func() (string, error) {
		result, err := plans.Run(ctx, a.Shell, admin, plan, &restdict.Options{BatchSize: 25})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d records created, %d existing ones reused", result.Count(restdict.Created), result.Count(restdict.Found)), nil
	}); err != nil {
		return err
	}
	var run erp.Record
	if err := s.tell("Record a run: POST /models/xx_deploy_log", func() (_ string, err error) {
		run, err = garden.Create(ctx, "xx_deploy_log", map[string]any{
			"Environment": "PROD", "Status": "B", "Version": "12.0.3",
			"DateStarted": time.Now().UTC().Format(time.RFC3339),
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("record %s, %s", run.ID(), describeRun(run)), nil
	}); err != nil {
		return err
	}
	if err := s.tell("Report progress: PUT /models/xx_deploy_log/"+run.ID().String(), func() (string, error) {
		rec, err := garden.Update(ctx, "xx_deploy_log", run.ID(), map[string]any{"Status": "D", "Progress": 40, "CurrentStep": "copying plugins"})
		return describeRun(rec), err
	}); err != nil {
		return err
	}
	return s.tell("List what is in progress: GET /models/xx_deploy_log?$filter=DateCompleted eq null&$orderby=DateStarted desc", func() (string, error) {
		page, err := garden.Query(ctx, "xx_deploy_log", &erp.Query{Filter: erp.IsNull("DateCompleted"), OrderBy: []string{erp.Desc("DateStarted")}})
		if err != nil {
			return "", err
		}
		if len(page.Records) != 1 {
			return "", fmt.Errorf("expected the one run just recorded, got %d", len(page.Records))
		}
		return "one run: " + describeRun(page.Records[0]), nil
	})
}

// describeRun is a run of the deployment log in one line.
func describeRun(rec erp.Record) string {
	version, _ := rec.Text("Version")
	env, _ := rec.Ref("Environment")
	status, _ := rec.Ref("Status")
	text := fmt.Sprintf("%s to %s: %s", version, env.Identifier, status.Identifier)
	if progress, ok := rec.Int("Progress"); ok && progress > 0 {
		step, _ := rec.Text("CurrentStep")
		text += fmt.Sprintf(", %d %%, %s", progress, step)
	}
	return text
}

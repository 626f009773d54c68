// Package demo tells in an embedded ERP how a table is added. It links the ERP,
// the client and the dictionary, and neither the command line nor anything that
// only servers need, so that it is built in half of the time.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/tokens"
)

// Options are what a program gives to the demo.
type Options struct {
	Out io.Writer // the story
	Err io.Writer // what to do next, with Serve
	Log *slog.Logger
	// Start serves an embedded ERP until ctx ends; served then tells how that went.
	Start     func(ctx context.Context) (url string, served <-chan error, err error)
	JSON      bool                    // one JSON value instead of the story
	Serve     bool                    // keep the ERP running until ctx ends
	Talk      func(url string) string // with Serve: how to talk to it
	Next      string                  // without: what to do after the story
	UserAgent string
}

// step is one step of the story.
type step struct {
	What   string  `json:"what"`
	Result string  `json:"result"`
	Millis float64 `json:"millis"`
}

// story tells steps as they happen.
type story struct {
	Options
	steps []step
}

// tell runs one step and prints what came of it.
func (s *story) tell(what string, do func() (string, error)) error {
	start := time.Now()
	result, err := do()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	s.steps = append(s.steps, step{what, result, float64(time.Since(start).Microseconds()) / 1000})
	if !s.JSON {
		fmt.Fprintf(s.Out, "%d. %s\n   %s  (%s)\n", len(s.steps), what, text.Printable(result), since(start))
	}
	return nil
}

// Run tells the story. With Serve it returns when ctx has ended.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	begin := time.Now()
	s := &story{Options: o}
	var url string
	var served <-chan error
	err := s.tell("Start an embedded ERP", func() (_ string, err error) {
		url, served, err = o.Start(ctx)
		return "it responds at " + url, err
	})
	if err != nil {
		return err
	}
	if err := s.tellRest(ctx, url); err != nil {
		cancel()
		return errors.Join(err, <-served)
	}
	if o.JSON {
		enc := json.NewEncoder(o.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]any{"url": url, "steps": s.steps}); err != nil {
			cancel()
			return errors.Join(err, <-served)
		}
	} else {
		fmt.Fprintf(o.Out, "\nAll of it over HTTP, in %s.\n", since(begin))
		if !o.Serve {
			fmt.Fprint(o.Out, o.Next)
		}
	}
	if o.Serve {
		fmt.Fprintf(o.Err, "\nThe ERP keeps running at %s until Ctrl-C.\n%s", url, o.Talk(url))
	} else {
		cancel()
	}
	return <-served
}

// login is a client of the ERP with a token of its own.
func (s *story) login(ctx context.Context, url string, login tokens.Login) (*erp.Client, error) {
	m, err := tokens.NewManager(url, tokens.WithCredentials(login), tokens.WithLogger(s.Log))
	if err != nil {
		return nil, err
	}
	if err := m.Ready(ctx); err != nil {
		return nil, err
	}
	return erp.New(url, erp.WithTokenSource(m), erp.WithUserAgent(s.UserAgent), erp.WithLogger(s.Log))
}

// tellRest is the story from the login on.
func (s *story) tellRest(ctx context.Context, url string) error {
	var admin, garden *erp.Client
	err := s.tell("Log in as SuperUser, who may change the dictionary, and as GardenAdmin, who works in it", func() (_ string, err error) {
		admin, err = s.login(ctx, url, tokens.Login{Username: "SuperUser", Password: tokens.NewSecret("System"), Client: "0", Role: "0", Organization: "0"})
		if err != nil {
			return "", err
		}
		garden, err = s.login(ctx, url, tokens.Login{Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11"})
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
		result, err := restdict.Run(ctx, admin, plan, &restdict.Options{BatchSize: 25})
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

// since is a duration as people read it.
func since(start time.Time) string {
	d := time.Since(start)
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// TalkToIt shows how to reach the ERP with curl, and the dictionary with erphub.
func TalkToIt(url string) string {
	return fmt.Sprintf(`
  log in:   curl -s %[1]s/api/v1/auth/tokens -H 'Content-Type: application/json' \
              -d '{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}'
  read:     curl -s '%[1]s/api/v1/models/C_BPartner?$select=Value,Name&$top=5' -H 'Authorization: Bearer TOKEN'
  erphub:   ERP_URL=%[1]s ERP_USERNAME=SuperUser ERP_PASSWORD=System erphub add table XX_Demo --with-name
`, url)
}

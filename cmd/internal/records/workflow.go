package records

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) workflowCommand() *cli.Command {
	message := &cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "text for the history of the activity"}
	decide := func(name, usage, argument string, more ...cli.Flag) *cli.Command {
		decision := erp.Decision(name)
		names := []string{"the id of an activity"}
		if decision == erp.DecisionChoose {
			names = append(names, "a value")
		}
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: argument, Flags: append(append(shell.ValueFlags(), message), more...),
			Action: shell.Takes(func(c *cli.Context) error { return a.decideActivity(c, decision) }, names...),
		}
	}
	return &cli.Command{
		Name: "workflow", Usage: "list workflow activities that wait for a person, and finish them",
		Description: "ID is the number or UUID of an activity, as workflow list shows it.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the activities that wait for you",
				Flags:  append(shell.OutputFlags(), &cli.StringFlag{Name: "user", Usage: "those of this user (id, UUID or name) instead of one's own"}),
				Action: shell.Takes(a.workflowList),
			},
			decide("approve", "approve an activity", "ID"),
			decide("reject", "reject an activity", "ID"),
			decide("acknowledge", "confirm that a manual activity is done", "ID"),
			decide("choose", "enter the value that an activity waits for", "ID VALUE"),
			decide("forward", "forward an activity to another user, who must be an employee or sales representative", "ID",
				&cli.StringFlag{Name: "to", Usage: "id, UUID or name of the user"}),
		},
	}
}

// decideActivity decides the activity of the first argument.
func (a *app) decideActivity(c *cli.Context, decision erp.Decision) error {
	id, err := erp.ParseID(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	if decision == erp.DecisionForward && c.String("to") == "" {
		return shell.Usagef("workflow forward needs somebody to forward to: give --to USER")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	opts := &erp.DecisionOptions{Message: c.String("message"), Value: c.Args().Get(1)}
	if decision == erp.DecisionForward {
		if opts.To, err = shell.FindRecord(c.Context, client, "AD_User", c.String("to")); err != nil {
			return err
		}
	}
	err = client.DecideActivity(c.Context, id, decision, opts)
	switch {
	case errors.Is(err, erp.ErrNotForwarded):
		return fmt.Errorf("the server did not forward activity %s: it belongs to somebody else, or the user has it already: %w", id, err)
	case err != nil:
		return shell.Uncertain(shell.Input(err), "`erphub workflow list` shows whether the activity still waits")
	}
	done := map[erp.Decision]string{
		erp.DecisionApprove: "approved", erp.DecisionReject: "rejected", erp.DecisionAcknowledge: "acknowledged",
		erp.DecisionChoose: "chosen", erp.DecisionForward: "forwarded",
	}[decision]
	return a.Print(c, map[string]any{"id": id, "decision": decision}, output.Table{Below: fmt.Sprintf("activity %s: %s\n", id, done)})
}

func (a *app) workflowList(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	list, err := waitingActivities(c, client)
	if err != nil {
		return err
	}
	t := output.Table{Columns: output.Columns(">id", "step=node-name", "wants", "about=summary", "record", "since=created")}
	t.Columns[1].Max, t.Columns[3].Max = 40, 50
	for _, n := range list {
		t.Rows = append(t.Rows, activityRow(&n))
	}
	if len(list) > 0 {
		return a.Print(c, list, t)
	}
	if choice, err := a.Choice(c, ""); err == nil && choice.ForPeople() {
		t = output.Table{Below: "No pending workflow activities.\n"}
	}
	err = a.Print(c, []erp.Activity{}, t)
	a.EmptyHint(c.Context, func() bool { return true })
	return err
}

// waitingActivities are those of the login, or of --user.
func waitingActivities(c *cli.Context, client *erp.Client) ([]erp.Activity, error) {
	user := c.String("user")
	if user == "" {
		return client.Activities(c.Context)
	}
	id, err := shell.FindRecord(c.Context, client, "AD_User", user)
	if err != nil {
		return nil, err
	}
	var list struct {
		Nodes []erp.Activity `json:"nodes"`
	}
	return list.Nodes, call(c, client, http.MethodGet, []string{"workflow", id.String()}, nil, &list)
}

func activityRow(n *erp.Activity) []string {
	wants, record, created := "a value", n.Table, ""
	switch {
	case n.Approval:
		wants = "approve or reject"
	case n.Confirmation:
		wants = "acknowledge"
	}
	if n.RecordID != 0 {
		record += " " + strconv.FormatInt(n.RecordID, 10)
	}
	if at, err := erp.ParseTime(n.Created, time.Local); err == nil {
		created = at.Local().Format(time.DateTime)
	}
	return []string{strconv.FormatInt(n.ID, 10), n.Node, wants, n.Summary, record, created}
}

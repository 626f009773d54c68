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
	"github.com/erphub/erphub/erp/rest"
)

func (a *app) workflowCommand() *cli.Command {
	message := &cli.StringFlag{Name: "message", Aliases: []string{"m"}, Usage: "text for the history of the activity"}
	finish := func(name, usage string, do workflowCall) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "ID", Flags: append(shell.ValueFlags(), message),
			Action: func(c *cli.Context) error {
				if err := shell.Arguments(c, "the id of an activity"); err != nil {
					return err
				}
				return a.finishActivity(c, do)
			},
		}
	}
	return &cli.Command{
		Name: "workflow", Usage: "list workflow activities that wait for a person, and finish them",
		Description: "ID is the number or UUID of an activity, as workflow list shows it.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the activities that wait for you",
				Flags:  append(shell.OutputFlags(), &cli.StringFlag{Name: "user", Usage: "those of this user (id or UUID) instead of one's own"}),
				Action: a.workflowList,
			},
			finish("approve", "approve an activity", approve),
			finish("reject", "reject an activity", reject),
			finish("acknowledge", "confirm that a manual activity is done", acknowledge),
			{
				Name: "choose", Usage: "enter the value that an activity waits for", ArgsUsage: "ID VALUE", Flags: append(shell.ValueFlags(), message),
				Action: func(c *cli.Context) error {
					if err := shell.Arguments(c, "the id of an activity", "a value"); err != nil {
						return err
					}
					return a.finishActivity(c, choose(c.Args().Get(1)))
				},
			},
			{
				Name: "forward", Usage: "forward an activity to another user, who must be an employee or sales representative", ArgsUsage: "ID",
				Flags: append(shell.ValueFlags(),
					&cli.StringFlag{Name: "to", Usage: "id, UUID or name of the user"},
					message,
				),
				Action: func(c *cli.Context) error {
					if err := shell.Arguments(c, "the id of an activity"); err != nil {
						return err
					}
					if c.String("to") == "" {
						return shell.Usagef("workflow forward needs somebody to forward to: give --to USER")
					}
					return a.finishActivity(c, nil)
				},
			},
		},
	}
}

// workflowCall finishes or forwards an activity.
type workflowCall func(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error)

func approve(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error) {
	resp, err := client.ApproveActivityWithResponse(c.Context, id, nil, rest.ActivityMessage{Message: message})
	if err != nil {
		return nil, err
	}
	return rest.Decoded("approve", resp.JSON200)
}

func reject(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error) {
	resp, err := client.RejectActivityWithResponse(c.Context, id, nil, rest.ActivityMessage{Message: message})
	if err != nil {
		return nil, err
	}
	return rest.Decoded("reject", resp.JSON200)
}

func acknowledge(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error) {
	resp, err := client.AcknowledgeActivityWithResponse(c.Context, id, nil, rest.ActivityMessage{Message: message})
	if err != nil {
		return nil, err
	}
	return rest.Decoded("acknowledge", resp.JSON200)
}

func choose(value string) workflowCall {
	return func(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error) {
		resp, err := client.ChooseActivityWithResponse(c.Context, id, nil, rest.ActivityChoice{Value: value, Message: message})
		if err != nil {
			return nil, err
		}
		return rest.Decoded("choose", resp.JSON200)
	}
}

// forward hands an activity to a user. A server that refuses responds
// 304, which says nothing else.
func forward(user string) workflowCall {
	return func(c *cli.Context, client *rest.ClientWithResponses, id rest.Segment, message *string) (*rest.ActivityResult, error) {
		resp, err := client.ForwardActivityWithResponse(c.Context, id, nil, rest.ActivityForward{UserTo: user, Message: message})
		var refused *erp.Error
		if errors.As(err, &refused) && refused.Status == http.StatusNotModified {
			return nil, fmt.Errorf("the server did not forward activity %s: it belongs to somebody else, or the user has it already: %w", id, err)
		}
		if err != nil {
			return nil, err
		}
		return rest.Decoded("forward", resp.JSON200)
	}
}

// finishActivity finishes the activity of the first argument; without a call it
// forwards it to --to.
func (a *app) finishActivity(c *cli.Context, do workflowCall) error {
	id, err := erp.ParseID(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	if do == nil {
		user, err := findUser(c, client, c.String("to"))
		if err != nil {
			return err
		}
		do = forward(user)
	}
	generated, err := rest.New(client.BaseURL(), client.Doer())
	if err != nil {
		return err
	}
	result, err := do(c, generated, rest.Segment(id.String()), optional(c.String("message")))
	if err != nil {
		return shell.Uncertain(err, "`erphub workflow list` shows whether the activity still waits")
	}
	line := result.Msg
	if line == "" {
		line = "done"
	}
	if s := orEmpty(result.Summary); s != "" {
		line += ": " + s
	}
	return a.Print(c, result, output.Table{Below: shell.Short(line, 300) + "\n"})
}

// findUser is the id of a user given by id, UUID or name.
func findUser(c *cli.Context, client *erp.Client, given string) (string, error) {
	if id, err := erp.ParseID(given); err == nil {
		return id.String(), nil
	}
	page, err := client.Query(c.Context, "AD_User", &erp.Query{Filter: erp.Eq("Name", given), Select: []string{"Name"}, Top: 2})
	if err != nil {
		return "", shell.Input(fmt.Errorf("looking for the user %q: %w", given, err))
	}
	switch len(page.Records) {
	case 0:
		return "", fmt.Errorf("there is no user named %q; give the id", given)
	case 1:
		return page.Records[0].ID().String(), nil
	}
	return "", fmt.Errorf("there are several users named %q; give the id", given)
}

func (a *app) workflowList(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	var list *rest.ActivityList
	if user := c.String("user"); user != "" {
		id, err := erp.ParseID(user)
		if err != nil {
			return shell.Usage(err)
		}
		resp, err := client.ListActivitiesWithResponse(c.Context, rest.Segment(id.String()), nil)
		if err != nil {
			return err
		}
		list = resp.JSON200
	} else {
		resp, err := client.ListMyActivitiesWithResponse(c.Context, nil)
		if err != nil {
			return err
		}
		list = resp.JSON200
	}
	if list, err = rest.Decoded("list activities", list); err != nil {
		return err
	}
	t := output.Table{Columns: output.Columns(">id", "step=node-name", "wants", "about=summary", "record", "since=created")}
	t.Columns[1].Max, t.Columns[3].Max = 40, 50
	value := append([]rest.Activity{}, list.Nodes...)
	if len(list.Nodes) == 0 {
		if choice, err := a.Choice(c, ""); err == nil && choice.ForPeople() {
			t = output.Table{Below: "No pending workflow activities.\n"}
		}
		err := a.Print(c, value, t)
		a.EmptyHint(c.Context, func() bool { return true })
		return err
	}
	rows := make([][]string, len(list.Nodes))
	for i, n := range list.Nodes {
		wants, record, created := "a value", orEmpty(n.TableName), ""
		switch {
		case n.NodeApproval:
			wants = "approve or reject"
		case n.NodeConfirmation:
			wants = "acknowledge"
		}
		if n.RecordId != nil {
			record += " " + strconv.Itoa(*n.RecordId)
		}
		if n.Created != nil {
			created = n.Created.Local().Format(time.DateTime)
		}
		rows[i] = []string{strconv.Itoa(n.Id), orEmpty(n.NodeName), wants, orEmpty(n.Summary), record, created}
	}
	t.Rows = rows
	return a.Print(c, value, t)
}

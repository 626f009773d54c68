package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/recordinput"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

func (a *app) toolsCommand() *cli.Command {
	return &cli.Command{
		Name: "tools", Usage: "list and call the tools for assistants, without a server",
		Description: "For chat agents that call functions themselves: `tools list --schemas` prints what a model is told, `tools call` " +
			"does what it requests, with the same permissions, limits and audit as the tool server.",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the tools that are enabled, or print what a model is told of them",
				Flags: append(append(shell.OutputFlags(),
					&cli.StringFlag{Name: "schemas", Usage: "print them as function schemas of this `FORM`: mcp, openai or anthropic"},
				), toolFlags()...),
				Action: shell.Takes(a.toolsList),
			},
			{
				Name: "call", Usage: "call a tool with the login of this program", ArgsUsage: "NAME [NAME=VALUE...]",
				Description: "NAME=VALUE is an argument as text, NAME:=JSON one of another type, such as limit:=5. Prints the tool's result as JSON. A failure is JSON, too: {\"code\", \"message\", \"hint\"}, with the exit code " +
					"that fits. One line of audit goes to standard error, unless that is a terminal, or to --audit.",
				Flags: append(append(shell.ValueFlags(),
					&cli.StringFlag{Name: "args", Usage: "arguments as a JSON object, before which NAME=VALUE comes; @FILE reads them from a file, - from standard input"},
					&cli.BoolFlag{Name: "yes", Usage: "confirm the change a tool is about to make; without it a person at the terminal is asked"},
				), toolFlags()...),
				Action: a.toolsCall,
			},
		},
	}
}

// withToolbox does something with the tools that flags and settings give.
func (a *app) withToolbox(c *cli.Context, calls bool, do func(*toolbox) error) error {
	s, err := a.mcpSetup(c)
	if err != nil {
		return err
	}
	box, err := a.toolbox(c, s, a.Log, mcp.BoundaryMetrics{}, true, calls)
	if err != nil {
		return err
	}
	defer box.close()
	if calls {
		if err := box.meet(c.Context, probeTime); err != nil {
			box.log.Debug("the login of this program does not tell user and role", "error", err)
		}
	}
	return do(box)
}

func (a *app) toolsList(c *cli.Context) error {
	if c.IsSet("schemas") {
		return a.toolSchemas(c)
	}
	return a.withToolbox(c, false, func(box *toolbox) error {
		visible := box.visible()
		type line struct {
			Name     string   `json:"name"`
			Title    string   `json:"title,omitempty"`
			About    string   `json:"description"`
			Sets     []string `json:"sets"`
			ReadOnly bool     `json:"readOnly"`
		}
		lines := make([]line, len(visible))
		rows := make([][]string, len(visible))
		for i, t := range visible {
			lines[i] = line{t.Name, t.Title, t.Description, t.Sets, t.Hints.ReadOnly}
			effect := "writes"
			switch {
			case t.Hints.ReadOnly:
				effect = "reads"
			case t.Hints.Destructive:
				effect = "destroys"
			}
			about, _, _ := strings.Cut(t.Description, ". ")
			rows[i] = []string{t.Name, effect, strings.Join(t.Sets, ", "), strings.TrimSuffix(about, ".")}
		}
		return a.Print(c, lines, output.Table{Columns: output.Columns("tool=name", "effect=readOnly", "sets", "what for=description"), Rows: rows})
	})
}

// toolSchemas prints the tools as agents that call functions themselves need them.
func (a *app) toolSchemas(c *cli.Context) error {
	format, err := mcp.ParseFormat(c.String("schemas"))
	if err != nil {
		return shell.Usage(err)
	}
	return a.withToolbox(c, false, func(box *toolbox) error {
		visible := box.visible()
		for i := range visible {
			visible[i] = box.catalog.Tools.Reworded(visible[i], box.offers)
		}
		schemas, err := visible.Export(format)
		if err != nil {
			return err
		}
		return a.printJSON(c, schemas)
	})
}

// visible are the tools that may be called here.
func (b *toolbox) visible() mcp.Set { return b.boundary.Visible(b.catalog.Tools, b.own.caller()) }

// offers reports whether a tool may be called here.
func (b *toolbox) offers(tool string) bool {
	t, ok := b.catalog.Tools.Tool(tool)
	return ok && b.boundary.Permit(t, b.own.caller()) == nil
}

func (a *app) toolsCall(c *cli.Context) error {
	if c.NArg() == 0 {
		return shell.Usagef("tools call takes the name of a tool, and its arguments, such as tools call describeTable table=C_Order")
	}
	args, err := a.toolArguments(c.String("args"), c.Args().Tail())
	if err != nil {
		return err
	}
	return a.withToolbox(c, true, func(box *toolbox) error {
		t, ok := box.catalog.Tools.Tool(c.Args().First())
		if !ok {
			return a.toolFailure(box, box.visible().Unknown(c.Args().First()))
		}
		reply, err := a.callTool(c.Context, box, t, args, c.Bool("yes"))
		if err != nil {
			return a.toolFailure(box, err)
		}
		if err := a.printReply(c, reply); err != nil {
			return err
		}
		if reply.Failed {
			return shell.ErrReported
		}
		return nil
	})
}

// maxToolArguments bounds the arguments of a call, as the server bounds them.
const maxToolArguments = 4 << 20

// toolArguments are the arguments that --args gives, with NAME=VALUE on top; nil for
// none.
func (a *app) toolArguments(given string, pairs []string) (json.RawMessage, error) {
	if given == "" && len(pairs) == 0 {
		return nil, nil
	}
	values, err := recordinput.Given(given, pairs, a.Streams.In)
	if err != nil {
		return nil, shell.Usage(err)
	}
	text, err := json.Marshal(values)
	if len(text) > maxToolArguments {
		return nil, shell.Usagef("the arguments are longer than %d bytes", maxToolArguments)
	}
	return text, err
}

// firstReading is how long a call may take longer than its tool when the ERP's
// dictionary is read for the first time.
const firstReading = 5 * time.Minute

// callTool calls a tool. Its question is confirmed by --yes, or by the person at the
// terminal, who may take longer than the tool: it is called again with their
// answer to this question and no other.
func (a *app) callTool(ctx context.Context, box *toolbox, t mcp.Tool, args json.RawMessage, yes bool) (*mcp.Reply, error) {
	agreed := ""
	t.Timeout = t.Limit() + box.wait
	progress, done := a.toolProgress()
	defer done()
	for {
		reply, err := box.boundary.Call(ctx, t, &mcp.Call{
			Arguments: args, Caller: box.own.caller(), Log: box.log, Offers: box.offers, Progress: progress,
			Confirm: func(ctx context.Context, question string) (bool, error) {
				switch whole := mcp.Whole(ctx, question); {
				case yes || whole == agreed:
					return true, nil
				case agreed != "":
					return false, mcp.Changed(t.Name, agreed, whole)
				}
				return false, &mcp.ConfirmationRequired{Message: question}
			},
		})
		var ask *mcp.ConfirmationRequired
		if !errors.As(err, &ask) {
			return reply, err
		}
		if !a.Asks() {
			return nil, &mcp.Error{
				Code: mcp.CodeConfirmationRequired, Message: "the change has to be confirmed, and there is no terminal to ask on: " + ask.Message,
				Hint: "nothing was changed; if that is what you want, call again with --yes", Err: err,
			}
		}
		ok, err := a.Confirm(ctx, ask.Message)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, mcp.Declined(t.Name)
		}
		agreed = ask.Whole
	}
}

// toolProgress shows at a terminal how far a call is, as long as done is not called.
func (a *app) toolProgress() (progress func(done, total float64, message string), done func()) {
	var mu sync.Mutex // guards bar
	var bar *shell.ProgressBar
	progress = func(done, total float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		if total <= 0 {
			return
		}
		if bar == nil {
			b := a.Progress(100, "")
			bar = &b
		}
		bar.Describe(message)
		bar.Set(int(100*done/total), 100)
	}
	return progress, func() {
		mu.Lock()
		defer mu.Unlock()
		if bar != nil {
			bar.Done()
		}
	}
}

// printJSON prints a value that has no other form for people.
func (a *app) printJSON(c *cli.Context, value any) error {
	choice, err := a.Choice(c, output.FormatJSON)
	if err != nil {
		return err
	}
	switch choice.Format {
	case output.FormatTable, output.FormatWide:
		choice.Format = output.FormatJSON
	case output.FormatCSV, output.FormatName, output.FormatVertical:
		return shell.Usagef("-o %s needs rows and columns, and this is JSON", choice.Format)
	}
	return a.PrintAs(c, choice, value, output.Table{})
}

func (a *app) printReply(c *cli.Context, r *mcp.Reply) error {
	if len(r.JSON) > 0 {
		return a.printJSON(c, r.JSON)
	}
	var texts []string
	for _, content := range r.Content {
		if content.Text != "" {
			texts = append(texts, content.Text)
		}
	}
	return a.printJSON(c, map[string]any{"text": strings.Join(texts, "\n")})
}

// toolFailure prints why a tool failed and gives the error that chooses the
// exit code.
func (a *app) toolFailure(box *toolbox, err error) error {
	failure := *mcp.ErrorOf(err)
	e := &failure
	if e.Code == mcp.CodeUnsupported && box.ai != nil && !box.ai.Present() {
		ctx, cancel := context.WithTimeout(context.Background(), probeTime)
		defer cancel()
		if silent := box.ai.Ping(ctx); silent != nil { // the reason why it is not there
			failure = *mcp.ErrorOf(silent)
		}
	}
	e.Hint = box.catalog.Tools.Without(e.Hint, box.offers)
	if perr := a.PrintJSON(e); perr != nil {
		return errors.Join(e, perr)
	}
	switch e.Code {
	case mcp.CodeInvalidArguments, mcp.CodeUnknownTool, mcp.CodeConfirmationRequired:
		return shell.Usage(shell.ErrReported)
	case mcp.CodeUnauthorized, mcp.CodePermissionDenied:
		return errors.Join(shell.ErrReported, erp.ErrForbidden)
	case mcp.CodeUnreachable, mcp.CodeOutcomeUnknown:
		return errors.Join(shell.ErrReported, erp.ErrUnreachable)
	}
	return shell.ErrReported
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

type decideWorkflowIn struct {
	Action  string    `json:"action,omitempty" jsonschema:"list: what waits for you"`
	ID      recordKey `json:"id,omitempty" jsonschema:"of the activity"`
	Message string    `json:"message,omitempty" jsonschema:"remark"`
	Value   string    `json:"value,omitempty" jsonschema:"for choose"`
	To      string    `json:"to,omitempty" jsonschema:"for forward: user"`
}

type activityLine struct {
	ID       string   `json:"id"`
	Step     string   `json:"step"`
	Wants    []string `json:"wants" jsonschema:"actions it can be decided with"`
	About    string   `json:"about,omitempty"`
	Table    string   `json:"table,omitempty"`
	RecordID int64    `json:"recordId,omitempty"`
	Priority int      `json:"priority,omitempty"`
	Since    string   `json:"since,omitempty"`
}

type decideWorkflowOut struct {
	Notice     string         `json:"notice"`
	Status     string         `json:"status" jsonschema:"listed or decided"`
	Activities []activityLine `json:"activities" jsonschema:"what waits for you now"`
	Total      int            `json:"total"`
	Truncated  bool           `json:"truncated" jsonschema:"not all are shown"`
	Note       string         `json:"note,omitempty"`
}

func (b *Toolbox) decideWorkflow() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "decideWorkflow", Title: "Workflow activities", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true, Timeout: buildTimeout, Cost: mcp.Cost{APICalls: 5},
		Description: "Lists the workflow activities that wait for you, and decides them after asking the user.",
		Input: input[decideWorkflowIn](oneOf("action", "list", "approve", "reject", "acknowledge", "choose", "forward"),
			keyed("id"), shorter(2000, "message"), shorter(500, "value"), shorter(120, "to")),
	}, b.runDecideWorkflow)
}

func (b *Toolbox) runDecideWorkflow(ctx context.Context, c *mcp.Call, in decideWorkflowIn) (*decideWorkflowOut, error) {
	callCtx := ctx
	ctx, client, err := b.connect(ctx, c, "decide workflow activities")
	if err != nil {
		return nil, err
	}
	waiting, err := client.Activities(ctx)
	if err != nil {
		return nil, err
	}
	if in.Action == "list" {
		return activitiesOut("listed", waiting), nil
	}
	decision := erp.Decision(in.Action)
	a, err := activityOf(waiting, string(in.ID), decision)
	if err != nil {
		return nil, err
	}
	opts := &erp.DecisionOptions{Message: in.Message}
	question := mcp.Ask(strings.ToUpper(in.Action[:1])+in.Action[1:]+" the activity %s?", mcp.Ref{ID: a.ID, Name: a.Node})
	switch decision {
	case erp.DecisionChoose:
		if opts.Value = in.Value; in.Value == "" {
			return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "decideWorkflow: choose needs the value", Hint: clip(a.Help+" "+a.Description, 300)}
		}
		question.Fact("value", in.Value)
	case erp.DecisionForward:
		var user any
		if opts.To, user, err = b.userOf(callCtx, c, in.To); err != nil {
			return nil, err
		}
		question.Fact("to", user)
	}
	for _, f := range [][2]string{{"about", a.Summary}, {"record", strings.TrimSpace(a.Table + " " + strconv.FormatInt(a.RecordID, 10))}, {"description", a.Description}, {"remark", in.Message}} {
		if text := strings.TrimSpace(f[1]); text != "" {
			question.Fact(f[0], text)
		}
	}
	if err := b.restsOnActivity(callCtx, c, question, a); err != nil {
		return nil, err
	}
	if err := c.Confirmed(ctx, question); err != nil {
		return nil, err
	}
	note := ""
	if err := client.DecideActivity(ctx, erp.IntID(a.ID), decision, opts); err != nil {
		if note, err = afterDecision(ctx, client, a, err); err != nil {
			return nil, err
		}
	}
	if waiting, err = client.Activities(ctx); err != nil {
		return &decideWorkflowOut{Notice: untrusted, Status: "decided", Activities: []activityLine{}, Note: "it is decided; what else waits cannot be listed now"}, nil
	}
	out := activitiesOut("decided", waiting)
	out.Note = note
	return out, nil
}

// restsOnActivity has a question rest on what was done with an activity before, and on
// the record it is about.
func (b *Toolbox) restsOnActivity(ctx context.Context, c *mcp.Call, question *mcp.Question, a *erp.Activity) error {
	question.Rests("help", a.Help).Rests("history", a.History)
	if a.Table == "" || a.RecordID <= 0 {
		return nil
	}
	at, err := b.seen(ctx, c, a.Table, strconv.FormatInt(a.RecordID, 10))
	if e := mcp.ErrorOf(err); e != nil {
		if e.Code != mcp.CodeNotFound && e.Code != mcp.CodePermissionDenied {
			return err
		}
		question.Say("Your role may not read the record: what changes in it meanwhile is not noticed.")
		return nil
	}
	lines, err := b.linesOf(ctx, c, at.table, at.record.ID())
	if err != nil {
		return err
	}
	lines.tell(restsOn(question, at.record))
	return nil
}

// activityOf is the one that is meant, when it waits for the user and for such a
// decision.
func activityOf(waiting []erp.Activity, key string, decision erp.Decision) (*erp.Activity, error) {
	if key == "" {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "decideWorkflow: the id of the activity is missing", Hint: "the action list shows those that wait for you"}
	}
	for i := range waiting {
		a := &waiting[i]
		if strconv.FormatInt(a.ID, 10) != key && !strings.EqualFold(a.UUID, key) {
			continue
		}
		if can := a.Decisions(); !slices.Contains(can, decision) {
			return nil, &mcp.Error{Code: mcp.CodeRefused, Message: fmt.Sprintf("the activity %d %q cannot be decided with %s", a.ID, cell(a.Node), decision), Hint: "it waits for one of: " + strings.Join(words(can), ", ")}
		}
		return a, nil
	}
	return nil, &mcp.Error{Code: mcp.CodeNotFound, Message: fmt.Sprintf("no activity %s waits for you: it is decided, is another's, or never was", clip(key, 60)), Hint: "the action list shows those that wait for you"}
}

func words(decisions []erp.Decision) []string {
	return mapped(decisions, func(d *erp.Decision) string { return string(*d) })
}

// userOf is the user whom an activity is forwarded to, and how a question shows them.
func (b *Toolbox) userOf(ctx context.Context, c *mcp.Call, given string) (id erp.ID, shown any, err error) {
	given = strings.TrimSpace(given)
	if given == "" {
		return id, nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "decideWorkflow: forward needs the user in to", Hint: "give the name or the number of an employee or sales representative"}
	}
	at, err := b.seen(ctx, c, "AD_User", given)
	if err != nil {
		return id, nil, err
	}
	return at.id, named(at.id, at.record), nil
}

// afterDecision finds out what became of a decision that failed, or whose response
// was lost.
func afterDecision(ctx context.Context, client *erp.Client, a *erp.Activity, err error) (note string, _ error) {
	var refused *erp.Error
	switch {
	case errors.Is(err, erp.ErrNotForwarded):
		return "", &mcp.Error{Code: mcp.CodeRefused, Message: "the ERP did not forward the activity: the user has it already", Hint: "nothing was changed", Err: err}
	case errors.As(err, &refused) && refused.Status == 500 && !refused.Page:
		return "", &mcp.Error{Code: mcp.CodeRefused, Message: "the ERP did not take the decision: " + clip(refused.Detail, 1500), Hint: "nothing was changed; the ERP's own words say why", Err: err}
	case !errors.Is(err, erp.ErrOutcomeUnknown) || ctx.Err() != nil:
		return "", err
	}
	waiting, listErr := client.Activities(ctx)
	if listErr != nil {
		return "", notKnown(err)
	}
	if slices.ContainsFunc(waiting, func(w erp.Activity) bool { return w.ID == a.ID }) {
		return "", notKnown(err) // the ERP may still be at it
	}
	return "the response of the ERP was lost; the activity no longer waits for you", nil
}

func activitiesOut(status string, waiting []erp.Activity) *decideWorkflowOut {
	lines := mapped(waiting, func(a *erp.Activity) activityLine {
		return activityLine{
			ID: strconv.FormatInt(a.ID, 10), Step: cell(a.Node), Wants: words(a.Decisions()), About: cell(a.Summary),
			Table: a.Table, RecordID: a.RecordID, Priority: a.Priority, Since: a.Created,
		}
	})
	out := &decideWorkflowOut{Notice: untrusted, Status: status, Activities: fitting(lines), Total: len(lines)}
	out.Truncated = len(out.Activities) < out.Total
	return out
}

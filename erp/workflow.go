package erp

import (
	"context"
	"errors"
	"net/http"

	"github.com/erphub/erphub/internal/apiclient"
)

// Activity is a step of a workflow that waits for somebody.
type Activity struct {
	ID       int64  `json:"id"`
	UUID     string `json:"uid"`
	Node     string `json:"node-name"` // what is to be done
	Priority int    `json:"priority"`
	Summary  string `json:"summary"` // the record it is about
	// Description and Help are those of the node, History is what happened so far,
	// in HTML with texts of users as they wrote them.
	Description string `json:"node-description"`
	Help        string `json:"node-help"`
	History     string `json:"history-records"`
	Table       string `json:"table-name"` // with RecordID the record it is about
	RecordID    int64  `json:"record_id"`
	// Approval wants DecisionApprove or DecisionReject, Confirmation wants
	// DecisionAcknowledge, neither wants DecisionChoose.
	Approval     bool   `json:"node-approval"`
	Confirmation bool   `json:"node-confirmation"`
	Created      string `json:"created"` // see ParseTime
}

// Decision is a decision about an activity.
type Decision string

// The decisions on activities.
const (
	DecisionApprove     Decision = "approve"
	DecisionReject      Decision = "reject"
	DecisionAcknowledge Decision = "acknowledge"
	DecisionChoose      Decision = "choose"  // a value
	DecisionForward     Decision = "forward" // to another user, who is an employee or a sales representative
)

// Decisions are the decisions possible for the activity.
func (a *Activity) Decisions() []Decision {
	switch {
	case a.Approval:
		return []Decision{DecisionApprove, DecisionReject, DecisionForward}
	case a.Confirmation:
		return []Decision{DecisionAcknowledge, DecisionForward}
	}
	return []Decision{DecisionChoose, DecisionForward}
}

// DecisionOptions are additions to a decision; nil and the zero value add nothing.
type DecisionOptions struct {
	Message string // a remark for the history
	Value   string // for DecisionChoose
	To      ID     // for DecisionForward: the user
}

// ErrNotForwarded is in the error of an activity that the server did not forward:
// the user has it already.
var ErrNotForwarded = errors.New("the activity was not forwarded")

// Activities lists the activities that wait for the user of the session, those of
// the highest priority first.
func (c *Client) Activities(ctx context.Context) ([]Activity, error) {
	var out struct {
		Nodes *[]Activity `json:"nodes"`
	}
	if err := c.into(ctx, &request{method: http.MethodGet, path: []string{"workflow"}}, &out); err != nil {
		return nil, err
	}
	return listed(out.Nodes, "nodes")
}

// DecideActivity decides an activity that waits for the user of the session. It is
// never sent again once the server may have got it: look at Activities then.
func (c *Client) DecideActivity(ctx context.Context, id ID, decision Decision, opts *DecisionOptions) error {
	var o DecisionOptions
	if opts != nil {
		o = *opts
	}
	key, err := id.segment()
	if err != nil {
		return err
	}
	body, action := map[string]any{}, string(decision)
	if o.Message != "" {
		body["message"] = o.Message
	}
	switch decision {
	case DecisionApprove, DecisionReject, DecisionAcknowledge:
	case DecisionChoose:
		if o.Value == "" {
			return invalid("activity %s: a choice needs a value", id)
		}
		action, body["value"] = "setuserchoice", o.Value
	case DecisionForward:
		if o.To.IsZero() {
			return invalid("activity %s: it needs a user to be forwarded to", id)
		}
		body["userTo"] = o.To.String()
	default:
		return invalid("activity %s: %s is not a decision", id, quote(string(decision)))
	}
	data, err := jsonObject(body)
	if err != nil {
		return err
	}
	unsent := apiclient.RetryUnsent
	_, err = c.json(ctx, &request{method: http.MethodPut, path: []string{"workflow", action, key}, body: data, retry: &unsent})
	var refused *Error
	if errors.As(err, &refused) && refused.Status == http.StatusNotModified {
		return errors.Join(ErrNotForwarded, err)
	}
	return err
}

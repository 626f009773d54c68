package erptest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/workflow"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func workflowRoutes() []route {
	const base = "v1/workflow"
	return []route{
		{method: http.MethodGet, pattern: base, handle: reading(titledAs("Server error"), listOwnActivities)},
		{method: http.MethodGet, pattern: base + "/{user}", handle: reading(titledAs("Server error"), listUserActivities)},
		{method: http.MethodPut, pattern: base + "/approve/{id}", handle: decide(workflow.Approval, "Y")},
		{method: http.MethodPut, pattern: base + "/reject/{id}", handle: decide(workflow.Approval, "N")},
		{method: http.MethodPut, pattern: base + "/acknowledge/{id}", handle: decide(workflow.Confirmation, "")},
		{method: http.MethodPut, pattern: base + "/setuserchoice/{id}", handle: decide(workflow.Choice, "")},
		{method: http.MethodPut, pattern: base + "/forward/{id}", handle: forwardActivity},
	}
}

// maxActivities bounds a list of activities.
const maxActivities = 10_000

// pendingFor is the condition that an activity waits for a user: one it was
// given to, or whose responsible is the invoker, the user or a role of the user, or
// who is named with the activity as an approver.
const pendingFor = `"AD_WF_Activity"."Processed"='N' AND "AD_WF_Activity"."WFState"='OS' AND "AD_WF_Activity"."IsActive"='Y' AND (
	"AD_WF_Activity"."AD_User_ID"=?
	OR EXISTS (SELECT 1 FROM AD_WF_Responsible r WHERE r.AD_WF_Responsible_ID="AD_WF_Activity"."AD_WF_Responsible_ID"
		AND r.ResponsibleType='H' AND COALESCE(r.AD_User_ID,0)=0 AND COALESCE(r.AD_Role_ID,0)=0 AND "AD_WF_Activity"."AD_User_ID" IS NULL)
	OR EXISTS (SELECT 1 FROM AD_WF_Responsible r WHERE r.AD_WF_Responsible_ID="AD_WF_Activity"."AD_WF_Responsible_ID"
		AND r.ResponsibleType='H' AND r.AD_User_ID=?)
	OR EXISTS (SELECT 1 FROM AD_WF_Responsible r JOIN AD_User_Roles ur ON ur.AD_Role_ID=r.AD_Role_ID
		WHERE r.AD_WF_Responsible_ID="AD_WF_Activity"."AD_WF_Responsible_ID" AND r.ResponsibleType='R' AND ur.AD_User_ID=? AND ur.IsActive='Y')
	OR EXISTS (SELECT 1 FROM AD_WF_ActivityApprover a WHERE a.AD_WF_Activity_ID="AD_WF_Activity"."AD_WF_Activity_ID"
		AND a.AD_User_ID=? AND a.IsActive='Y'))`

func pendingArgs(user int64) []any { return []any{user, user, user, user} }

// listOwnActivities handles GET /workflow.
func listOwnActivities(ctx context.Context, rd *reader) (any, error) {
	return rd.activities(ctx, rd.c.session.UserID)
}

// listUserActivities handles GET /workflow/{user}. What is neither a number nor
// a UUID escapes the guards of the real server.
func listUserActivities(ctx context.Context, rd *reader) (any, error) {
	key := rd.c.param("user")
	if !engine.IsRecordID(key) {
		return nil, page(http.StatusInternalServerError)
	}
	user, err := rd.c.byKey(ctx, rd.tx, "AD_User", key)
	if err != nil {
		return nil, err
	}
	if user == nil {
		return nil, fail(http.StatusBadRequest, "User not found", "No user found matching id "+key)
	}
	return rd.activities(ctx, user.Int("AD_User_ID"))
}

// byKey is the record that a number or UUID names, active or not, nil when there is
// none that the role may read.
func (c *call) byKey(ctx context.Context, tx *store.Tx, table, key string) (store.Row, error) {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	row, err := c.session.FindRow(ctx, tx, t, key)
	var refused *engine.Error
	if errors.As(err, &refused) && (refused.Kind == engine.NotFound || refused.Kind == engine.Denied) {
		return nil, nil
	}
	return row, err
}

// activities are those that wait for a user.
func (rd *reader) activities(ctx context.Context, user int64) (*wire.Object, error) {
	t, err := rd.tx.Table(ctx, "AD_WF_Activity")
	if err != nil {
		return nil, err
	}
	where, args := pendingFor+` AND "AD_WF_Activity"."AD_Client_ID"=?`, append(pendingArgs(user), rd.c.session.ClientID)
	rows, err := rd.tx.Select(ctx, t, store.Selection{
		Where: where, Args: args, OrderBy: `"Priority" DESC, "Created", "AD_WF_Activity_ID"`, Limit: maxActivities,
	})
	if err != nil {
		return nil, err
	}
	list := []*wire.Object{}
	for _, row := range rows {
		o, err := rd.activityObject(ctx, row)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return wire.NewObject("row-count", len(list), "nodes", list), nil
}

// activityObject is an activity as the list shows it.
func (rd *reader) activityObject(ctx context.Context, row store.Row) (*wire.Object, error) {
	a, err := workflow.Load(ctx, rd.c.session, rd.tx, row)
	if err != nil {
		return nil, err
	}
	node := a.Node
	if node != nil {
		if node, err = rd.translatedRow(ctx, "AD_WF_Node", node); err != nil {
			return nil, err
		}
	}
	o := wire.NewObject("id", row.Int("AD_WF_Activity_ID"), "uid", row.String("AD_WF_Activity_UU"), "model-name", "ad_wf_activity",
		"node-name", node.String("Name"), "priority", row.Int("Priority"))
	summary, history, err := workflow.Texts(ctx, rd.c.session, rd.tx, a)
	if err != nil {
		return nil, err
	}
	setText(o, "summary", summary)
	setText(o, "node-description", node.String("Description"))
	setText(o, "node-help", node.String("Help"))
	setText(o, "history-records", history)
	if a.Table != nil {
		o.Set("table-name", a.Table.Name)
		o.Set("ad_table_id", a.Table.ID)
	}
	if id := row.Int("Record_ID"); id > 0 {
		o.Set("record_id", id)
	}
	o.Set("node-approval", a.Kind == workflow.Approval)
	o.Set("node-confirmation", a.Kind == workflow.Confirmation)
	o.Set("created", moments(store.KindDateTime, row.String("Created"), rd.c.srv.opts.Location))
	return o, nil
}

// setText adds a member unless it is blank.
func setText(o *wire.Object, name, text string) {
	if strings.TrimSpace(text) != "" {
		o.Set(name, text)
	}
}

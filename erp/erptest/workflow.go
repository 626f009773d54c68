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
		{method: http.MethodGet, pattern: base, handle: listOwnActivities},
		{method: http.MethodGet, pattern: base + "/{user}", handle: listUserActivities},
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
func listOwnActivities(c *call) error { return c.sendActivities(c.session.UserID) }

// listUserActivities handles GET /workflow/{user}. What is neither a number nor
// a UUID escapes the guards of the real server.
func listUserActivities(c *call) error {
	key := c.param("user")
	if !engine.IsRecordID(key) {
		return page(http.StatusInternalServerError)
	}
	var user store.Row
	err := c.view(c.ctx(), func(tx *store.Tx) (err error) {
		user, err = c.byKey(c.ctx(), tx, "AD_User", key)
		return err
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	if user == nil {
		return fail(http.StatusBadRequest, "User not found", "No user found matching id "+key)
	}
	return c.sendActivities(user.Int("AD_User_ID"))
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

func (c *call) sendActivities(user int64) error {
	list := []*wire.Object{}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		ctx := c.ctx()
		t, err := tx.Table(ctx, "AD_WF_Activity")
		if err != nil {
			return err
		}
		where, args := pendingFor+` AND "AD_WF_Activity"."AD_Client_ID"=?`, append(pendingArgs(user), c.session.ClientID)
		rows, err := tx.Select(ctx, t, store.Selection{
			Where: where, Args: args, OrderBy: `"Priority" DESC, "Created", "AD_WF_Activity_ID"`, Limit: maxActivities,
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			o, err := c.activityObject(ctx, tx, row)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	c.json(http.StatusOK, wire.NewObject("row-count", len(list), "nodes", list))
	return nil
}

// activityObject is an activity as the list shows it.
func (c *call) activityObject(ctx context.Context, tx *store.Tx, row store.Row) (*wire.Object, error) {
	a, err := workflow.Load(ctx, c.session, tx, row)
	if err != nil {
		return nil, err
	}
	node, err := c.translatedNode(ctx, tx, a.Node)
	if err != nil {
		return nil, err
	}
	o := wire.NewObject("id", row.Int("AD_WF_Activity_ID"), "uid", row.String("AD_WF_Activity_UU"), "model-name", "ad_wf_activity",
		"node-name", node.String("Name"), "priority", row.Int("Priority"))
	summary, history, err := workflow.Texts(ctx, c.session, tx, a)
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
	o.Set("created", moments(store.KindDateTime, row.String("Created"), c.srv.opts.Location))
	return o, nil
}

// setText adds a member unless it is blank.
func setText(o *wire.Object, name, text string) {
	if strings.TrimSpace(text) != "" {
		o.Set(name, text)
	}
}

// translatedNode is a node with its texts in the session's language.
func (c *call) translatedNode(ctx context.Context, tx *store.Tx, node store.Row) (store.Row, error) {
	if node == nil {
		return nil, nil
	}
	t, err := tx.Table(ctx, "AD_WF_Node")
	if err != nil {
		return nil, err
	}
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := rd.translate(ctx, t, someColumns(t, []string{"Name", "Description", "Help"}), []store.Row{node})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

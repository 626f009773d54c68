package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/workflow"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// kindErrors are the refusals of an activity that asks for something else.
var kindErrors = map[workflow.Kind]string{
	workflow.Approval: "Not an approval node", workflow.Confirmation: "Not an acknowledgment node", workflow.Choice: "Not a user choice node",
}

// decide is the handler for decisions on activities of a kind. For approvals
// value is the decision; for choices it comes with the request.
func decide(kind workflow.Kind, value string) handler {
	return func(c *call) error {
		body, err := c.activityBody(kind == workflow.Choice)
		if err != nil {
			return orTitled("Approve error", err)
		}
		var response *wire.Object
		err = c.update(c.ctx(), func(tx *store.Tx) error {
			ctx := c.ctx()
			a, err := c.pathActivity(ctx, tx)
			if err != nil {
				return err
			}
			if !a.Kind.Is(kind) {
				return fail(http.StatusNotFound, kindErrors[kind], "")
			}
			if err := c.mayAct(ctx, tx, a); err != nil {
				return err
			}
			given := value
			if kind == workflow.Choice {
				v, ok := body.Get("value")
				if !ok || v == nil {
					return engine.PublicError("The value of the choice is missing")
				}
				given = engine.ScalarMember(body, "value")
			}
			if err := workflow.Decide(ctx, c.session, tx, a, given, messageOf(body)); err != nil {
				return err
			}
			response, err = c.activityResponse(ctx, tx, a)
			return err
		})
		if err != nil {
			return orTitled("Approve error", approveError(err))
		}
		c.srv.events.Info("workflow activity decided", "activity", c.param("id"))
		c.json(http.StatusOK, response)
		return nil
	}
}

// approveError takes the titles off failures inside of the document, which all
// are an "Approve error".
func approveError(err error) error {
	var api *apiError
	if asAPI(err, &api) && api.status == http.StatusInternalServerError {
		return fail(http.StatusInternalServerError, "Approve error", api.detail)
	}
	return err
}

// activityBody reads what comes with a decision. Where a body must come and
// does not, the real server fails outside of its guards.
func (c *call) activityBody(needed bool) (*wire.Object, error) {
	v, err := c.bodyValue()
	switch {
	case err != nil:
		return nil, err
	case v == nil && needed:
		return nil, page(http.StatusInternalServerError)
	case v == nil:
		return &wire.Object{}, nil
	}
	return engine.AsObject(v)
}

// messageOf is the remark that comes with a decision.
func messageOf(body *wire.Object) string {
	runes := []rune(engine.ScalarMember(body, "message"))
	return string(runes[:min(len(runes), 2000)])
}

// pathActivity is the activity in the path.
func (c *call) pathActivity(ctx context.Context, tx *store.Tx) (*workflow.Activity, error) {
	row, err := c.byKey(ctx, tx, "AD_WF_Activity", c.param("id"))
	if err != nil {
		return nil, err
	}
	if row == nil || row.Int("AD_Client_ID") != c.session.ClientID {
		return nil, fail(http.StatusNotFound, "Activity not found", "")
	}
	return workflow.Load(ctx, c.session, tx, row)
}

// mayAct refuses users the activity does not wait for; nobody can act on one
// that is over.
func (c *call) mayAct(ctx context.Context, tx *store.Tx, a *workflow.Activity) error {
	t, err := tx.Table(ctx, "AD_WF_Activity")
	if err != nil {
		return err
	}
	n, err := tx.Count(ctx, t, `"AD_WF_Activity_ID"=? AND `+pendingFor, append([]any{a.ID()}, pendingArgs(c.session.UserID)...)...)
	if err == nil && n == 0 {
		err = fail(http.StatusBadRequest, "The current User cannot action this Activity", "")
	}
	return err
}

// activityResponse is what the caller gets when an activity was decided.
func (c *call) activityResponse(ctx context.Context, tx *store.Tx, a *workflow.Activity) (*wire.Object, error) {
	text, err := engine.Message(ctx, tx, "Updated", c.session.Language, "Updated")
	if err != nil {
		return nil, err
	}
	summary, history, err := workflow.Texts(ctx, c.session, tx, a)
	if err != nil {
		return nil, err
	}
	o := wire.NewObject("msg", text)
	setText(o, "summary", summary)
	setText(o, "history-records", history)
	return o, nil
}

// forwardActivity handles PUT /workflow/forward/{id}: the activity is given to
// another internal user. Giving it to the user that has it is refused with
// 304.
func forwardActivity(c *call) error {
	body, err := c.activityBody(true)
	if err != nil {
		return orTitled("Forward error", err)
	}
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		ctx := c.ctx()
		a, err := c.pathActivity(ctx, tx)
		if err != nil {
			return err
		}
		key := engine.ScalarMember(body, "userTo")
		if key == "" {
			return fail(http.StatusBadRequest, "userTo property is mandatory.", "userTo property is mandatory.")
		}
		if err := c.mayAct(ctx, tx, a); err != nil {
			return err
		}
		to, err := c.byKey(ctx, tx, "AD_User", key)
		if err != nil {
			return err
		}
		if internal, err := isInternal(ctx, tx, to); err != nil {
			return err
		} else if !internal {
			return fail(http.StatusBadRequest, "Invalid user - not Internal", "")
		}
		if to.Int("AD_User_ID") == a.Row.Int("AD_User_ID") {
			return nil // refused: there is no response
		}
		if err := workflow.Forward(ctx, c.session, tx, a, to, messageOf(body)); err != nil {
			return err
		}
		response, err = c.activityResponse(ctx, tx, a)
		return err
	})
	if err != nil {
		return orTitled("Forward error", err)
	}
	if response == nil {
		c.empty(http.StatusNotModified)
		return nil
	}
	c.srv.events.Info("workflow activity forwarded", "activity", c.param("id"))
	c.json(http.StatusOK, response)
	return nil
}

// isInternal tells whether a user works for the tenant: as an employee or a
// sales representative.
func isInternal(ctx context.Context, tx *store.Tx, user store.Row) (bool, error) {
	partner := user.Int("C_BPartner_ID")
	if partner == 0 {
		return false, nil
	}
	row, err := engine.OneRow(ctx, tx, "C_BPartner", partner)
	return row.Bool("IsEmployee") || row.Bool("IsSalesRep"), err
}

package erptest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

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
		text, err := c.body()
		if err != nil {
			return err
		}
		given := value
		if kind == workflow.Choice {
			body, err := unguardedObject(text)
			if err != nil {
				return err
			}
			given = engine.ScalarMember(body, "value")
		}
		var response *wire.Object
		err = c.update(c.ctx(), func(tx *store.Tx) error {
			ctx := c.ctx()
			a, err := c.pathActivity(ctx, tx)
			if err != nil {
				return err
			}
			if err := c.mayAct(ctx, tx, a); err != nil {
				return err
			}
			if !a.Kind.Is(kind) {
				return fail(http.StatusNotFound, kindErrors[kind], "")
			}
			remark := ""
			if len(bytes.TrimSpace(text)) > 0 {
				body, err := parseObject(text)
				if err != nil {
					return err
				}
				remark = messageOf(body)
			}
			if err := workflow.Decide(ctx, c.session, tx, a, given, remark); err != nil {
				return err
			}
			response, err = c.activityResponse(ctx, tx, a)
			return err
		})
		if err != nil {
			return activityError("Approve error", err)
		}
		c.srv.events.Info("workflow activity decided", "activity", c.param("id"))
		c.json(http.StatusOK, response)
		return nil
	}
}

// activityError gives all errors the title of the operation but those with which
// the endpoint itself refuses.
func activityError(title string, err error) error {
	var (
		own     *apiError
		pg      *pageError
		refused *engine.Error
	)
	switch {
	case errors.As(err, &own), errors.As(err, &pg):
		return err
	case errors.As(err, &refused):
		return failf(http.StatusInternalServerError, title, "%s with exception: %s", title, refused.Detail)
	}
	return titled(title, title+" with exception: ", err)
}

// parseObject is the JSON object a text is.
func parseObject(text []byte) (*wire.Object, error) {
	v, err := parseBody(text)
	if err != nil {
		return nil, err
	}
	return engine.AsObject(v)
}

// unguardedObject is the same where the real server fails outside of its guards.
func unguardedObject(text []byte) (*wire.Object, error) {
	o, err := parseObject(text)
	if err != nil {
		return nil, page(http.StatusInternalServerError)
	}
	return o, nil
}

// messageOf is the remark that comes with an response.
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
	text, err := c.body()
	if err != nil {
		return err
	}
	body, err := unguardedObject(text)
	if err != nil {
		return err
	}
	var to store.Row
	err = c.view(c.ctx(), func(tx *store.Tx) (err error) {
		to, err = c.forwardTo(c.ctx(), tx, engine.ScalarMember(body, "userTo"))
		return err
	})
	if err != nil {
		return activityError("Forward error", err)
	}
	var response *wire.Object
	err = c.update(c.ctx(), func(tx *store.Tx) error {
		ctx := c.ctx()
		a, err := c.pathActivity(ctx, tx)
		if err != nil {
			return err
		}
		if err := c.mayAct(ctx, tx, a); err != nil {
			return err
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
		return activityError("Forward error", err)
	}
	if response == nil {
		c.empty(http.StatusNotModified)
		return nil
	}
	c.srv.events.Info("workflow activity forwarded", "activity", c.param("id"))
	c.json(http.StatusOK, response)
	return nil
}

// forwardTo is the internal user whom an activity is to be given.
func (c *call) forwardTo(ctx context.Context, tx *store.Tx, key string) (to store.Row, err error) {
	if strings.TrimSpace(key) != "" {
		if !engine.IsRecordID(key) {
			return nil, page(http.StatusInternalServerError)
		}
		if to, err = c.byKey(ctx, tx, "AD_User", key); err != nil {
			return nil, err
		}
	}
	if to == nil {
		return nil, fail(http.StatusBadRequest, "userTo property is mandatory.", "userTo property is not set or it has an invalid value")
	}
	internal, err := isInternal(ctx, tx, to)
	if err == nil && !internal {
		err = fail(http.StatusBadRequest, "Invalid user - not Internal", "")
	}
	return to, err
}

// isInternal reports whether a user works for the tenant: as an employee or a
// sales representative.
func isInternal(ctx context.Context, tx *store.Tx, user store.Row) (bool, error) {
	partner := user.Int("C_BPartner_ID")
	if partner == 0 {
		return false, nil
	}
	row, err := engine.OneRow(ctx, tx, "C_BPartner", partner)
	return row.Bool("IsEmployee") || row.Bool("IsSalesRep"), err
}

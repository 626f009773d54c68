package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/mcp"
)

type processDocumentIn struct {
	Table      string    `json:"table" jsonschema:"such as C_Order"`
	ID         recordKey `json:"id,omitempty" jsonschema:"number, UUID, search key or name"`
	DocumentNo string    `json:"documentNo,omitempty" jsonschema:"instead of id"`
	Action     string    `json:"action,omitempty" jsonschema:"prepare, complete, close, void, reverse-correct, reverse-accrual, reactivate, or the ERP's code; empty: tell status and actions"`
}

type processDocumentOut struct {
	Notice     string   `json:"notice"`
	Table      string   `json:"table"`
	ID         string   `json:"id"`
	DocumentNo string   `json:"documentNo,omitempty"`
	Outcome    string   `json:"outcome" jsonschema:"processed, unchanged (it was so already) or read"`
	Before     string   `json:"before,omitempty" jsonschema:"status before"`
	Status     string   `json:"status" jsonschema:"status now"`
	StatusName string   `json:"statusName,omitempty"`
	Actions    []string `json:"actions" jsonschema:"what can be done with it now"`
	Message    string   `json:"message,omitempty" jsonschema:"what the ERP says"`
	Note       string   `json:"note,omitempty"`
}

func (b *Toolbox) processDocument() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "processDocument", Title: "Process a document", Sets: []string{SetRecords}, Hints: mcp.Hints{Destructive: true, Idempotent: true}, Confirms: true,
		Description: "Completes, voids, reverses … an order, invoice, payment or other document, after asking the user.",
		Input:       input[processDocumentIn](shorter(120, "table"), shorter(60, "documentNo"), shorter(40, "action"), keyed("id")),
		Timeout:     buildTimeout, Cost: mcp.Cost{APICalls: 6},
	}, b.runProcessDocument)
}

func (b *Toolbox) runProcessDocument(ctx context.Context, c *mcp.Call, in processDocumentIn) (*processDocumentOut, error) {
	var action erp.DocAction
	if in.Action != "" {
		var ok bool
		if action, ok = erp.ParseDocAction(in.Action); !ok {
			return nil, fail(mcp.CodeInvalidArguments, "prepare, complete, close, void, reverse-correct, reverse-accrual, reactivate; without action this tool tells which are possible", "there is no document action %q", clip(in.Action, 40))
		}
	}
	callCtx := ctx
	ctx, client, d, err := b.document(ctx, c, in)
	if err != nil {
		return nil, err
	}
	allowed, err := allowedActions(ctx, c, client, d)
	if err != nil {
		return nil, err
	}
	out := documentOut(d, allowed)
	switch {
	case action == "":
		out.Outcome = "read"
		return out, nil
	case action.Done(d.Status()):
		out.Outcome, out.Note = "unchanged", fmt.Sprintf("there is nothing to %s: the document is %s already; nothing was sent", action, d.StatusName())
		return out, nil
	case !slices.Contains(allowed, action):
		possible, why := cmp.Or(strings.Join(actionNames(allowed), ", "), "nothing"), fmt.Sprintf("its status is %s (%s)", cell(d.StatusName()), d.Status())
		if slices.Contains(d.Status().Actions(), action) {
			why = "its type or your role does not allow that"
		}
		return nil, fail(mcp.CodeRefused, "nothing was done; possible in this status for this role: "+possible,
			"%s %s cannot be processed with %q: %s", d.Table, documentName(d), action, why)
	}
	lines, err := b.linesOf(callCtx, c, d.Table, d.ID())
	if err != nil {
		return nil, err
	}
	question, err := documentQuestion(ctx, client, d, lines, action)
	if err != nil {
		return nil, err
	}
	if err := c.Confirmed(ctx, question); err != nil {
		return nil, err
	}
	before := string(d.Status())
	result, err := client.ProcessDocument(ctx, d.Table, d.ID(), action)
	if err != nil {
		return nil, notProcessed(err, d, action)
	}
	if allowed, err = allowedActions(ctx, c, client, result.Document); err != nil {
		allowed = result.Document.Status().Actions() // it is done all the same
	}
	out = documentOut(result.Document, allowed)
	out.Outcome, out.Before, out.Message = "processed", before, clip(result.Message, 2000)
	if result.Recovered {
		out.Note = "the response of the ERP was lost; the document was read again and shows that it was processed"
	}
	return out, nil
}

// document finds the one that is meant.
func (b *Toolbox) document(ctx context.Context, c *mcp.Call, in processDocumentIn) (context.Context, *erp.Client, *erp.Document, error) {
	wrong := func(code, message, hint string) (context.Context, *erp.Client, *erp.Document, error) {
		return nil, nil, nil, fail(code, hint, "%s", message)
	}
	number := strings.TrimSpace(in.DocumentNo)
	if (in.ID == "") == (number == "") {
		return wrong(mcp.CodeInvalidArguments, "processDocument needs either id or documentNo", "searchRecords finds documents")
	}
	t, err := b.table(ctx, c, in.Table)
	if err != nil {
		return nil, nil, nil, err
	}
	name := in.Table
	if t != nil {
		name = t.Name
		for _, needed := range []string{"DocStatus", "DocAction"} {
			if _, ok := t.Column(needed); !ok {
				return wrong(mcp.CodeInvalidArguments, fmt.Sprintf("%s holds no documents: it has no column %s", name, needed), "documents are orders (C_Order), invoices (C_Invoice), payments (C_Payment), shipments (M_InOut) and others")
			}
		}
	}
	called := ctx
	ctx, client, err := b.connect(ctx, c, "process documents")
	if err != nil {
		return nil, nil, nil, err
	}
	if number == "" {
		known, err := b.meant(called, c, name, string(in.ID))
		if err != nil {
			return nil, nil, nil, err
		}
		id, err := erp.ParseID(known.Plain)
		if err != nil {
			return nil, nil, nil, err
		}
		d, err := client.Document(ctx, name, id)
		if errors.Is(err, erp.ErrNotFound) {
			return wrong(mcp.CodeNotFound, fmt.Sprintf("there is no record %s in %s, or your role may not see it", clip(string(in.ID), 60), name), "id is the number of the record; the number on the document goes into documentNo")
		}
		return ctx, client, d, err
	}
	found, err := client.FindDocuments(ctx, name, number)
	if err != nil {
		return nil, nil, nil, err
	}
	switch len(found) {
	case 0:
		return wrong(mcp.CodeNotFound, fmt.Sprintf("there is no document %q in %s, or your role may not see it", clip(number, 60), name), "searchRecords finds documents by what is in them")
	case 1:
		return ctx, client, &found[0], nil
	}
	lines := mapped(found, func(d *erp.Document) string { return fmt.Sprintf("id %s: %s", d.ID(), documentWords(d)) })
	return wrong(mcp.CodeConflict, fmt.Sprintf("the number %q is that of %d documents:\n- %s", clip(number, 60), len(found), strings.Join(lines, "\n- ")), "nothing was done; give the id of the one that is meant")
}

// allowedActions are those that the ERP takes in the document's status and the role
// has for its type.
func allowedActions(ctx context.Context, c *mcp.Call, client *erp.Client, d *erp.Document) ([]erp.DocAction, error) {
	actions, err := performed(ctx, client, d)
	if err != nil || !c.Caller.Known || len(actions) == 0 {
		return actions, err
	}
	role, err := access.DocActions(ctx, client, c.Caller.RoleID, d.Type().ID)
	if err != nil || role == nil {
		return actions, err
	}
	return slices.DeleteFunc(actions, func(a erp.DocAction) bool { return !slices.Contains(role, a) }), nil
}

// performed are the actions of the document's status without those that its program
// always refuses: no order is reversed on another day than its own, and types of
// documents say whether they can be reactivated. A type that the role may not read
// says nothing.
func performed(ctx context.Context, client *erp.Client, d *erp.Document) ([]erp.DocAction, error) {
	actions := d.Status().Actions()
	if d.Table == "C_Order" {
		actions = slices.DeleteFunc(actions, func(a erp.DocAction) bool { return a == erp.DocReverseAccrual })
	}
	id := d.Type().ID
	if !slices.Contains(actions, erp.DocReactivate) || id.IsZero() {
		return actions, nil
	}
	typ, err := client.Get(ctx, "C_DocType", id, &erp.GetOptions{Select: []string{"IsCanBeReactivated"}})
	switch {
	case errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound):
		return actions, nil
	case err != nil:
		return nil, err
	}
	if can, known := typ.Bool("IsCanBeReactivated"); known && !can {
		actions = slices.DeleteFunc(actions, func(a erp.DocAction) bool { return a == erp.DocReactivate })
	}
	return actions, nil
}

func actionNames(actions []erp.DocAction) []string {
	return mapped(actions, func(a *erp.DocAction) string { return a.String() })
}

func documentOut(d *erp.Document, allowed []erp.DocAction) *processDocumentOut {
	return &processDocumentOut{
		Notice: untrusted, Table: d.Table, ID: d.ID().String(), DocumentNo: clip(d.Number(), 60),
		Status: string(d.Status()), StatusName: clip(d.StatusName(), 60), Actions: actionNames(allowed),
	}
}

// documentName is how people call it.
func documentName(d *erp.Document) string {
	if number := cell(d.Number()); number != "" {
		return fmt.Sprintf("%s (id %s)", number, d.ID())
	}
	return d.ID().String()
}

// notProcessed is the error of an action that was not carried out, as far as is
// known.
func notProcessed(err error, d *erp.Document, action erp.DocAction) error {
	var refused *erp.Error
	switch {
	case errors.Is(err, erp.ErrNotProcessed):
		return caused(err, mcp.CodeRefused, "look at it with action empty; when it waits for an approval, decideWorkflow lists what waits for you", "%s", clip(err.Error(), 500))
	case errors.As(err, &refused) && refused.Status == 500 && !refused.Page:
		return caused(err, mcp.CodeRefused, "nothing was changed; fix what the ERP names, then call again",
			"the ERP did not %s %s %s: %s", action, d.Table, documentName(d), clip(refused.Detail, 1500))
	case !errors.Is(err, erp.ErrOutcomeUnknown):
		return err
	}
	e := mcp.OutcomeUnknown(mcp.ErrorOf(err).Message, err)
	e.Hint = "call with action empty to see its status before you call again"
	return e
}

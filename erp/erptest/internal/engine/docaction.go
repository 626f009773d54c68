package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// actionsIn are the document actions possible in a status.
func actionsIn(status string) []string {
	switch status {
	case "IN":
		return []string{"PR", "IN", "XL", "VO"}
	case "DR":
		return []string{"PR", "IN", "CO", "XL", "VO"}
	case "IP", "AP":
		return []string{"CO", "WC", "AP", "RJ", "XL", "VO", "PR"}
	case "NA":
		return []string{"RJ", "PR", "XL", "VO"}
	case "WP", "WC":
		return []string{"CO", "WC", "RE", "VO", "CL"}
	case "CO":
		return []string{"CL", "RE", "RA", "RC", "PO", "VO"}
	case "CL":
		return []string{"PO", "RE"}
	case "RE", "VO":
		return []string{"PO"}
	}
	return nil
}

// RunDocAction runs the document action a request asks for, after everything else is
// saved. It returns what the document has to say to it, "" for nothing. On tables
// that hold no documents it does nothing.
func (s *Session) RunDocAction(ctx context.Context, tx *store.Tx, r *Record) (string, error) {
	if r.Body == nil || !s.IsDocument(r.Table) {
		return "", nil
	}
	v, _ := r.Body.Get("doc-action")
	if o, ok := v.(*wire.Object); ok {
		v, _ = o.Get("id")
	}
	var action string
	switch v := v.(type) {
	case string:
		action = v
	case json.Number:
		action = string(v)
	case bool:
		action = map[bool]string{true: "true", false: "false"}[v]
	}
	if strings.TrimSpace(action) == "" || action == "--" {
		return "", nil
	}
	stored, err := r.Reread(ctx, tx)
	if err != nil {
		return "", err
	}
	d := s.newDocument(tx, r.Table, stored)
	err = d.told(d.runWorkflow(ctx, action))
	var refused PublicError
	switch {
	case errors.As(err, &refused):
		return "", Refuse(Failed, msgFailedDocument, string(refused))
	case err != nil:
		return "", err
	case d.message == nil:
		return "null", nil // so the real server shows that the document says nothing
	}
	return *d.message, nil
}

// runWorkflow does what the document's workflow does with an action: completing
// prepares first, anything else is done when the status allows it, and passed over
// when not.
func (d *document) runWorkflow(ctx context.Context, action string) error {
	if err := d.mayRun(ctx); err != nil {
		return err
	}
	col, _ := d.Table.Column("DocAction")
	d.Set("DocAction", fitted(col, action))
	standard := action == "CO" && !slices.Contains([]string{"CO", "WC", "WP", "VO", "CL", "RE"}, d.status())
	steps := []string{"--"}
	if standard {
		steps = []string{"PR", "CO"}
	}
	for _, step := range steps {
		if err := d.process(ctx, step); err != nil {
			return err
		}
	}
	return d.store(ctx)
}

// mayRun refuses a role that has no access to the process behind the document's
// actions.
func (d *document) mayRun(ctx context.Context) error {
	col, _ := d.Table.Column("DocAction")
	if col.ProcessID == 0 {
		return nil
	}
	if read, _, err := d.s.ProcessAccess(ctx, d.tx, col.ProcessID); err != nil || read {
		return err
	}
	process, err := OneRow(ctx, d.tx, "AD_Process", col.ProcessID)
	if err != nil {
		return err
	}
	return PublicError("You cannot access process [[" + orNull(process.String("Name")) + "]]")
}

// ActOn does the action of a workflow's node with a document, and returns what the
// document has to say to it.
func (s *Session) ActOn(ctx context.Context, tx *store.Tx, r *Record, action string) (string, error) {
	stored, err := r.Reread(ctx, tx)
	if err != nil {
		return "", err
	}
	d := s.newDocument(tx, r.Table, stored)
	if err := d.process(ctx, action); err != nil {
		return "", d.told(err)
	}
	message := ""
	if d.message != nil {
		message = *d.message
	}
	return message, d.store(ctx)
}

// process performs the action of a workflow's node, or, when the status does not
// allow that, the one the document is to have.
func (d *document) process(ctx context.Context, node string) error {
	wanted := d.Row.String("DocAction")
	possible := actionsIn(d.status())
	switch {
	case slices.Contains(possible, node):
		return d.perform(ctx, node)
	case slices.Contains(possible, wanted):
		return d.perform(ctx, wanted)
	case node == "--" || wanted == "--":
		return nil
	}
	return PublicError("Status=" + d.status() + " - Invalid Actions: Process=" + node + ", Doc=" + wanted)
}

package erptest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// saveChildTabs saves the arrays of a body that stand under the slugs of tabs right
// below. A row that names an existing record changes it. Children bring no
// children.
func (c *call) saveChildTabs(ctx context.Context, tx *store.Tx, tab *tabDef, r *engine.Record, body *wire.Object, depth int) (*wire.Object, error) {
	out := wire.NewObject()
	if depth > 0 {
		return out, nil
	}
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, child := range tab.window.tabs {
		v, _ := body.Get(child.slug)
		list, ok := v.([]any)
		if !ok || tab.window.child(tab, child.slug) != child || rd.readOnly(ctx, child) {
			continue
		}
		records := []*wire.Object{}
		for _, item := range list {
			row, ok := item.(*wire.Object)
			if !ok {
				continue
			}
			o, err := c.saveChildRow(ctx, tx, child, r, row, depth+1)
			if err != nil {
				return nil, err
			}
			records = append(records, o)
		}
		out.Set(child.slug, records)
	}
	return out, nil
}

func (c *call) saveChildRow(ctx context.Context, tx *store.Tx, child *tabDef, parent *engine.Record, body *wire.Object, depth int) (*wire.Object, error) {
	if !parent.IsNew() {
		row, err := c.loadChild(ctx, tx, child.table, body)
		if err != nil {
			return nil, err
		}
		if row != nil && engine.SameValue(row[child.link.Name], parent.Row[child.source.Name]) {
			return c.changeInTab(ctx, tx, child, row, body, depth)
		}
	}
	if !child.row.Bool("IsInsertRecord") {
		return nil, fail(http.StatusInternalServerError, "Save error", "")
	}
	return c.createInTab(ctx, tx, child, parent.Row, body, depth)
}

// saveFailed is how a tab reports that a record could not be saved: the message,
// without what follows it.
func saveFailed(err error) error {
	var odd *oddStatus
	var pg *pageError
	if errors.As(err, &odd) || errors.As(err, &pg) {
		return err
	}
	text := engine.PublicText(plainDetail(err))
	if strings.HasPrefix(text, engine.MsgFillMandatory) {
		text = engine.MsgFillMandatory
	} else if message, _, ok := strings.Cut(text, ": "); ok {
		text = message
	}
	if text == "" {
		return fail(http.StatusInternalServerError, "Save error", "")
	}
	return &errorTitle{title: "Save error", prefix: "Save error with exception: ", err: engine.WithCause(engine.PublicError(text), err)}
}

// serverFailed is how a tab reports a request it could not read.
func serverFailed(err error) error {
	return &errorTitle{title: "Server error", prefix: "Server error with exception: ", err: plainDetail(err)}
}

// actionFailed is how a tab reports a refused document action.
func actionFailed(err error) error {
	const title, prefix = "Can't perform document action", "Encounter exception during execution of document action: "
	var api *apiError
	if asAPI(err, &api) {
		return fail(http.StatusInternalServerError, title, prefix+api.detail)
	}
	return titled(title, prefix, err)
}

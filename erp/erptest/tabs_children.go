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

// childSlugs are the slugs of the tabs right below a tab under which a body has
// arrays.
func (t *tabDef) childSlugs(body *wire.Object) []string {
	var slugs []string
	for _, child := range t.window.tabs {
		if v, _ := body.Get(child.slug); engine.IsArray(v) && t.window.child(t, child.slug) == child {
			slugs = append(slugs, child.slug)
		}
	}
	return slugs
}

// childTab is the tab right below another one with that slug, nil when nobody changes
// records in it.
func (c *call) childTab(ctx context.Context, tx *store.Tx, parent *tabDef, slug string) (*shape, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	child := parent.window.child(parent, slug)
	if rd.readOnly(ctx, child) {
		return nil, nil
	}
	return child.shape(), nil
}

// saveChildRow saves a record below one of the tab above. It changes the record that
// the body names, if there is one.
func (c *call) saveChildRow(ctx context.Context, tx *store.Tx, s *shape, parent *engine.Record, body *wire.Object, at place) (*wire.Object, error) {
	if !parent.IsNew() {
		row, err := c.loadChild(ctx, tx, s.table, body)
		if err != nil {
			return nil, err
		}
		if row != nil && engine.SameValue(row[s.tab.link.Name], parent.Row[s.tab.source.Name]) {
			if err := c.mayChange(s.table, row); err != nil {
				return nil, err
			}
			return c.change(ctx, tx, s, row, body, at)
		}
	}
	if !s.tab.row.Bool("IsInsertRecord") {
		return nil, fail(http.StatusInternalServerError, "Save error", "")
	}
	return c.create(ctx, tx, s, parent.Row, body, at)
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

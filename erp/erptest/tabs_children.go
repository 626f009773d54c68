package erptest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// maxTabDepth bounds how deep children of views may bring children.
const maxTabDepth = 10

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

// saveFailed is how a tab reports that a record could not be saved: only the
// beginning of what the ERP has to say, nothing when it is about a key that is no
// number.
func saveFailed(err error) error {
	var odd *oddStatus
	var pg *pageError
	if errors.As(err, &odd) || errors.As(err, &pg) {
		return err
	}
	detail := plainDetail(err)
	for _, begin := range []string{engine.MsgFillMandatory, "Record already exists"} {
		if strings.HasPrefix(detail.Error(), begin) {
			detail = engine.PublicError(begin)
		}
	}
	return &errorTitle{title: "Save error", prefix: "Save error with exception: ", err: detail}
}

// readFailed is how a tab reports values that it could not read: with 500, but for
// texts where a number is needed, which fail only when they are saved.
func readFailed(body *wire.Object, tab *tabDef, err error) error {
	for _, name := range body.Names() {
		v, _ := body.Get(name)
		text, ok := v.(string)
		if !ok {
			continue
		}
		if col, known := tab.table.Column(name); known && col.IsLookup() && col.Kind() == store.KindInteger {
			if _, wrong := strconv.Atoi(text); wrong != nil {
				return fail(http.StatusInternalServerError, "Save error", "")
			}
		}
	}
	var pg *pageError
	if errors.As(err, &pg) {
		return err
	}
	return serverError(plainDetail(err))
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

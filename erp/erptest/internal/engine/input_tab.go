package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// TabInput is a new record of a tab of a window.
type TabInput struct {
	Table  *store.Table
	Fields []*store.Column // of the tab; only they have defaults
	Body   *wire.Object    // columns of fields, by their names
	Preset store.Row       // what the record above gives; it wins over the defaults
	// Window is what the window and the record above have to say in defaults, by
	// column.
	Window map[string]string
}

// ReadTab makes a new record of a tab: of its defaults and what the request gives.
// What the table's program sets comes when it is saved, see [Session.Construct].
// Changed is false if the request says nothing that the defaults do not.
func (s *Session) ReadTab(ctx context.Context, tx *store.Tx, in TabInput) (r *Record, changed bool, err error) {
	r = &Record{Table: in.Table, Row: store.Row{}, Body: in.Body}
	login := &loginContext{s: s, window: in.Window}
	vars := Variables{Session: s, Record: r, login: login}
	for _, col := range in.Fields {
		if err := s.setDefault(ctx, tx, vars, col); err != nil {
			return nil, false, err
		}
	}
	r.SetAll(in.Preset)
	r.refused = nil
	before := maps.Clone(r.Row)
	if err := s.setMembers(ctx, tx, r); err != nil {
		return nil, false, err
	}
	r.SetAll(in.Preset)
	return r, len(r.refused) > 0 || !maps.EqualFunc(before, r.Row, SameValue), nil
}

// Construct gives a record of a tab what its table's program sets where it has no
// value.
func (s *Session) Construct(ctx context.Context, tx *store.Tx, r *Record) error {
	return s.construct(ctx, tx, r)
}

// CallOut lets the record's table fill in what goes with the values it has, as
// windows do for people. What it has against them does not count yet.
func (s *Session) CallOut(ctx context.Context, tx *store.Tx, r *Record) error {
	rules := rulesOf(r.Table)
	if rules.callout == nil || !r.IsNew() {
		return nil
	}
	row := maps.Clone(r.Row)
	if err := tx.Savepoint(ctx, func() error { return rules.callout(ctx, s, tx, r) }); err != nil {
		r.Row = row
		return ctx.Err()
	}
	return nil
}

// Incomplete reports whether a mandatory column among those of a tab has no value.
func (r *Record) Incomplete(fields []*store.Column) bool {
	return slices.ContainsFunc(fields, func(col *store.Column) bool {
		return col.Mandatory && !mandatoryExempt(r.Table, col) && r.Row.String(col.Name) == ""
	})
}

// Refused is the message about the first of the columns that did not take their
// value, "" for one that is of the wrong kind; ok is false if all took theirs.
func (r *Record) Refused() (message string, ok bool) {
	for _, col := range r.Table.Columns {
		if refused, found := r.refused[col.Name]; found && refused.message != "FillMandatory" {
			if refused.message == "WrongDataType" {
				return "", true
			}
			return refused.message, true
		}
	}
	r.refused = nil
	return "", false
}

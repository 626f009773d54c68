package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// tableTarget is a table, and what of it is asked about.
type tableTarget struct {
	name   string
	id     int64
	active bool
	view   bool
	level  string
	column *columnTarget
	record *recordTarget
}

type columnTarget struct {
	name                                  string
	id                                    int64
	active, updateable, secure, encrypted bool
}

func (x *explainer) table(ctx context.Context, q Question) (*target, error) {
	rec, err := x.one(ctx, "table", "AD_Table", q.Table, []string{"TableName"}, "AccessLevel", "IsView")
	if err != nil {
		return nil, err
	}
	t := &tableTarget{name: text(rec, "TableName"), id: key(rec), active: is(rec, "IsActive"), view: is(rec, "IsView")}
	t.level, _ = rec.Code("AccessLevel")
	words := "table " + t.name
	if q.Column != "" {
		if strings.ContainsRune(q.Column, '\'') {
			return nil, asked("%q is not a name of a column", q.Column)
		}
		rows, ok, err := x.rows(ctx, "AD_Column", erp.And(erp.Eq("AD_Table_ID", t.id), erp.Eq(erp.ToLower("ColumnName"), strings.ToLower(strings.TrimSpace(q.Column)))),
			"ColumnName", "IsUpdateable", "IsSecure", "IsEncrypted")
		if err != nil {
			return nil, err
		}
		if !ok || len(rows) == 0 {
			return nil, asked("there is no column %q in %s, or the caller may not see it", q.Column, t.name)
		}
		t.column = &columnTarget{text(rows[0], "ColumnName"), key(rows[0]), is(rows[0], "IsActive"), is(rows[0], "IsUpdateable"), is(rows[0], "IsSecure"), is(rows[0], "IsEncrypted")}
		words += ", column " + t.column.name
	}
	if q.Record != "" {
		if t.record, err = x.record(ctx, t, q.Record); err != nil {
			return nil, err
		}
		words += ", record " + t.record.id
	}
	return &target{words, t.explain}, nil
}

func (t *tableTarget) explain(ctx context.Context, x *explainer, r *role) error {
	if !t.active {
		r.because(Denies, fmt.Sprintf("the table %s is deactivated, for everybody", t.name), record("AD_Table", t.id), "activate the table")
	}
	if t.view {
		r.because(ReadOnly, t.name+" is a view: nobody writes to it", record("AD_Table", t.id), "")
	}
	if !writes(t.level, r) {
		r.because(ReadOnly, fmt.Sprintf("%s has the data access level %s, which a role of user level %s reads and does not write", t.name, accessLevels[t.level], r.levelName()), record("AD_Role", r.id), "use a role with a fitting user level")
	}
	if err := t.limits(ctx, x, r); err != nil {
		return err
	}
	if t.column != nil {
		if err := t.column.explain(ctx, x, r, t); err != nil {
			return err
		}
	}
	if t.record != nil {
		return t.record.explain(ctx, x, r, t)
	}
	if !slices.ContainsFunc(r.reasons, func(x Reason) bool { return x.Effect != Limits }) {
		r.because(Allows, "nothing in the permission tables keeps "+r.of(r.id)+" from the table; tenant, organization and record rules decide about single records", "", "")
	}
	return nil
}

// limits looks at the rules about tables, and at what keeps some of the table's records
// from the role.
func (t *tableTarget) limits(ctx context.Context, x *explainer, r *role) error {
	tables, ok, err := x.tableRules(ctx, r)
	if err != nil {
		return err
	}
	if !ok {
		r.unknown("AD_Table_Access", "access to the table")
	}
	ruledTable(r, tables, t.id, t.name)
	if t.record != nil {
		return nil // its own rules are looked at one by one
	}
	s := &Scope{role: *r, names: map[int64]string{}}
	if err := s.load(ctx, x); err != nil {
		return err
	}
	s.tables = nil // said above
	for _, l := range s.Limits(Table{ID: t.id, Name: t.name, AccessLevel: t.level, View: t.view}) {
		r.reasons = append(r.reasons, l.Reason)
	}
	return nil
}

func (c *columnTarget) explain(ctx context.Context, x *explainer, r *role, t *tableTarget) error {
	name := record("AD_Column", c.id)
	switch {
	case !c.active:
		r.because(Denies, fmt.Sprintf("the column %s is deactivated, for everybody", c.name), name, "activate the column")
	case c.secure || c.encrypted:
		r.because(Denies, fmt.Sprintf("the column %s holds secrets: REST and queries show it to nobody", c.name), name, "")
	case !c.updateable:
		r.because(ReadOnly, fmt.Sprintf("the column %s is not updateable: it is set when the record is created, and not changed", c.name), name, "")
	}
	const from = "AD_Column_Access"
	rules, _, ok, err := x.rules(ctx, from, r, erp.Eq("AD_Table_ID", t.id))
	if err != nil {
		return err
	}
	if !ok {
		r.unknown(from, "access to the column")
	}
	decided(r, rules, func(n *rule) bool { return n.about == c.id }, "the column "+c.name, fmt.Sprintf("columns of %s it may use, and %s is not in it", t.name, c.name), "Column Access")
	return nil
}

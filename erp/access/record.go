package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// recordTarget is one record as the caller sees it.
type recordTarget struct {
	id          string
	number      int64
	client, org int64
	rec         erp.Record
}

func (x *explainer) record(ctx context.Context, t *tableTarget, id string) (*recordTarget, error) {
	parsed, err := erp.ParseID(id)
	if err != nil {
		return nil, asked("%q is neither the number nor the UUID of a record", id)
	}
	rec, err := x.client.Get(ctx, t.name, parsed, nil)
	switch {
	case errors.Is(err, erp.ErrNotFound), errors.Is(err, erp.ErrForbidden):
		return nil, asked("there is no record %s in %s, or the caller may not see it", id, t.name)
	case err != nil:
		return nil, fmt.Errorf("reading the record: %w", err)
	}
	out := &recordTarget{id: id, number: key(rec), rec: rec}
	out.client, _ = number(rec, "AD_Client_ID")
	out.org, _ = number(rec, "AD_Org_ID")
	return out, nil
}

func (t *recordTarget) explain(ctx context.Context, x *explainer, r *role, in *tableTarget) error {
	t.tenant(r)
	if err := t.organization(ctx, x, r); err != nil {
		return err
	}
	if err := t.rules(ctx, x, r, in); err != nil {
		return err
	}
	if err := t.locks(ctx, x, r, in); err != nil {
		return err
	}
	if !is(t.rec, "IsActive") {
		r.because(Allows, "the record is deactivated: most windows and lists do not show it", record(in.name, t.number), "activate the record")
	}
	if is(t.rec, "Processed") {
		r.because(ReadOnly, "the record is processed: what is left to change are columns that are always updateable", record(in.name, t.number), "reverse or reactivate the document first")
	}
	if len(r.reasons) == 0 {
		r.because(Allows, "nothing in the permission tables keeps "+r.of(r.id)+" from the record", "", "")
	}
	return nil
}

// tenant is the rule of tenants, which no permission overrides.
func (t *recordTarget) tenant(r *role) {
	switch {
	case t.client == r.client:
	case t.client == 0:
		r.because(ReadOnly, "the record belongs to System: other tenants read it", "", "change it with a role of System")
	default:
		r.because(Denies, fmt.Sprintf("the record belongs to tenant %s, and role %s to another", text(t.rec, "AD_Client_ID"), r.name), record("AD_Role", r.id), "use a role of that tenant")
	}
}

// organization looks for the organization among those of the role, or of the user.
func (t *recordTarget) organization(ctx context.Context, x *explainer, r *role) error {
	if t.client != r.client {
		return nil // decided
	}
	writers := "SO"
	if t.org == 0 {
		writers = "SCO"
	}
	if !r.has(writers) {
		r.because(ReadOnly, fmt.Sprintf("the record belongs to organization %s, which a role of user level %s does not write", orgName(t.rec), r.levelName()), record("AD_Role", r.id), "use a role with a fitting user level")
	}
	if r.allOrgs {
		return nil
	}
	table, tab := r.orgTable()
	if r.userOrgs && r.user == 0 {
		r.because(Undecided, "the organizations of role "+r.name+" are those of the user: name a user", record("AD_Role", r.id), "")
		return nil
	}
	orgs, ok, err := x.organizations(ctx, r)
	if err != nil {
		return err
	}
	if !ok {
		r.unknown(table, "access to the organization")
		return nil
	}
	var listed []string
	for _, o := range orgs {
		listed = append(listed, o.Name)
		if o.ID != t.org {
			continue
		}
		if o.ReadOnly {
			r.because(ReadOnly, fmt.Sprintf("organization %s is read only for role %s", orgName(t.rec), r.name), fmt.Sprintf("%s of organization %d", table, o.ID), "clear Read Only in "+tab)
		}
		return nil
	}
	effect := Denies
	if t.org == 0 {
		effect = ReadOnly // everybody reads what belongs to all organizations
	}
	r.because(effect, fmt.Sprintf("organization %s is not among those of role %s: %s (a summary organization also gives those below it in its tree)", orgName(t.rec), r.name, strings.Join(listed, ", ")), "", "add the organization in "+tab)
	return nil
}

func orgName(rec erp.Record) string {
	if name := text(rec, "AD_Org_ID"); name != "" {
		return name
	}
	org, _ := number(rec, "AD_Org_ID")
	return fmt.Sprint(org)
}

// rules are those of AD_Record_Access: about the record, and dependent ones about
// records that it points to. They are conditions of the statements by which the ERP
// reads, where what a rule excludes is hidden even if the rule is marked Read Only.
func (t *recordTarget) rules(ctx context.Context, x *explainer, r *role, in *tableTarget) error {
	rules, others, ok, err := x.rules(ctx, "AD_Record_Access", r, erp.Filter{})
	if err != nil {
		return err
	}
	if !ok {
		r.unknown("AD_Record_Access", "access to the record")
	}
	var includes []*rule
	for _, n := range rules {
		switch what := "the record"; {
		case n.table != in.id:
		case !n.exclude:
			includes = append(includes, n)
		case n.about == t.number:
			if n.readOnly {
				what += "; that the rule is marked Read Only does not let it be read"
			}
			r.because(Denies, fmt.Sprintf("a rule of %s excludes %s", r.of(n.role), what), n.name, "change the rule in window Role Data Access, tab Record Access")
		}
	}
	decided(r, includes, func(n *rule) bool { return n.about == t.number }, "the record", fmt.Sprintf("records of %s it may use, and this one is not in it", in.name), "Record Access")
	return cmp.Or(t.dependent(ctx, x, r, in, others), t.rowRules(ctx, x, r, in))
}

// rowRules are the conditions of the table (AD_TableValRule). The ERP puts them into
// the statement that reads records; here somebody else has to say whether the record
// meets them.
func (t *recordTarget) rowRules(ctx context.Context, x *explainer, r *role, in *tableTarget) error {
	rules, ok, err := x.rowRules(ctx, r)
	if err != nil {
		return err
	}
	if !ok {
		r.unknown("AD_TableValRule", "whether a rule of the table hides the record")
	}
	if _, numbered := t.rec.ID().Int(); !numbered || !keyed(Table{Name: in.name, View: in.view}) {
		return nil
	}
	for _, rule := range rules {
		if table, _ := number(rule, "AD_Table_ID"); table != in.id {
			continue
		}
		condition, known := forRole(r, text(rule, "Code"))
		met, what := false, text(rule, "Description")
		if known = known && x.asked.Meets != nil; known {
			if met, err = x.asked.Meets(ctx, in.name, t.rec, condition); err != nil {
				known, what = false, fmt.Sprintf("%s (%v)", what, err)
			}
		}
		switch {
		case !known:
			r.because(Undecided, fmt.Sprintf("a rule of the table decides which records of %s role %s sees, and what it decides about this one is not known: %s", in.name, r.name, what), rowRuleName(rule), "")
		case !met:
			r.because(Denies, fmt.Sprintf("a rule of the table hides the record from role %s: %s", r.name, what), rowRuleName(rule), "change the rule in window Table Validation Rule")
		}
	}
	return nil
}

// dependent applies rules about records of tables to those that point to them, table by
// table. As in the ERP the rules of one table are not forgotten at the next.
func (t *recordTarget) dependent(ctx context.Context, x *explainer, r *role, in *tableTarget, rules []*rule) error {
	if len(rules) == 0 {
		return nil
	}
	var ids []int64
	for _, n := range rules {
		ids = append(ids, n.table)
	}
	tables, _, err := x.rows(ctx, "AD_Table", erp.In("AD_Table_ID", slices.Compact(slices.Sorted(slices.Values(ids)))...), "TableName")
	names, columns := map[int64]string{}, []string{}
	for _, table := range tables {
		names[key(table)] = text(table, "TableName")
		columns = append(columns, pointing(names[key(table)], in.name))
	}
	if err != nil || len(columns) == 0 {
		return err
	}
	there, _, err := x.rows(ctx, "AD_Column", erp.And(erp.Eq("AD_Table_ID", in.id), erp.In("ColumnName", columns...)), "ColumnName", "ColumnSQL")
	if len(there) == 0 && err == nil { // there is none, or the caller does not see any
		var seen bool
		if seen, err = x.sees(ctx, "AD_Column"); err == nil && !seen {
			r.unknown("AD_Column", "whether a rule about a record that this one points to hides it")
		}
	}
	rules = slices.DeleteFunc(rules, func(n *rule) bool {
		return !slices.ContainsFunc(there, func(c erp.Record) bool {
			return text(c, "ColumnName") == pointing(names[n.table], in.name) && text(c, "ColumnSQL") == ""
		})
	})
	for i, n := range rules {
		if i == len(rules)-1 || rules[i+1].table != n.table {
			t.pointed(r, pointing(names[n.table], in.name), in, names, rules[:i+1])
		}
	}
	return err
}

// pointed applies rules to the record of a table that the record points to. With one that
// includes a record, those that exclude one do not count.
func (t *recordTarget) pointed(r *role, column string, in *tableTarget, names map[int64]string, rules []*rule) {
	points, ok := number(t.rec, column)
	if column == in.name+"_ID" {
		points, ok = t.number, true
	}
	include := slices.IndexFunc(rules, func(n *rule) bool { return !n.exclude })
	about := slices.IndexFunc(rules, func(n *rule) bool { return ok && n.about == points && n.exclude == (include < 0) })
	by, here := max(include, about), "this one points to none"
	if include < 0 && about < 0 || include >= 0 && about >= 0 {
		return
	}
	if ok {
		here = fmt.Sprintf("%s of this one is %d", column, points)
	}
	r.because(Denies, fmt.Sprintf("a rule about record %d of %s counts for records that point to it, and %s", rules[by].about, names[rules[by].table], here), rules[by].name, "change the rule, or clear Dependent Entities, in window Role Data Access, tab Record Access")
}

// locks are records that other users keep to themselves.
func (t *recordTarget) locks(ctx context.Context, x *explainer, r *role, in *tableTarget) error {
	if r.personal {
		return nil
	}
	const locks = "AD_Private_Access"
	rows, ok, err := x.rows(ctx, locks, erp.And(erp.Eq("AD_Table_ID", in.id), erp.Eq("Record_ID", t.number), erp.Eq("IsActive", true)), "AD_User_ID")
	if err != nil {
		return err
	}
	if !ok {
		r.unknown(locks, "whether somebody locked the record")
		return nil
	}
	for _, row := range rows {
		if owner, _ := number(row, "AD_User_ID"); owner != r.user {
			r.because(Denies, fmt.Sprintf("the record is locked by user %s", text(row, "AD_User_ID")), fmt.Sprintf("%s of user %d, table %d and record %d", locks, owner, in.id, t.number), "have that user unlock it, or set Personal Access in window Role")
		}
	}
	return nil
}

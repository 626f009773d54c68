package access

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/rolemerge"
)

// rule is a row of AD_Table_Access, AD_Column_Access or AD_Record_Access.
type rule struct {
	name               string // the record in words
	role, table, about int64  // about: the column or record; 0: the table
	kind               string // AccessTypeRule

	exclude, readOnly bool
}

// ruleColumns are what rules of a table are made of, besides role and table.
var ruleColumns = map[string][]string{
	"AD_Table_Access":  {"AccessTypeRule"},
	"AD_Column_Access": {"AD_Column_ID"},
	"AD_Record_Access": {"Record_ID", "IsDependentEntities"},
}

// inclusion is a role that another one includes.
type inclusion struct {
	id, seq  int64
	includes []inclusion
}

// rules are the active rules in a table of a role and of those that it includes, merged;
// those that count for what points to a record once more by themselves, as in the ERP.
func (x *explainer) rules(ctx context.Context, from string, r *role, more erp.Filter) (all, dependent []*rule, ok bool, err error) {
	filter := erp.And(erp.In("AD_Role_ID", r.ids()...), erp.Eq("IsActive", true), more)
	rows, ok, err := x.all(ctx, from, filter, append([]string{"AD_Role_ID", "AD_Table_ID", "IsExclude", "IsReadOnly"}, ruleColumns[from]...)...)
	own, others := map[int64][]*rule{}, map[int64][]*rule{}
	for _, row := range rows {
		n := &rule{exclude: is(row, "IsExclude"), readOnly: is(row, "IsReadOnly")}
		n.role, _ = number(row, "AD_Role_ID")
		n.table, _ = number(row, "AD_Table_ID")
		n.kind, _ = row.Code("AccessTypeRule")
		n.name = fmt.Sprintf("%s of role %d and table %d", from, n.role, n.table)
		if column, is := number(row, "AD_Column_ID"); is {
			n.about, n.name = column, fmt.Sprintf("%s of role %d and column %d", from, n.role, column)
		} else if record, is := number(row, "Record_ID"); is {
			n.about, n.name = record, fmt.Sprintf("%s of role %d, table %d and record %d", from, n.role, n.table, record)
		}
		if own[n.role] = append(own[n.role], n); is(row, "IsDependentEntities") {
			others[n.role] = append(others[n.role], n)
		}
	}
	for _, list := range others {
		slices.SortStableFunc(list, func(a, b *rule) int { return cmp.Compare(a.table, b.table) })
	}
	all = merged(own, r.id, r.includes, sameThing, relaxed)
	return all, merged(others, r.id, r.includes, sameThing, relaxed), ok, err
}

// merged is what a role has itself, with what the roles have that it includes.
func merged[R any](own map[int64][]R, id int64, includes []inclusion, same func(a, b R) bool, relaxed func(old *R, n R)) []R {
	var all []R
	last := int64(-1)
	for _, i := range includes {
		relax := relaxed
		if !rolemerge.Relaxes(last, i.seq) {
			relax = nil
		}
		all, last = rolemerge.Rules(all, merged(own, i.id, i.includes, same, relaxed), same, relax), i.seq
	}
	return rolemerge.Rules(own[id], all, same, nil)
}

func sameThing(a, b *rule) bool { return a.table == b.table && a.about == b.about }

// relaxed is how the ERP relaxes a rule; one about a table keeps its Read Only.
func relaxed(old **rule, n *rule) {
	(*old).exclude = (*old).exclude && n.exclude
	(*old).readOnly = (*old).readOnly && (n.readOnly || n.kind != "")
}

// decided adds what rules say of one thing: the rule about it decides; where there is
// none, one that includes another thing of the kind makes a list of what is allowed.
func decided(r *role, rules []*rule, about func(*rule) bool, what, list, tab string) {
	fix, including := "change the rule in window Role Data Access, tab "+tab, -1
	for i, n := range rules {
		if !about(n) {
			if !n.exclude && including < 0 {
				including = i
			}
			continue
		}
		switch {
		case n.exclude && !n.readOnly:
			r.because(Denies, fmt.Sprintf("a rule of %s excludes %s", r.of(n.role), what), n.name, fix)
		case n.readOnly:
			r.because(ReadOnly, fmt.Sprintf("a rule of %s lets %s be read only", r.of(n.role), what), n.name, fix)
		default:
			r.because(Allows, fmt.Sprintf("a rule of %s includes %s", r.of(n.role), what), n.name, "")
		}
		return
	}
	if including >= 0 {
		n := rules[including]
		r.because(Denies, fmt.Sprintf("%s has a list of %s", r.of(n.role), list), n.name,
			fmt.Sprintf("add the %s in window Role Data Access, tab %s", strings.ToLower(strings.TrimSuffix(tab, " Access")), tab))
	}
}

package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Organization is one that a role, or a user, has.
type Organization struct {
	ID       int64
	Name     string
	ReadOnly bool
}

// orgTable is where the organizations of a role stand, and the tab that shows them.
func (r *role) orgTable() (table, tab string) {
	if r.userOrgs {
		return "AD_User_OrgAccess", "window User, tab Org Access"
	}
	return "AD_Role_OrgAccess", "window Role, tab Org Access"
}

// organizations are those of a role, or of the user where the role says so.
func (x *explainer) organizations(ctx context.Context, r *role) ([]Organization, bool, error) {
	if r.allOrgs {
		return nil, true, nil
	}
	table, _ := r.orgTable()
	filter, columns := erp.In("AD_Role_ID", r.ids()...), []string{"AD_Org_ID", "IsReadOnly", "AD_Role_ID"}
	if r.userOrgs {
		filter, columns = erp.Eq("AD_User_ID", r.user), columns[:2]
	}
	rows, ok, err := x.all(ctx, table, filter.And(erp.Eq("IsActive", true)), columns...)
	if err != nil || !ok {
		return nil, ok, err
	}
	own := map[int64][]Organization{}
	var nameless []int64
	for _, row := range rows {
		of, _ := number(row, "AD_Role_ID")
		id, _ := number(row, "AD_Org_ID")
		o := Organization{id, text(row, "AD_Org_ID"), is(row, "IsReadOnly")}
		if o.Name == "" {
			nameless = append(nameless, id)
		}
		own[of] = append(own[of], o)
	}
	orgs := own[0] // of the user
	if !r.userOrgs {
		orgs = merged(own, r.id, r.includes, func(a, b Organization) bool { return a.ID == b.ID }, func(old *Organization, n Organization) { old.ReadOnly = old.ReadOnly && n.ReadOnly })
	}
	if len(nameless) == 0 {
		return orgs, true, nil
	}
	named, _, err := x.rows(ctx, "AD_Org", erp.In("AD_Org_ID", nameless...), "Name")
	for i, o := range orgs {
		orgs[i].Name = strconv.FormatInt(o.ID, 10)
		for _, row := range named {
			if key(row) == o.ID {
				orgs[i].Name, _ = row.Text("Name")
			}
		}
	}
	return orgs, true, err
}

// tableRules are those that decide about reading and writing tables.
func (x *explainer) tableRules(ctx context.Context, r *role) ([]*rule, bool, error) {
	rules, _, ok, err := x.rules(ctx, "AD_Table_Access", r, erp.Filter{})
	return slices.DeleteFunc(rules, func(n *rule) bool { return n.kind != "A" }), ok, err
}

// rowRules are the conditions under which the role, or its user, sees records of
// tables.
func (x *explainer) rowRules(ctx context.Context, r *role) ([]erp.Record, bool, error) {
	rows, ok, err := x.all(ctx, "AD_TableValRule", erp.And(erp.In("AD_Client_ID", 0, r.client), erp.Eq("IsActive", true)), "AD_Table_ID", "AD_Role_ID", "AD_User_ID", "Description", "Code")
	return slices.DeleteFunc(rows, func(row erp.Record) bool {
		role, ofRole := number(row, "AD_Role_ID")
		user, ofUser := number(row, "AD_User_ID")
		return ofRole && role != r.id || ofUser && user != r.user
	}), ok, err
}

// locked are the tables of which other users keep records to themselves.
func (x *explainer) locked(ctx context.Context, r *role) (map[int64]bool, error) {
	if r.personal {
		return nil, nil
	}
	locks, _, err := x.all(ctx, "AD_Private_Access", erp.And(erp.Neq("AD_User_ID", r.user), erp.Eq("IsActive", true)), "AD_Table_ID")
	tables := map[int64]bool{}
	for _, lock := range locks {
		table, _ := number(lock, "AD_Table_ID")
		tables[table] = true
	}
	return tables, err
}

// ruledTable adds what the rules about tables say of one.
func ruledTable(r *role, rules []*rule, table int64, name string) {
	decided(r, rules, func(n *rule) bool { return n.table == table }, "the table "+name,
		fmt.Sprintf("tables it may use, and %s is not in it (unless the setting READ_TABLES_NOT_IN_TABLE_ACCESS_INCLUDE_LIST lets it be read)", name), "Table Access")
}

// rowLimit adds that a condition of the table decides about its records.
func rowLimit(r *role, table string, rule erp.Record) {
	what := text(rule, "Description")
	if what == "" {
		what = text(rule, "Code")
	}
	r.because(Limits, fmt.Sprintf("a rule of the table decides which records of %s role %s sees: %s", table, r.name, what), rowRuleName(rule), "change the rule in window Table Validation Rule")
}

func rowRuleName(rule erp.Record) string {
	return "AD_TableValRule " + rule.UUID()
}

var sessionVariable = lazyregexp.New(`@([^@]*)@`)

// forRole is the condition of a rule with what the ERP knows of a session in the place
// of its variables; false where it needs what is not known without a log-in.
func forRole(r *role, code string) (string, bool) {
	values := map[string]int64{"AD_CLIENT_ID": r.client, "AD_ROLE_ID": r.id}
	if r.user != 0 {
		values["AD_USER_ID"] = r.user
	}
	known := true
	out := sessionVariable().ReplaceAllStringFunc(code, func(variable string) string {
		value, ok := values[strings.ToUpper(strings.TrimLeft(strings.Trim(variable, "@"), "#$"))]
		known = known && ok
		return strconv.FormatInt(value, 10)
	})
	return out, known
}

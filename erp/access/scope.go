package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
)

// Scope is the part of the data that the rules of one role let its users read. It
// depends on the rules alone, never on the records they are about, and does not change.
type Scope struct {
	Role             string
	Tenant           string
	UserLevel        string // letters of S System, C Client, O Organization
	AllOrganizations bool
	Organizations    []Organization // none where it has all
	// Unread are tables of the role administration that the caller may not read:
	// rules in them are not in the scope.
	Unread []string

	role               role
	orgsRead           bool
	tables             []*rule
	records, dependent []*rule        // AD_Record_Access
	rows               []erp.Record   // AD_TableValRule
	locked             map[int64]bool // tables of which other users keep records to themselves
	names              map[int64]string
}

// Table is a table whose records are counted or searched.
type Table struct {
	ID          int64
	Name        string
	AccessLevel string // the digit of AD_Table.AccessLevel
	View        bool
	// HasColumn reports whether the table has a column; nil: nothing is known of them.
	HasColumn func(name string) bool
}

// Limit is a rule that keeps records of a table, or all of them, from a role.
type Limit struct {
	Reason
	Kind  LimitKind
	Short string // the same in a few words, such as "organization HQ"
}

// LimitKind is the criterion of a limit.
type LimitKind string

// The kinds of limits.
const (
	ByTable        LimitKind = "table"        // the role may not read the table
	ByTenant       LimitKind = "tenant"       // a role of System
	ByOrganization LimitKind = "organization" // of the role
	ByRecord       LimitKind = "record"       // rules about single records
	ByRow          LimitKind = "row"          // a condition of the table
)

// LoadScope reads the rules of a role, for one of its users or with 0 for nobody in
// particular, with some ten requests. What the caller may not read is in
// Scope.Unread; the error is that of the connection.
func LoadScope(ctx context.Context, client *erp.Client, roleID, userID int64) (*Scope, error) {
	x := newExplainer(client)
	s := &Scope{names: map[int64]string{}}
	found, ok, err := x.rows(ctx, "AD_Role", erp.Eq("AD_Role_ID", roleID), append(roleColumns, "Name")...)
	if err != nil {
		return nil, err
	}
	if !ok || len(found) == 0 {
		s.Unread = []string{"AD_Role"}
		return s, nil
	}
	if s.role, err = x.load(ctx, found[0], userID); err != nil {
		return nil, err
	}
	s.Role, s.UserLevel, s.AllOrganizations = s.role.name, s.role.level, s.role.allOrgs
	tenant, _, err := x.rows(ctx, "AD_Client", erp.Eq("AD_Client_ID", s.role.client), "Name")
	if err != nil {
		return nil, err
	}
	if len(tenant) > 0 {
		s.Tenant, _ = tenant[0].Text("Name")
	}
	if err := s.load(ctx, x); err != nil {
		return nil, err
	}
	s.Unread = x.unread
	return s, nil
}

// load reads the rules of the role.
func (s *Scope) load(ctx context.Context, x *explainer) (err error) {
	if s.Organizations, s.orgsRead, err = x.organizations(ctx, &s.role); err != nil {
		return err
	}
	if s.tables, _, err = x.tableRules(ctx, &s.role); err != nil {
		return err
	}
	if s.records, s.dependent, _, err = x.rules(ctx, "AD_Record_Access", &s.role, erp.Filter{}); err != nil {
		return err
	}
	if s.rows, _, err = x.rowRules(ctx, &s.role); err != nil {
		return err
	}
	if err := s.nameTables(ctx, x); err != nil {
		return err
	}
	s.locked, err = x.locked(ctx, &s.role)
	return err
}

// nameTables finds the names of tables whose record rules count for others.
func (s *Scope) nameTables(ctx context.Context, x *explainer) error {
	var ids []int64
	for _, n := range s.dependent {
		if !slices.Contains(ids, n.table) {
			ids = append(ids, n.table)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	tables, _, err := x.rows(ctx, "AD_Table", erp.In("AD_Table_ID", ids...), "TableName")
	for _, t := range tables {
		s.names[key(t)] = text(t, "TableName")
	}
	return err
}

// Limits are the rules that keep records of a table from the role, those that keep
// all of them first. None: the role sees all records of its tenant.
func (s *Scope) Limits(t Table) []Limit {
	if s.role.name == "" {
		return nil
	}
	r := s.role
	var all []Limit
	add := func(kind LimitKind, short string) {
		for _, reason := range r.reasons {
			all = append(all, Limit{reason, kind, short})
		}
		r.reasons = nil
	}
	r.reasons = nil
	s.tableLimits(&r, t)
	if add(ByTable, "nothing of "+t.Name); len(all) > 0 {
		return all
	}
	if r.client == 0 {
		systemLimit(&r, t)
		add(ByTenant, "tenant System")
	}
	if organizational(t.AccessLevel) && !r.allOrgs && r.client != 0 && s.orgsRead {
		var names []string
		for _, o := range s.Organizations {
			if o.ID != 0 { // which everybody reads
				names = append(names, o.Name)
			}
		}
		orgLimit(&r, names)
		add(ByOrganization, shortOrgs(names))
	}
	s.recordLimits(&r, t)
	add(ByRecord, "records of "+t.Name+" by rules")
	if s.locked[t.ID] && keyed(t) {
		r.because(Limits, "other users keep records of "+t.Name+" to themselves", "AD_Private_Access", "set Personal Access in window Role")
		add(ByRecord, "records of "+t.Name+" that others keep to themselves")
	}
	s.rowLimits(&r, t)
	add(ByRow, "records of "+t.Name+" by a rule")
	return all
}

// rowLimits adds the conditions of the table.
func (s *Scope) rowLimits(r *role, t Table) {
	for _, rule := range s.rows {
		if id, _ := number(rule, "AD_Table_ID"); id == t.ID && keyed(t) {
			rowLimit(r, t.Name, rule)
		}
	}
}

// keyed reports whether rules about records count for a table: not where it has no
// column to know them by.
func keyed(t Table) bool {
	return !t.View && !strings.HasSuffix(strings.ToUpper(t.Name), "_TRL") && (t.HasColumn == nil || t.HasColumn(t.Name+"_ID"))
}

// organizational reports whether records of a table with an access level belong to
// organizations.
func organizational(level string) bool { return level == "1" || level == "3" || level == "7" }

// tableLimits adds what keeps the whole table from the role.
func (s *Scope) tableLimits(r *role, t Table) {
	if t.View {
		return // the ERP does not look at rules of views
	}
	ruledTable(r, s.tables, t.ID, t.Name)
	r.reasons = slices.DeleteFunc(r.reasons, func(x Reason) bool { return x.Effect != Denies })
}

// systemLimit is the rule of tenants for a role of System, which sees no records of
// others.
func systemLimit(r *role, t Table) {
	sees := fmt.Sprintf("role %s sees records of the tenant System only", r.name)
	switch t.AccessLevel {
	case "1", "2", "3":
		sees += fmt.Sprintf(", and those of %s belong to other tenants", t.Name)
	case "4":
		return
	}
	r.because(Limits, sees, record("AD_Role", r.id), "use a role of the tenant")
}

func orgLimit(r *role, names []string) {
	r.because(Limits, fmt.Sprintf("role %s sees records of these organizations only, and of *: %s", r.name, strings.Join(names, ", ")), "", "")
}

// mostNames is how many organizations are named in short.
const mostNames = 3

func shortOrgs(names []string) string {
	switch {
	case len(names) == 0:
		return "organization *"
	case len(names) == 1:
		return "organization " + names[0]
	case len(names) <= mostNames:
		return "organizations " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d organizations", len(names))
}

// recordLimits adds that there are rules about single records of the table, or about
// records that those of the table point to.
func (s *Scope) recordLimits(r *role, t Table) {
	said := map[string]bool{}
	say := func(n *rule, what string) {
		if text := fmt.Sprintf("a rule of %s %s", r.of(n.role), what); !said[text] {
			said[text] = true
			r.because(Limits, text, fmt.Sprintf("AD_Record_Access of role %d", n.role), "change the rule in window Role Data Access, tab Record Access")
		}
	}
	for _, n := range s.records {
		switch {
		case n.table != t.ID || !keyed(t):
		case n.exclude:
			say(n, "excludes records of "+t.Name)
		default:
			say(n, "lists the records of "+t.Name+" that it sees")
		}
	}
	for _, n := range s.dependent {
		if of := s.names[n.table]; of != "" && n.table != t.ID && t.HasColumn != nil && t.HasColumn(pointing(of, t.Name)) {
			say(n, fmt.Sprintf("about records of %s counts for records of %s that point to them", of, t.Name))
		}
	}
}

// pointing is the column by which the ERP takes records of a table in as dependent on
// those of another.
func pointing(table, in string) string {
	switch { // as the ERP does it
	case table == "AD_User" && in != table:
		return "SalesRep_ID"
	case table == "C_ElementValue":
		return "Account_ID"
	}
	return table + "_ID"
}

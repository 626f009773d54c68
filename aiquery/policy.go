package aiquery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// Policy is what one user may read under one role. It does not change.
type Policy struct {
	// Guard is the part that statements are secured with.
	Guard *guard.Policy
	// MaxRows is the role's own limit (MaxQueryRecords), 0 none.
	MaxRows int

	permissions *permissions
	dict        *dictionary
	made        *policyBuilder // for what metadata may tell; it changes no more
	until       time.Time      // it is made anew afterwards
}

// policyBuilder makes one policy.
type policyBuilder struct {
	r    *permissions
	d    *dictionary
	opts *Options
	p    *guard.Policy

	tables     map[int64]tableRule // type A, by AD_Table_ID
	included   bool                // some table is included by rule
	columns    map[int64][]columnRule
	records    map[int64][]*recordRule
	dependents []dependent
}

// dependent is a condition on every table that refers to another.
type dependent struct {
	table int64
	// columns are the physical names that refer to it. The ERP looks at the last
	// one alone.
	columns []string
	include []int64
	exclude []int64
}

// harmlessFunctions are scalar functions of the ERP that read no tables.
var harmlessFunctions = []string{"nvl", "charat", "adddays", "daysbetween", "firstof", "getdate", "isintersectcsv"}

// embeddedSchema is the schema of the embedded database.
const embeddedSchema = "main"

// newPolicy says what the permissions mean for every table.
func newPolicy(r *permissions, d *dictionary, opts *Options, schema string) (*Policy, error) {
	alias := ""
	if schema == embeddedSchema { // its statements are written for the ERP's own database
		alias = "adempiere"
	}
	b := &policyBuilder{
		r: r, d: d, opts: opts, tables: map[int64]tableRule{}, columns: map[int64][]columnRule{}, records: map[int64][]*recordRule{},
		p: &guard.Policy{
			Schema: schema, SchemaAlias: alias, Tables: make(map[string]*guard.Table, len(d.tables)), Denied: map[string]string{}, Functions: map[string]bool{}, Mask: opts.Mask,
		},
	}
	b.sort()
	for name, t := range d.tables {
		table, why := b.table(t)
		if why != "" {
			b.p.Denied[name] = t.info.Name
			continue
		}
		b.p.Tables[name] = table
	}
	for _, f := range slices.Concat(harmlessFunctions, opts.Functions) {
		if f = strings.ToLower(f); d.catalog.Functions[f] {
			b.p.Functions[f] = true
		}
	}
	content, err := json.Marshal(b.p)
	if err != nil {
		return nil, fmt.Errorf("make the policy: %w", err)
	}
	sum := sha256.Sum256(content)
	b.p.Version = hex.EncodeToString(sum[:12])
	return &Policy{Guard: b.p, MaxRows: r.maxRows, permissions: r, dict: d, made: b}, nil
}

// sort arranges the rules by table.
func (b *policyBuilder) sort() {
	for _, rule := range b.r.tables {
		if rule.kind != "" && rule.kind != "A" {
			continue
		}
		b.tables[rule.table] = rule
		b.included = b.included || !rule.exclude
	}
	for _, rule := range b.r.columns {
		table := rule.table
		if table == 0 {
			table = b.d.tableOfColumn(rule.column)
		}
		b.columns[table] = append(b.columns[table], rule)
	}
	for _, rule := range b.r.records {
		b.records[rule.table] = append(b.records[rule.table], rule)
	}
	dependents := map[int64][]*recordRule{}
	for _, rule := range b.r.dependents {
		dependents[rule.table] = append(dependents[rule.table], rule)
	}
	for table, rules := range dependents {
		name := b.d.names[table] // also of a table that is not active: rows still refer to it
		if name == "" {
			continue
		}
		key := name + "_id"
		dep := dependent{table: table, columns: []string{key}}
		switch key {
		case "ad_user_id":
			dep.columns = append(dep.columns, "salesrep_id")
		case "c_elementvalue_id":
			dep.columns = append(dep.columns, "account_id")
		}
		dep.include, dep.exclude = recordLists(rules)
		b.dependents = append(b.dependents, dep)
	}
	slices.SortFunc(b.dependents, func(x, y dependent) int { return int(x.table - y.table) })
}

// tableOfColumn finds a column's table by its AD_Column_ID.
func (d *dictionary) tableOfColumn(column int64) int64 {
	for id, t := range d.byID {
		if slices.Contains(t.ids, column) {
			return id
		}
	}
	return 0
}

// recordLists are the ids of include rules and of exclude rules, sorted. Exclude
// rules that are marked read-only hide the record, too: the ERP's filter does not
// look at that mark.
func recordLists(rules []*recordRule) (include, exclude []int64) {
	for _, rule := range rules {
		if rule.exclude {
			exclude = append(exclude, rule.record)
		} else {
			include = append(include, rule.record)
		}
	}
	slices.Sort(include)
	slices.Sort(exclude)
	return slices.Compact(include), slices.Compact(exclude)
}

// contains compares names of tables in any case of letters.
func contains(list []string, name string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// barred tells why the role may not read a table, "" when it may.
func (b *policyBuilder) barred(t *dictTable) string {
	name := t.physical()
	level := string(t.info.AccessLevel)
	switch {
	case level == "":
		return "it has no access level"
	case strings.EqualFold(name, AuditTableName):
		return "it is the audit's"
	case contains(b.opts.DeniedTables, name):
		return "it is closed by a setting"
	case level == "4" && !b.r.system() && !contains(b.opts.SystemTables, name):
		return "it belongs to the System level"
	case t.rel.Kind == run.OpaqueView && !contains(b.opts.SafeViews, name):
		return "it is a materialized view or a foreign table"
	}
	if why := b.excluded(t); why != "" {
		return why
	}
	if t.rel.Kind != run.PlainView && (!t.rel.Has("ad_client_id") || !t.rel.Has("ad_org_id")) && !contains(b.opts.OpenTables, name) {
		return "it has no tenant or organization"
	}
	// What a translation says is what the table says.
	if base := b.base(t); base != nil {
		return b.barred(base)
	}
	return ""
}

// base is the table of which a table has the translations, nil if it has none.
func (b *policyBuilder) base(t *dictTable) *dictTable {
	if base := b.d.tables[t.base]; base != t {
		return base
	}
	return nil
}

// excluded tells why the role's own rules keep a table from it, "" when they
// do not.
func (b *policyBuilder) excluded(t *dictTable) string {
	rule, ruled := b.tables[int64(t.info.ID)]
	switch {
	case ruled && rule.exclude && !rule.readOnly:
		return "the role excludes it"
	case !ruled && b.included && !b.r.readUnlisted:
		return "the role does not include it"
	}
	return ""
}

// table says what the role sees of a table, or why it sees nothing.
func (b *policyBuilder) table(t *dictTable) (*guard.Table, string) {
	if why := b.barred(t); why != "" {
		return nil, why
	}
	columns := b.masked(t)
	g := &guard.Table{Name: t.info.Name, Columns: columns, Denied: t.other, Key: t.rel.Key, Definition: t.rel.Definition}
	if denied := b.deniedColumns(t); len(denied) > 0 {
		g.Columns, g.Denied = nil, slices.Clone(t.other)
		for _, c := range columns {
			if denied[c.Name] {
				g.Denied = append(g.Denied, c)
			} else {
				g.Columns = append(g.Columns, c)
			}
		}
	}
	if len(g.Columns) == 0 {
		return nil, "no column of it may be seen"
	}
	g.Conditions = b.conditions(t)
	for _, rule := range b.r.valid {
		if rule.table != int64(t.info.ID) {
			continue
		}
		code, ok := b.replaceContext(rule.code)
		if !ok {
			return nil, "a validation rule of it needs more than is known here"
		}
		g.Where = append(g.Where, code)
	}
	slices.Sort(g.Where)
	return g, ""
}

// deniedColumns are the physical names of columns the rules hide.
func (b *policyBuilder) deniedColumns(t *dictTable) map[string]bool {
	denied, hides := map[string]bool{}, b.columnRules(t)
	for i, c := range t.columns {
		if hides(t.ids[i]) {
			denied[c.Name] = true
		}
	}
	if base := b.base(t); base != nil {
		for name := range b.deniedColumns(base) {
			if t.rel.Has(name) && name != base.physical()+"_id" {
				denied[name] = true
			}
		}
	}
	return denied
}

// columnRules tells of each column of a table, by its AD_Column_ID, whether the
// role's rules hide it.
func (b *policyBuilder) columnRules(t *dictTable) func(id int64) bool {
	exclude, named, positive := map[int64]bool{}, map[int64]bool{}, false
	for _, rule := range b.columns[int64(t.info.ID)] {
		switch {
		case !rule.exclude:
			named[rule.column], positive = true, true
		case rule.readOnly:
			named[rule.column] = true // excluded from changes, so it may be read; it makes no positive list
		default:
			exclude[rule.column] = true
		}
	}
	return func(id int64) bool { return exclude[id] || positive && !named[id] }
}

// conditions are those on tenant and organization, records, locks and
// dependents.
func (b *policyBuilder) conditions(t *dictTable) []guard.Condition {
	var all []guard.Condition
	if t.rel.Has("ad_client_id") {
		all = append(all, guard.Condition{Column: "ad_client_id", IDs: b.clients()})
	}
	if t.rel.Has("ad_org_id") && !b.r.allOrgs {
		all = append(all, guard.Condition{Column: "ad_org_id", IDs: b.organizations()})
	}
	all = append(all, b.recordConditions(t, t)...)
	if base := b.base(t); base != nil {
		all = append(all, b.recordConditions(t, base)...)
	}
	if t.rel.Kind == run.PlainView {
		return all // its tables have theirs
	}
	return append(all, b.dependentConditions(t)...)
}

// dependentConditions are the rules about records that others point to: those of the
// ERP, which does not forget the records of one table at the next, and the same on
// columns that it does not look at, which may be empty.
func (b *policyBuilder) dependentConditions(t *dictTable) (all []guard.Condition) {
	add := func(column string, include, exclude []int64, nullOK bool) {
		if len(include) > 0 {
			all = append(all, guard.Condition{Column: column, IDs: include, NullOK: nullOK})
		} else if len(exclude) > 0 {
			all = append(all, guard.Condition{Column: column, Not: true, IDs: exclude, NullOK: true})
		}
	}
	looked := map[int64]string{} // columns that the ERP looks at, by table
	for _, dep := range b.dependents {
		looked[dep.table] = dep.columns[len(dep.columns)-1]
		if dep.table == int64(t.info.ID) {
			looked[dep.table] = dep.columns[0]
		}
		for _, column := range dep.columns {
			if column != looked[dep.table] && t.rel.Has(column) {
				add(column, dep.include, dep.exclude, true)
			}
		}
	}
	rules := slices.DeleteFunc(slices.Clone(b.r.dependents), func(rule *recordRule) bool { return looked[rule.table] == "" || !t.rel.Has(looked[rule.table]) })
	for i, rule := range rules {
		if i == len(rules)-1 || rules[i+1].table != rule.table {
			include, exclude := recordLists(rules[:i+1])
			add(looked[rule.table], include, exclude, false)
		}
	}
	return all
}

// recordConditions are the rules about single records of one table, on the column of
// another that holds its key.
func (b *policyBuilder) recordConditions(t, of *dictTable) []guard.Condition {
	table, key := int64(of.info.ID), of.physical()+"_id"
	if !t.rel.Has(key) {
		return nil
	}
	var all []guard.Condition
	include, exclude := recordLists(b.records[table])
	if len(include) > 0 {
		all = append(all, guard.Condition{Column: key, IDs: include})
	}
	exclude = slices.Concat(exclude, b.r.locked[table])
	slices.Sort(exclude)
	if exclude = slices.Compact(exclude); len(exclude) > 0 {
		all = append(all, guard.Condition{Column: key, Not: true, IDs: exclude, NullOK: true})
	}
	return all
}

// clients are the tenants that may be read.
func (b *policyBuilder) clients() []int64 {
	if b.r.clientID == 0 || !b.r.allOrgs && len(b.r.orgs) == 0 {
		return []int64{0}
	}
	return []int64{0, b.r.clientID}
}

// organizations are those that may be read, sorted.
func (b *policyBuilder) organizations() []int64 {
	list := []int64{0}
	for id := range b.r.orgs {
		list = append(list, id)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// replaceContext puts the session's values into a validation rule. It reports
// false when it names one that is not known without a log-in.
func (b *policyBuilder) replaceContext(code string) (string, bool) {
	values := map[string]int64{"AD_CLIENT_ID": b.r.clientID, "AD_ROLE_ID": b.r.roleID, "AD_USER_ID": b.r.userID}
	var out strings.Builder
	for rest := code; ; {
		before, after, found := strings.Cut(rest, "@")
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		name, tail, closed := strings.Cut(after, "@")
		value, known := values[strings.ToUpper(strings.TrimLeft(name, "#$"))]
		if !closed || !known {
			return "", false
		}
		out.WriteString(strconv.FormatInt(value, 10))
		rest = tail
	}
}

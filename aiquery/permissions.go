package aiquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/rolemerge"
	"github.com/erphub/erphub/internal/sqlquote"
)

// permissions is what an AD_Role with the roles it includes gives one user, as the
// ERP computes it for reading.
type permissions struct {
	roleID, userID, clientID int64
	name                     string
	level                    string // the letters of S, C and O it has
	allOrgs                  bool   // IsAccessAllOrgs
	personal                 bool   // IsPersonalAccess: sees what others have locked
	maxRows                  int    // MaxQueryRecords, 0 none
	manual                   bool   // IsManual: windows only by rows that say so
	readUnlisted             bool   // READ_TABLES_NOT_IN_TABLE_ACCESS_INCLUDE_LIST

	orgs               map[int64]bool
	tables             []tableRule
	columns            []columnRule
	records            []*recordRule
	dependents         []*recordRule // those of records that hide what points to them
	windows, processes map[int64]windowGrant
	locked             map[int64][]int64 // records others have locked, by AD_Table_ID
	valid              []validRule
	secured            *securedColumns

	until time.Time // when a substitution begins or ends; zero: never
	made  run.Fingerprint
}

// system reports whether the role has the System level.
func (r *permissions) system() bool { return strings.Contains(r.level, "S") }

type (
	tableRule struct {
		table             int64
		kind              string // AccessTypeRule
		exclude, readOnly bool
	}
	columnRule struct {
		table, column     int64
		exclude, readOnly bool
	}
	recordRule struct {
		table, record int64
		exclude       bool
	}
	windowGrant struct { // also of a process
		read, write bool
	}
	validRule struct {
		table int64
		code  string
	}
)

// errNotHeld is a role that the user cannot use, for whatever reason.
var errNotHeld = errors.New("the role is not one of the user's")

// notHeld is errNotHeld with the tenant of the user, whose the audit's record is.
type notHeld struct{ client int64 }

func (notHeld) Error() string        { return errNotHeld.Error() }
func (notHeld) Is(target error) bool { return target == errNotHeld }

// permissionsLoader reads the permission tables. Every statement is noted, so that
// it can be run again.
type permissionsLoader struct {
	ctx    context.Context
	read   run.Reader
	cat    *run.Catalog
	schema string
	userID int64
	now    time.Time
	into   *permissions
	seen   map[int64]bool // roles read, so that a circle ends
}

// row is a row of a permission table by lower-case column name.
type row map[string]string

func (r row) int(column string) int64 {
	whole, _, _ := strings.Cut(r[column], ".") // numeric columns may carry decimals
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func (r row) yes(column string) bool { return r[column] == "Y" }

// rows reads columns of a table; what the release lacks is empty. The
// condition is ours and holds numbers only. What is read is compared before
// each run.
func (l *permissionsLoader) rows(table, columns, where string) ([]row, error) {
	asked, found, err := l.look(table, columns, where)
	if err == nil && asked.text != "" {
		l.into.made.Add(asked.text, asked.result)
	}
	return found, err
}

// asked is a statement with its result.
type asked struct {
	text   string
	result []run.Cells
}

// look is rows for what matters to metadata alone and need not be compared.
func (l *permissionsLoader) look(table, columns, where string) (asked, []row, error) {
	relation := l.cat.Relations[strings.ToLower(table)]
	if relation == nil {
		return asked{}, nil, nil
	}
	var names, quoted []string
	for _, c := range strings.Fields(strings.ToLower(columns)) {
		if relation.Has(c) {
			names, quoted = append(names, c), append(quoted, sqlquote.Name(c))
		}
	}
	if len(names) == 0 {
		return asked{}, nil, nil
	}
	from := sqlquote.Name(relation.Name)
	if l.schema != "" {
		from = l.schema + "." + from
	}
	text := "SELECT " + strings.Join(quoted, ", ") + " FROM " + from + " WHERE " + where
	found, err := l.read(l.ctx, text)
	if err != nil {
		return asked{}, nil, fmt.Errorf("read %s: %w", table, err)
	}
	out := make([]row, len(found))
	for i, cells := range found {
		out[i] = row{}
		for j, name := range names {
			if cells[j].Valid {
				out[i][name] = strings.TrimRight(cells[j].String, " ") // char columns
			}
		}
	}
	return asked{text, found}, out, nil
}

// loadPermissions reads what a role gives a user. The error is errNotHeld when the
// user may not use it.
func loadPermissions(ctx context.Context, read run.Reader, cat *run.Catalog, schema string, userID, roleID int64, now time.Time) (*permissions, error) {
	for _, needed := range []string{"ad_user", "ad_role", "ad_user_roles", "ad_client", "ad_role_orgaccess", "ad_table_access", "ad_column_access", "ad_record_access"} {
		if cat.Relations[needed] == nil {
			return nil, fmt.Errorf("the database has no table %s", needed)
		}
	}
	l := &permissionsLoader{ctx: ctx, read: read, cat: cat, schema: schema, userID: userID, now: now, into: &permissions{}, seen: map[int64]bool{}}
	if err := l.bind(roleID); err != nil {
		return nil, err
	}
	r := l.into
	own, err := l.role(roleID)
	if err != nil {
		return nil, err
	}
	if own == nil { // deactivated just now
		return nil, errNotHeld
	}
	own.made = r.made
	*r = *own
	included, last, err := l.include(r)
	if err != nil {
		return nil, err
	}
	if err := l.substitutes(r, included, last); err != nil {
		return nil, err
	}
	r.merge(included, false)
	return r, l.roleContext(r)
}

// bind makes sure that the user may log in with the role.
func (l *permissionsLoader) bind(roleID int64) error {
	users, err := l.rows("AD_User", "AD_Client_ID IsActive IsLocked", fmt.Sprintf("ad_user_id = %d", l.userID))
	if err != nil {
		return err
	}
	held, err := l.rows("AD_User_Roles", "AD_Role_ID IsActive", fmt.Sprintf("ad_user_id = %d AND ad_role_id = %d", l.userID, roleID))
	if err != nil {
		return err
	}
	roles, err := l.rows("AD_Role", "AD_Client_ID IsActive IsMasterRole", fmt.Sprintf("ad_role_id = %d", roleID))
	if err != nil {
		return err
	}
	if len(users) != 1 {
		return errNotHeld
	}
	home := users[0].int("ad_client_id")
	if len(roles) != 1 || len(held) != 1 {
		return notHeld{home}
	}
	client := roles[0].int("ad_client_id")
	clients, err := l.rows("AD_Client", "IsActive", fmt.Sprintf("ad_client_id = %d", client))
	if err != nil {
		return err
	}
	switch {
	case !users[0].yes("isactive"), users[0].yes("islocked"), !held[0].yes("isactive"), !roles[0].yes("isactive"), roles[0].yes("ismasterrole"),
		len(clients) != 1, !clients[0].yes("isactive"),
		home != 0 && home != client: // users of a tenant work in their tenant
		return notHeld{home}
	}
	return nil
}

// role reads a role without those it includes, nil when there is none or it is
// deactivated.
func (l *permissionsLoader) role(roleID int64) (*permissions, error) {
	l.seen[roleID] = true
	found, err := l.rows("AD_Role", "AD_Client_ID Name UserLevel IsAccessAllOrgs IsPersonalAccess IsManual IsUseUserOrgAccess AD_Tree_Org_ID MaxQueryRecords IsActive",
		fmt.Sprintf("ad_role_id = %d", roleID))
	if err != nil || len(found) != 1 || !found[0].yes("isactive") {
		return nil, err
	}
	row := found[0]
	r := &permissions{
		roleID: roleID, userID: l.userID, clientID: row.int("ad_client_id"), name: row["name"],
		level: strings.ReplaceAll(row["userlevel"], " ", ""), allOrgs: row.yes("isaccessallorgs"), personal: row.yes("ispersonalaccess"),
		manual: row.yes("ismanual"), maxRows: int(max(row.int("maxqueryrecords"), 0)),
		orgs: map[int64]bool{}, windows: map[int64]windowGrant{}, processes: map[int64]windowGrant{},
	}
	if err := l.organizations(r, row); err != nil {
		return nil, err
	}
	return r, l.rules(r)
}

// organizations reads the list of the role, or of the user.
func (l *permissionsLoader) organizations(r *permissions, role row) error {
	table, where := "AD_Role_OrgAccess", fmt.Sprintf("ad_role_id = %d", r.roleID)
	if role.yes("isuseuserorgaccess") {
		table, where = "AD_User_OrgAccess", fmt.Sprintf("ad_user_id = %d", l.userID)
	}
	found, err := l.rows(table, "AD_Org_ID", where+fmt.Sprintf(" AND ad_client_id = %d AND isactive = 'Y'", r.clientID))
	if err != nil {
		return err
	}
	for _, row := range found {
		r.orgs[row.int("ad_org_id")] = true
	}
	if tree := role.int("ad_tree_org_id"); tree != 0 && len(found) > 0 {
		return l.orgTree(r, tree)
	}
	return nil
}

// orgTree adds the active organizations below summary ones of the list.
func (l *permissionsLoader) orgTree(r *permissions, tree int64) error {
	orgs, err := l.rows("AD_Org", "AD_Org_ID IsSummary", fmt.Sprintf("isactive = 'Y' AND ad_client_id IN (0, %d)", r.clientID))
	if err != nil {
		return err
	}
	nodes, err := l.rows("AD_TreeNode", "Node_ID Parent_ID", fmt.Sprintf("ad_tree_id = %d AND isactive = 'Y'", tree))
	if err != nil {
		return err
	}
	active, summary, below := map[int64]bool{}, map[int64]bool{}, map[int64][]int64{}
	for _, o := range orgs {
		id := o.int("ad_org_id")
		active[id], summary[id] = true, o.yes("issummary")
	}
	for _, n := range nodes {
		below[n.int("parent_id")] = append(below[n.int("parent_id")], n.int("node_id"))
	}
	visited := map[int64]bool{}
	var add func(parent int64)
	add = func(parent int64) {
		if visited[parent] {
			return
		}
		visited[parent] = true
		for _, id := range below[parent] {
			if !active[id] {
				continue
			}
			r.orgs[id] = true
			if summary[id] {
				add(id)
			}
		}
	}
	for id := range r.orgs {
		if summary[id] {
			add(id)
		}
	}
	return nil
}

// rules reads the rules about tables, columns, records and windows.
func (l *permissionsLoader) rules(r *permissions) error {
	ofRole := fmt.Sprintf("ad_role_id = %d", r.roleID)
	active := ofRole + " AND isactive = 'Y'"
	found, err := l.rows("AD_Table_Access", "AD_Table_ID AccessTypeRule IsExclude IsReadOnly", active)
	if err != nil {
		return err
	}
	for _, row := range found {
		r.tables = append(r.tables, tableRule{row.int("ad_table_id"), row["accesstyperule"], row.yes("isexclude"), row.yes("isreadonly")})
	}
	if found, err = l.rows("AD_Column_Access", "AD_Table_ID AD_Column_ID IsExclude IsReadOnly", active); err != nil {
		return err
	}
	for _, row := range found {
		r.columns = append(r.columns, columnRule{row.int("ad_table_id"), row.int("ad_column_id"), row.yes("isexclude"), row.yes("isreadonly")})
	}
	if found, err = l.rows("AD_Record_Access", "AD_Table_ID Record_ID IsExclude IsDependentEntities", active); err != nil {
		return err
	}
	for _, row := range found {
		rule := &recordRule{row.int("ad_table_id"), row.int("record_id"), row.yes("isexclude")}
		if r.records = append(r.records, rule); row.yes("isdependententities") {
			r.dependents = append(r.dependents, rule)
		}
	}
	slices.SortStableFunc(r.dependents, func(a, b *recordRule) int { return cmp.Compare(a.table, b.table) })
	for key, into := range map[string]map[int64]windowGrant{"AD_Window": r.windows, "AD_Process": r.processes} {
		_, found, err := l.look(key+"_Access", key+"_ID IsReadWrite IsActive", ofRole)
		if err != nil {
			return err
		}
		for _, row := range found {
			// An inactive row takes access away, also that of an included role.
			on := row.yes("isactive")
			into[row.int(strings.ToLower(key)+"_id")] = windowGrant{on, on && row.yes("isreadwrite")}
		}
	}
	return nil
}

// include merges the roles that a role includes, by SeqNo, and returns that of the last.
func (l *permissionsLoader) include(r *permissions) (merged *permissions, last int64, err error) {
	merged, last = &permissions{clientID: r.clientID, orgs: map[int64]bool{}, windows: map[int64]windowGrant{}, processes: map[int64]windowGrant{}}, -1
	found, err := l.rows("AD_Role_Included", "Included_Role_ID SeqNo", fmt.Sprintf("ad_role_id = %d AND isactive = 'Y'", r.roleID))
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(found, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.int("seqno"), b.int("seqno")), cmp.Compare(a.int("included_role_id"), b.int("included_role_id")))
	})
	for _, row := range found {
		if last, err = l.add(merged, row.int("included_role_id"), row.int("seqno"), last); err != nil {
			return nil, 0, err
		}
	}
	return merged, last, nil
}

// add merges in an active role with what it includes, and returns its SeqNo.
func (l *permissionsLoader) add(into *permissions, roleID, seq, last int64) (int64, error) {
	if l.seen[roleID] {
		return last, nil
	}
	r, err := l.role(roleID)
	if err != nil || r == nil || seq < 0 && r.clientID != into.clientID { // the ERP looks for roles of the tenant
		return last, err
	}
	included, _, err := l.include(r)
	if err != nil {
		return last, err
	}
	r.merge(included, false)
	into.merge(r, rolemerge.Relaxes(last, seq))
	return seq, nil
}

// substitutes merges in the roles of the users whom the user stands in for now.
func (l *permissionsLoader) substitutes(r, into *permissions, last int64) error {
	found, err := l.rows("AD_User_Substitute", "AD_User_ID ValidFrom ValidTo", fmt.Sprintf("substitute_id = %d AND isactive = 'Y'", l.userID))
	if err != nil {
		return err
	}
	var roles []int64
	for _, s := range found {
		is, changes := holds(s["validfrom"], s["validto"], l.now)
		if !changes.IsZero() && (r.until.IsZero() || changes.Before(r.until)) {
			r.until = changes
		}
		if !is {
			continue
		}
		theirs, err := l.rows("AD_User_Roles", "AD_Role_ID", fmt.Sprintf("ad_user_id = %d AND isactive = 'Y'", s.int("ad_user_id")))
		if err != nil {
			return err
		}
		for _, t := range theirs {
			roles = append(roles, t.int("ad_role_id"))
		}
	}
	slices.Sort(roles)
	for _, id := range roles {
		if last, err = l.add(into, id, -1, last); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a period holds now, and when that changes next. The ERP
// compares the day that it ends with the time, so that it ends as that day begins.
func holds(validFrom, validTo string, now time.Time) (is bool, changes time.Time) {
	if from, has := day(validFrom); has && now.Before(from) {
		return false, from
	}
	to, has := day(validTo)
	if !has || now.After(to) {
		return !has, changes
	}
	return true, to.Add(time.Nanosecond)
}

func day(text string) (time.Time, bool) {
	date, _, _ := strings.Cut(text, " ")
	t, err := time.ParseInLocation(time.DateOnly, date, time.UTC)
	return t, err == nil
}

// roleContext reads what does not belong to one role but decides what it may.
func (l *permissionsLoader) roleContext(r *permissions) error {
	found, err := l.rows("AD_SysConfig", "AD_Client_ID Value",
		fmt.Sprintf("name = 'READ_TABLES_NOT_IN_TABLE_ACCESS_INCLUDE_LIST' AND isactive = 'Y' AND ad_org_id = 0 AND ad_client_id IN (0, %d)", r.clientID))
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b row) int { return int(a.int("ad_client_id") - b.int("ad_client_id")) })
	for _, row := range found {
		r.readUnlisted = row.yes("value") // the tenant's own value comes last
	}
	r.locked = map[int64][]int64{}
	if !r.personal {
		locks, err := l.rows("AD_Private_Access", "AD_Table_ID Record_ID", fmt.Sprintf("ad_user_id <> %d AND isactive = 'Y'", l.userID))
		if err != nil {
			return err
		}
		for _, row := range locks {
			t := row.int("ad_table_id")
			r.locked[t] = append(r.locked[t], row.int("record_id"))
		}
		for t, list := range r.locked {
			slices.Sort(list)
			r.locked[t] = slices.Compact(list)
		}
	}
	rules, err := l.rows("AD_TableValRule", "AD_Table_ID Code", fmt.Sprintf(
		"isactive = 'Y' AND ad_client_id IN (0, %d) AND (ad_role_id IS NULL OR ad_role_id = %d) AND (ad_user_id IS NULL OR ad_user_id = %d)",
		r.clientID, r.roleID, l.userID))
	if err != nil {
		return err
	}
	for _, row := range rules {
		r.valid = append(r.valid, validRule{row.int("ad_table_id"), row["code"]})
	}
	r.secured, err = l.secured()
	return err
}

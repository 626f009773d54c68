package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Role is what an AD_Role, with the roles it includes, allows its user. It is
// not changed once it is loaded.
type Role struct {
	id, clientID  int64
	UserLevel     string // the letters of S, C and O it has
	AllOrgs       bool   // IsAccessAllOrgs
	personal      bool   // IsPersonalAccess: sees others' private records
	inactive      bool
	administrator bool // the user has the System Administrator role
	readUnlisted  bool // READ_TABLES_NOT_IN_TABLE_ACCESS_INCLUDE_LIST

	Orgs       map[int64]OrgAccess
	tables     []tableRule
	columns    []columnRule
	records    []*recordRule
	dependents []*recordRule // those of records that hide what points to them
	valid      []validRule
	Objects    map[ObjectKind]map[int64]grant
	windows    map[int64][]int64 // active windows with an active tab, by AD_Table_ID

	Until time.Time // when a user substitution begins or ends, zero for never
}

// Entries of the role itself and of roles it includes.
type (
	OrgAccess struct {
		ClientID int64
		ReadOnly bool
	}
	tableRule struct {
		tableID           int64
		kind              string // AccessTypeRule: A accessing, R reporting, E exporting
		exclude, readOnly bool
	}
	columnRule struct {
		tableID, columnID int64
		exclude, readOnly bool
	}
	recordRule struct {
		tableID, recordID int64
		exclude, readOnly bool
	}
	validRule struct {
		tableID int64
		code    string
	}
)

// LoadRole reads the role as it is for the user at this time.
func LoadRole(ctx context.Context, tx *store.Tx, roleID, userID int64, now time.Time) (*Role, error) {
	l := &roleLoader{ctx: ctx, tx: tx, userID: userID, seen: map[int64]bool{}}
	r, err := l.own(roleID)
	if err != nil {
		return nil, fmt.Errorf("reading role %d: %w", roleID, err)
	}
	l.clientID = r.clientID
	included, last, err := l.include(roleID)
	if err != nil {
		return nil, fmt.Errorf("reading the roles that role %d includes: %w", roleID, err)
	}
	if r.Until, err = l.substitutes(included, last, now); err != nil {
		return nil, fmt.Errorf("reading the users that user %d stands in for: %w", userID, err)
	}
	r.merge(included, false)
	if err := l.surroundings(r); err != nil {
		return nil, fmt.Errorf("reading what role %d may see: %w", roleID, err)
	}
	return r, nil
}

// roleLoader reads one role and those it includes.
type roleLoader struct {
	ctx      context.Context
	tx       *store.Tx
	userID   int64
	clientID int64          // of the role that is read
	seen     map[int64]bool // roles read, so that a circle ends
}

// rows reads rows of an AD_ table; one the database lacks is empty.
func (l *roleLoader) rows(table, where, orderBy string, args ...any) ([]store.Row, error) {
	return RowsWhere(l.ctx, l.tx, table, orderBy, where, args...)
}

// own reads a role without those it includes.
func (l *roleLoader) own(roleID int64) (*Role, error) {
	l.seen[roleID] = true
	row, err := OneRow(l.ctx, l.tx, "AD_Role", roleID)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fmt.Errorf("there is no AD_Role %d", roleID)
	}
	r := &Role{
		id: roleID, clientID: row.Int("AD_Client_ID"),
		UserLevel: strings.ReplaceAll(row.String("UserLevel"), " ", ""),
		AllOrgs:   row.Bool("IsAccessAllOrgs"), personal: row.Bool("IsPersonalAccess"), inactive: !row.Bool("IsActive"),
		Orgs: map[int64]OrgAccess{}, Objects: map[ObjectKind]map[int64]grant{},
	}
	if err := l.loadOrgs(r, row); err != nil {
		return nil, err
	}
	if err := l.loadRules(r); err != nil {
		return nil, err
	}
	for _, kind := range objectKinds {
		if r.Objects[kind], err = l.grants(r, kind, row.Bool("IsManual")); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (l *roleLoader) loadOrgs(r *Role, roleRow store.Row) error {
	table, column, id := "AD_Role_OrgAccess", "AD_Role_ID", r.id
	if roleRow.Bool("IsUseUserOrgAccess") {
		table, column, id = "AD_User_OrgAccess", "AD_User_ID", l.userID
	}
	rows, err := l.rows(table, column+`=? AND AD_Client_ID=? AND IsActive='Y'`, "AD_Org_ID", id, r.clientID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		r.Orgs[row.Int("AD_Org_ID")] = OrgAccess{ClientID: r.clientID, ReadOnly: row.Bool("IsReadOnly")}
	}
	tree := roleRow.Int("AD_Tree_Org_ID")
	if tree == 0 || len(rows) == 0 {
		return nil
	}
	return l.addOrgTree(r, tree)
}

// addOrgTree adds the active organizations below the summary organizations in
// the list, each with the read-only flag of the entry it hangs under.
func (l *roleLoader) addOrgTree(r *Role, tree int64) error {
	orgs, err := l.rows("AD_Org", `IsActive='Y'`, "")
	if err != nil {
		return err
	}
	summary := map[int64]bool{}
	active := map[int64]bool{}
	for _, o := range orgs {
		active[o.Int("AD_Org_ID")] = true
		summary[o.Int("AD_Org_ID")] = o.Bool("IsSummary")
	}
	nodes, err := l.rows("AD_TreeNode", `AD_Tree_ID=? AND IsActive='Y'`, "SeqNo, Node_ID", tree)
	if err != nil {
		return err
	}
	below := map[int64][]int64{}
	for _, n := range nodes {
		below[n.Int("Parent_ID")] = append(below[n.Int("Parent_ID")], n.Int("Node_ID"))
	}
	var add func(parent int64, entry OrgAccess)
	add = func(parent int64, entry OrgAccess) {
		for _, id := range below[parent] {
			if _, there := r.Orgs[id]; there || !active[id] {
				continue // listed itself, with a flag of its own
			}
			r.Orgs[id] = entry
			if summary[id] {
				add(id, entry)
			}
		}
	}
	listed := make([]int64, 0, len(r.Orgs))
	for id := range r.Orgs {
		listed = append(listed, id)
	}
	slices.Sort(listed)
	for _, id := range listed {
		if summary[id] {
			add(id, r.Orgs[id])
		}
	}
	return nil
}

func (l *roleLoader) loadRules(r *Role) error {
	rows, err := l.rows("AD_Table_Access", `AD_Role_ID=? AND IsActive='Y'`, "AD_Table_ID, AccessTypeRule", r.id)
	if err != nil {
		return err
	}
	for _, row := range rows {
		r.tables = append(r.tables, tableRule{row.Int("AD_Table_ID"), row.String("AccessTypeRule"), row.Bool("IsExclude"), row.Bool("IsReadOnly")})
	}
	if rows, err = l.rows("AD_Column_Access", `AD_Role_ID=? AND IsActive='Y'`, "AD_Column_ID", r.id); err != nil {
		return err
	}
	for _, row := range rows {
		r.columns = append(r.columns, columnRule{row.Int("AD_Table_ID"), row.Int("AD_Column_ID"), row.Bool("IsExclude"), row.Bool("IsReadOnly")})
	}
	if rows, err = l.rows("AD_Record_Access", `AD_Role_ID=? AND IsActive='Y'`, "AD_Table_ID, Record_ID", r.id); err != nil {
		return err
	}
	for _, row := range rows {
		rule := &recordRule{row.Int("AD_Table_ID"), row.Int("Record_ID"), row.Bool("IsExclude"), row.Bool("IsReadOnly")}
		if r.records = append(r.records, rule); row.Bool("IsDependentEntities") {
			r.dependents = append(r.dependents, rule)
		}
	}
	return nil
}

// substitutes merges in the roles of the users whom the user stands in for now, and
// returns when that changes.
func (l *roleLoader) substitutes(into *Role, last int64, now time.Time) (until time.Time, err error) {
	rows, err := l.rows("AD_User_Substitute", `Substitute_ID=? AND IsActive='Y'`, "AD_User_ID", l.userID)
	if err != nil {
		return until, err
	}
	var roles []int64
	for _, row := range rows {
		is, changes := holds(row.String("ValidFrom"), row.String("ValidTo"), now)
		if !changes.IsZero() && (until.IsZero() || changes.Before(until)) {
			until = changes
		}
		if !is {
			continue
		}
		theirs, err := l.rows("AD_User_Roles", `AD_User_ID=? AND IsActive='Y'`, "AD_Role_ID", row.Int("AD_User_ID"))
		if err != nil {
			return until, err
		}
		for _, ur := range theirs {
			roles = append(roles, ur.Int("AD_Role_ID"))
		}
	}
	slices.Sort(roles)
	for _, id := range roles {
		if last, err = l.add(into, id, -1, last); err != nil {
			return until, err
		}
	}
	return until, nil
}

// holds reports whether a period holds now, until its last day begins, and when that changes.
func holds(validFrom, validTo string, now time.Time) (is bool, changes time.Time) {
	if from, has := storedDay(validFrom); has && now.Before(from) {
		return false, from
	}
	to, has := storedDay(validTo)
	if !has || now.After(to) {
		return !has, changes
	}
	return true, to.Add(time.Nanosecond)
}

func storedDay(text string) (time.Time, bool) {
	day, _, _ := strings.Cut(text, " ")
	t, err := time.ParseInLocation(time.DateOnly, day, time.UTC)
	return t, err == nil
}

// surroundings reads what does not belong to one role but decides what it may.
func (l *roleLoader) surroundings(r *Role) error {
	v, err := Sysconfig(l.ctx, l.tx, "READ_TABLES_NOT_IN_TABLE_ACCESS_INCLUDE_LIST", "N", r.clientID, 0)
	if err != nil {
		return err
	}
	r.readUnlisted = v == "Y"
	admin, err := LookUpIDs(l.ctx, l.tx, `SELECT AD_Role_ID FROM AD_User_Roles WHERE AD_User_ID=? AND AD_Role_ID=0 AND IsActive='Y'`, l.userID)
	if err != nil {
		return err
	}
	r.administrator = len(admin) > 0
	rules, err := l.rows("AD_TableValRule", `IsActive='Y' AND AD_Client_ID IN (0,?) AND COALESCE(AD_Role_ID,?)=? AND COALESCE(AD_User_ID,?)=?`, "AD_TableValRule_UU",
		r.clientID, r.id, r.id, l.userID, l.userID)
	if err != nil {
		return err
	}
	for _, row := range rules {
		r.valid = append(r.valid, validRule{row.Int("AD_Table_ID"), row.String("Code")})
	}
	return l.loadWindows(r)
}

func (l *roleLoader) loadWindows(r *Role) error {
	rows, err := l.tx.Query(l.ctx, `SELECT DISTINCT t.AD_Table_ID, t.AD_Window_ID FROM AD_Tab t JOIN AD_Window w ON w.AD_Window_ID=t.AD_Window_ID
		WHERE t.IsActive='Y' AND w.IsActive='Y'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	r.windows = map[int64][]int64{}
	for rows.Next() {
		var table, window int64
		if err := rows.Scan(&table, &window); err != nil {
			return err
		}
		if r.Objects[KindWindow][window].Read {
			r.windows[table] = append(r.windows[table], window)
		}
	}
	return rows.Err()
}

// include merges the roles that role id includes, by SeqNo, and returns that of the
// last one.
func (l *roleLoader) include(id int64) (merged *Role, last int64, err error) {
	merged, last = &Role{Orgs: map[int64]OrgAccess{}, Objects: map[ObjectKind]map[int64]grant{}}, -1
	rows, err := l.rows("AD_Role_Included", `AD_Role_ID=? AND IsActive='Y'`, "SeqNo, Included_Role_ID", id)
	if err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(rows, func(a, b store.Row) int { return cmp.Compare(a.Int("SeqNo"), b.Int("SeqNo")) })
	for _, row := range rows {
		if last, err = l.add(merged, row.Int("Included_Role_ID"), row.Int("SeqNo"), last); err != nil {
			return nil, 0, err
		}
	}
	return merged, last, nil
}

// add merges in an active role with what it includes. With the SeqNo of the one before
// it relaxes what is there.
func (l *roleLoader) add(into *Role, id, seq, last int64) (int64, error) {
	if l.seen[id] {
		return last, nil
	}
	r, err := l.own(id)
	if err != nil || r.inactive || seq < 0 && r.clientID != l.clientID { // the ERP looks for roles of the tenant
		return last, err
	}
	included, _, err := l.include(id)
	if err != nil {
		return last, err
	}
	r.merge(included, false)
	for _, grants := range r.Objects { // what a row that is not active takes away, another role may give
		maps.DeleteFunc(grants, func(_ int64, g grant) bool { return !g.Read })
	}
	into.merge(r, last >= 0 && last == seq)
	return seq, nil
}

package access

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/erp"
)

// role is a role with what it includes.
type role struct {
	id, client, user int64 // user 0: of nobody in particular
	name             string
	level            string // letters of S, C and O
	active           bool
	allOrgs          bool
	userOrgs         bool // IsUseUserOrgAccess
	report, personal bool
	manual           bool
	// includes are the roles that it includes, in the order in which the ERP merges
	// them, and names what these are called, and those that they include. The roles of
	// users whom the user stands in for are at the end.
	includes []inclusion
	names    map[int64]string
	partly   bool // the included roles could not be read

	reasons []Reason
}

func (r *role) because(e Effect, text, record, fix string) {
	r.reasons = append(r.reasons, Reason{e, text, record, fix})
}

// unknown notes that a table could not be read.
func (r *role) unknown(table, about string) {
	r.because(Undecided, fmt.Sprintf("%s depends on %s, which the caller may not read", about, table), "", "")
}

// ids are the role and what it includes.
func (r *role) ids() []int64 { return append([]int64{r.id}, slices.Sorted(maps.Keys(r.names))...) }

// of names a role for a reason: the role itself, or one that it includes.
func (r *role) of(id int64) string {
	if id == r.id {
		return "role " + r.name
	}
	return fmt.Sprintf("the included role %s", r.names[id])
}

var roleColumns = []string{"UserLevel", "IsAccessAllOrgs", "IsUseUserOrgAccess", "IsCanReport", "IsPersonalAccess", "IsManual", "AD_Client_ID"}

// subject finds the roles that are explained.
func (x *explainer) subject(ctx context.Context, q Question, out *Explanation) ([]role, error) {
	if q.User == "" {
		record, err := x.one(ctx, "role", "AD_Role", q.Role, []string{"Name"}, roleColumns...)
		if err != nil {
			return nil, err
		}
		r, err := x.load(ctx, record, 0)
		return []role{r}, err
	}
	user, err := x.one(ctx, "user", "AD_User", q.User, []string{"Name", "Value", "EMail"}, "IsLocked")
	if err != nil {
		return nil, err
	}
	id := key(user)
	out.User = fmt.Sprintf("%s (%d)", text(user, "Name"), id)
	out.UserReasons = loginReasons(user)
	grants, ok, err := x.rows(ctx, "AD_User_Roles", erp.Eq("AD_User_ID", id), "AD_Role_ID")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, asked("the caller may not read AD_User_Roles, so the roles of user %q are not known; name a role", q.User)
	}
	var roles []role
	for _, g := range grants {
		roleID, _ := number(g, "AD_Role_ID")
		name := text(g, "AD_Role_ID")
		if !slices.ContainsFunc([]string{"", name, fmt.Sprint(roleID)}, func(s string) bool { return strings.EqualFold(s, q.Role) }) {
			continue
		}
		if !is(g, "IsActive") {
			out.UserReasons = append(out.UserReasons, Reason{Denies, "the user had the role " + name + ", which is deactivated for the user", fmt.Sprintf("AD_User_Roles of user %d and role %d", id, roleID), "activate it in the tab User Roles"})
			continue
		}
		if len(roles) == mostRoles {
			out.UserReasons = append(out.UserReasons, Reason{Undecided, fmt.Sprintf("the user has more than %d roles; name one", mostRoles), "", ""})
			break
		}
		found, ok, err := x.rows(ctx, "AD_Role", erp.Eq("AD_Role_ID", roleID), append(roleColumns, "Name")...)
		if err != nil {
			return nil, err
		}
		if !ok || len(found) == 0 {
			out.UserReasons = append(out.UserReasons, Reason{Undecided, "the caller may not read the role " + name, record("AD_Role", roleID), ""})
			continue
		}
		r, err := x.load(ctx, found[0], id)
		if err != nil {
			return nil, err
		}
		roles = append(roles, r)
	}
	if len(roles) == 0 {
		out.UserReasons = append(out.UserReasons, noRole(q.Role))
	}
	return roles, nil
}

func noRole(wanted string) Reason {
	if wanted != "" {
		return Reason{Denies, "the user does not have the role " + wanted, "", "give the user the role in window User, tab User Roles"}
	}
	return Reason{Denies, "the user has no role that is in use", "", "give the user a role in window User, tab User Roles"}
}

func loginReasons(user erp.Record) (reasons []Reason) {
	if !is(user, "IsActive") {
		reasons = append(reasons, Reason{Denies, "the user is deactivated and cannot log in", record("AD_User", key(user)), "activate the user"})
	}
	if is(user, "IsLocked") {
		reasons = append(reasons, Reason{Denies, "the user is locked and cannot log in", record("AD_User", key(user)), "unlock the user"})
	}
	return reasons
}

// load makes a role of its record, with the roles it includes, for a user or with 0 for
// nobody in particular.
func (x *explainer) load(ctx context.Context, rec erp.Record, user int64) (role, error) {
	level, _ := rec.Code("UserLevel")
	r := role{
		id: key(rec), user: user, name: text(rec, "Name"), level: strings.ReplaceAll(level, " ", ""), active: is(rec, "IsActive"), allOrgs: is(rec, "IsAccessAllOrgs"),
		userOrgs: is(rec, "IsUseUserOrgAccess"), report: is(rec, "IsCanReport"), personal: is(rec, "IsPersonalAccess"), manual: is(rec, "IsManual"),
	}
	r.client, _ = number(rec, "AD_Client_ID")
	err := x.loadIncluded(ctx, &r)
	return r, err
}

// loadIncluded reads which roles a role includes.
func (x *explainer) loadIncluded(ctx context.Context, r *role) error {
	r.names = map[int64]string{}
	others, err := x.substituted(ctx, r)
	if err != nil {
		return err
	}
	rows, err := x.inclusions(ctx, r, append([]int64{r.id}, others...))
	if err != nil || len(r.names) == 0 {
		return err
	}
	roles, _, err := x.rows(ctx, "AD_Role", erp.In("AD_Role_ID", slices.Sorted(maps.Keys(r.names))...), "AD_Client_ID")
	for _, role := range roles {
		client, _ := number(role, "AD_Client_ID")
		if !is(role, "IsActive") {
			delete(r.names, key(role))
		} else if client != r.client { // the ERP looks for roles of the tenant
			others = slices.DeleteFunc(others, func(id int64) bool { return id == key(role) })
		}
	}
	delete(r.names, r.id)
	seen := map[int64]bool{r.id: true}
	r.includes = included(rows, r.names, seen, r.id)
	for _, id := range others {
		if _, known := r.names[id]; known && !seen[id] {
			seen[id] = true
			r.includes = append(r.includes, inclusion{id, -1, included(rows, r.names, seen, id)})
		}
	}
	return err
}

// substituted are the roles of the users whom the user stands in for now.
func (x *explainer) substituted(ctx context.Context, r *role) (roles []int64, err error) {
	if r.user == 0 {
		return nil, nil
	}
	found, _, err := x.rows(ctx, "AD_User_Substitute", erp.And(erp.Eq("Substitute_ID", r.user), erp.Eq("IsActive", true)), "AD_User_ID", "ValidFrom", "ValidTo")
	var users []int64
	for _, row := range found {
		from, begins := row.Time("ValidFrom")
		to, ends := row.Time("ValidTo")
		if now := time.Now(); !(begins && now.Before(from) || ends && now.After(to)) {
			user, _ := number(row, "AD_User_ID")
			users = append(users, user)
		}
	}
	if err != nil || len(users) == 0 {
		return nil, err
	}
	grants, _, err := x.rows(ctx, "AD_User_Roles", erp.And(erp.In("AD_User_ID", users...), erp.Eq("IsActive", true)), "AD_Role_ID")
	for _, grant := range grants {
		id, _ := number(grant, "AD_Role_ID")
		roles, r.names[id] = append(roles, id), text(grant, "AD_Role_ID")+" (of a user that is stood in for)"
	}
	slices.Sort(roles)
	return roles, err
}

// inclusions are the rows of AD_Role_Included of roles, and of those that they include, by
// role; it notes their names.
func (x *explainer) inclusions(ctx context.Context, r *role, next []int64) (map[int64][]erp.Record, error) {
	rows := map[int64][]erp.Record{}
	for len(next) > 0 && len(rows) < most {
		found, ok, err := x.rows(ctx, "AD_Role_Included", erp.In("AD_Role_ID", next...), "AD_Role_ID", "Included_Role_ID", "SeqNo")
		if err != nil {
			return nil, err
		}
		r.partly, next = r.partly || !ok, nil
		for _, row := range found {
			by, _ := number(row, "AD_Role_ID")
			if included, _ := number(row, "Included_Role_ID"); is(row, "IsActive") {
				if rows[by] = append(rows[by], row); rows[included] == nil && !slices.Contains(next, included) {
					next = append(next, included)
				}
				r.names[included] = text(row, "Included_Role_ID")
			}
		}
	}
	return rows, nil
}

// included are the roles of names that rows of AD_Role_Included give a role, each once.
func included(rows map[int64][]erp.Record, names map[int64]string, seen map[int64]bool, id int64) (all []inclusion) {
	slices.SortStableFunc(rows[id], func(a, b erp.Record) int {
		x, _ := a.Int("SeqNo")
		y, _ := b.Int("SeqNo")
		m, _ := number(a, "Included_Role_ID")
		n, _ := number(b, "Included_Role_ID")
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(m, n))
	})
	for _, row := range rows[id] {
		next, _ := number(row, "Included_Role_ID")
		if _, known := names[next]; !known || seen[next] {
			continue
		}
		seen[next] = true
		seq, _ := row.Int("SeqNo")
		all = append(all, inclusion{next, seq, included(rows, names, seen, next)})
	}
	return all
}

// has reports whether the user level has one of the letters.
func (r *role) has(letters string) bool { return strings.ContainsAny(r.level, letters) }

var levelNames = map[string]string{"S": "System", "C": "Client", "O": "Organization", "CO": "Client+Organization"}

func (r *role) levelName() string { return levelNames[r.level] }

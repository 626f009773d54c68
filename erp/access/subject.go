package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	// included are the numbers of included roles, by SeqNo and depth, and names
	// what they are called.
	included []int64
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
func (r *role) ids() []int64 { return append([]int64{r.id}, r.included...) }

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
		r, err := x.load(ctx, record)
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
		r, err := x.load(ctx, found[0])
		if err != nil {
			return nil, err
		}
		r.user = id
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

// load makes a role of its record, with the roles it includes.
func (x *explainer) load(ctx context.Context, rec erp.Record) (role, error) {
	level, _ := rec.Code("UserLevel")
	r := role{
		id: key(rec), name: text(rec, "Name"), level: strings.ReplaceAll(level, " ", ""), active: is(rec, "IsActive"), allOrgs: is(rec, "IsAccessAllOrgs"),
		userOrgs: is(rec, "IsUseUserOrgAccess"), report: is(rec, "IsCanReport"), personal: is(rec, "IsPersonalAccess"), manual: is(rec, "IsManual"), names: map[int64]string{},
	}
	r.client, _ = number(rec, "AD_Client_ID")
	queue := []int64{r.id}
	for len(queue) > 0 && len(r.included) < most {
		next := queue[0]
		queue = queue[1:]
		rows, ok, err := x.rows(ctx, "AD_Role_Included", erp.Eq("AD_Role_ID", next), "Included_Role_ID", "SeqNo")
		if err != nil {
			return r, err
		}
		r.partly = r.partly || !ok
		slices.SortStableFunc(rows, func(a, b erp.Record) int {
			x, _ := a.Int("SeqNo")
			y, _ := b.Int("SeqNo")
			return int(x - y)
		})
		for _, row := range rows {
			id, _ := number(row, "Included_Role_ID")
			if is(row, "IsActive") && id != r.id && !slices.Contains(r.included, id) {
				r.included = append(r.included, id)
				r.names[id] = text(row, "Included_Role_ID")
				queue = append(queue, id)
			}
		}
	}
	return r, nil
}

// has reports whether the user level has one of the letters.
func (r *role) has(letters string) bool { return strings.ContainsAny(r.level, letters) }

var levelNames = map[string]string{"S": "System", "C": "Client", "O": "Organization", "CO": "Client+Organization"}

func (r *role) levelName() string { return levelNames[r.level] }

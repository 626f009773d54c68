package login

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Refusal is why a log-in is refused: an AD_Message, and what follows its text.
type Refusal struct {
	message, fallback, more string
}

var (
	failedLogin     = Refusal{message: "FailedLogin", fallback: "Invalid User ID or Password"}
	accountLocked   = Refusal{message: "AccountLocked", fallback: "The account is locked"}
	passwordExpired = Refusal{message: "PasswordExpired", fallback: "The password has expired"}
)

// Text is the refusal in a language, "" when there is none.
func (r Refusal) Text(ctx context.Context, tx *store.Tx, language string) (string, error) {
	if r.message == "" {
		return "", nil
	}
	text, err := engine.Message(ctx, tx, r.message, language, r.fallback)
	return text + r.more, err
}

// loginRole is the condition for roles with which one may log in here: roles
// made for no or for this kind of program, and no mere collections of permissions.
const loginRole = `r.IsActive='Y' AND COALESCE(r.RoleType,'') IN ('','WS') AND COALESCE(r.IsMasterRole,'N')='N'`

// User is an AD_User whose name was given at log-in.
type User struct {
	ID, clientID            int64
	password, salt          string
	Locked, passwordExpired bool
	failed                  int
	lockedAt                string
}

// FindUsers are the active users who go by this name (or LDAP name, or e-mail
// address) and have a role to log in with. Tenants may have users of the same
// name.
func FindUsers(ctx context.Context, tx *store.Tx, name string) ([]User, error) {
	if name == "" {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `SELECT u.AD_User_ID, u.AD_Client_ID, COALESCE(u.Password,''), COALESCE(u.Salt,''),
		COALESCE(u.IsLocked,'N')='Y', COALESCE(u.IsExpired,'N')='Y', COALESCE(u.FailedLoginCount,0), COALESCE(u.DateAccountLocked,'')
		FROM AD_User u JOIN AD_Client c ON c.AD_Client_ID=u.AD_Client_ID AND c.IsActive='Y'
		WHERE u.IsActive='Y' AND (u.Name=? OR u.LDAPUser=? OR u.EMail=?)
		AND EXISTS (SELECT 1 FROM AD_User_Roles ur JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID
			WHERE ur.AD_User_ID=u.AD_User_ID AND ur.IsActive='Y' AND `+loginRole+`)
		ORDER BY u.AD_User_ID`, name, name, name)
	if err != nil {
		return nil, fmt.Errorf("looking for a user: %w", err)
	}
	defer rows.Close()
	var users []User
	for rows.Next() {
		var u User
		if err := rows.Scan(&u.ID, &u.clientID, &u.password, &u.salt, &u.Locked, &u.passwordExpired, &u.failed, &u.lockedAt); err != nil {
			return nil, fmt.Errorf("looking for a user: %w", err)
		}
		users = append(users, u)
	}
	return users, rows.Err()
}

// CheckPassword are those of the users whose password this is. When there are
// none, why says so, and the failure is counted:
// USER_LOCKING_MAX_LOGIN_ATTEMPT failures in a row (0, the default, is no
// limit) lock the account, for USER_LOCKING_MAX_ACCOUNT_LOCK_MINUTES or for
// good.
func CheckPassword(ctx context.Context, e *engine.ERP, tx *store.Tx, users []User, password string) (ok []User, why Refusal, err error) {
	why = failedLogin
	lockTime, err := engine.SysconfigMinutes(ctx, tx, "USER_LOCKING_MAX_ACCOUNT_LOCK_MINUTES", 0, 0, 0)
	if err != nil {
		return nil, why, err
	}
	now := e.Now()
	for i := range users {
		u := &users[i]
		if u.Locked {
			since, err := time.ParseInLocation(time.DateTime, u.lockedAt, time.UTC)
			if lockTime == 0 || err != nil || now.Before(since.Add(lockTime)) {
				why = accountLocked
				continue
			}
			u.Locked, u.failed = false, 0
		}
		if !seed.VerifyPassword(password, u.password, u.salt) {
			continue
		}
		if u.passwordExpired {
			why = passwordExpired
			continue
		}
		ok = append(ok, *u)
	}
	if len(ok) > 0 {
		for _, u := range ok {
			if _, err := tx.Exec(ctx, `UPDATE AD_User SET FailedLoginCount=0, IsLocked='N', DateAccountLocked=NULL, DateLastLogin=?,
				Updated=?, UpdatedBy=? WHERE AD_User_ID=?`, engine.DBTime(now), engine.DBTime(now), u.ID, u.ID); err != nil {
				return nil, why, fmt.Errorf("noting a log-in: %w", err)
			}
		}
		return ok, Refusal{}, nil
	}
	if why == failedLogin {
		why, err = noteFailure(ctx, tx, users, now)
	}
	return nil, why, err
}

// noteFailure counts a wrong password of the users, and locks those that gave too many.
func noteFailure(ctx context.Context, tx *store.Tx, users []User, now time.Time) (Refusal, error) {
	why := failedLogin
	limit, err := engine.Sysconfig(ctx, tx, "USER_LOCKING_MAX_LOGIN_ATTEMPT", "0", 0, 0)
	if err != nil {
		return why, err
	}
	most, _ := strconv.Atoi(limit) // what is not a number means no limit
	for _, u := range users {
		u.failed++
		locked, at := "N", any(nil)
		switch {
		case most > 0 && u.failed >= most:
			locked, at, why = "Y", engine.DBTime(now), accountLocked
		case most > 0:
			why.more = fmt.Sprintf(", remaining attempts: %d", most-u.failed)
		}
		if _, err := tx.Exec(ctx, `UPDATE AD_User SET FailedLoginCount=?, IsLocked=?, DateAccountLocked=? WHERE AD_User_ID=?`,
			u.failed, locked, at, u.ID); err != nil {
			return why, fmt.Errorf("noting a failed log-in: %w", err)
		}
	}
	return why, nil
}

// UserIDs are the ids of users.
func UserIDs(users []User) []int64 {
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	return ids
}

// Choice is one entry of a list to choose from at log-in.
type Choice struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ChoiceIDs are the ids of choices.
func ChoiceIDs(list []Choice) []int64 {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	return ids
}

// HasChoice reports whether the id is among the choices.
func HasChoice(list []Choice, id int64) bool {
	return slices.ContainsFunc(list, func(c Choice) bool { return c.ID == id })
}

// choices runs a select of ids and names.
func choices(ctx context.Context, tx *store.Tx, query string, args ...any) ([]Choice, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("listing what to log in with: %w", err)
	}
	defer rows.Close()
	list := []Choice{}
	for rows.Next() {
		var c Choice
		if err := rows.Scan(&c.ID, &c.Name); err != nil {
			return nil, fmt.Errorf("listing what to log in with: %w", err)
		}
		if !HasChoice(list, c.ID) {
			list = append(list, c)
		}
	}
	return list, rows.Err()
}

// inList is "(?,?,…)" for n parameters.
func inList(n int) string { return "(" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")" }

func anys(ids []int64) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = id
	}
	return out
}

// ClientChoices are the tenants in which the users have a role.
func ClientChoices(ctx context.Context, tx *store.Tx, users []int64) ([]Choice, error) {
	return choices(ctx, tx, `SELECT DISTINCT c.AD_Client_ID, c.Name FROM AD_User_Roles ur
		JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID JOIN AD_Client c ON c.AD_Client_ID=r.AD_Client_ID AND c.IsActive='Y'
		WHERE ur.IsActive='Y' AND `+loginRole+` AND ur.AD_User_ID IN `+inList(len(users))+` ORDER BY c.Name, c.AD_Client_ID`, anys(users)...)
}

// RoleChoices are the roles the users have in a tenant.
func RoleChoices(ctx context.Context, tx *store.Tx, users []int64, clientID int64) ([]Choice, error) {
	return choices(ctx, tx, `SELECT DISTINCT r.AD_Role_ID, r.Name FROM AD_User_Roles ur JOIN AD_Role r ON r.AD_Role_ID=ur.AD_Role_ID
		WHERE ur.IsActive='Y' AND `+loginRole+` AND r.AD_Client_ID=? AND ur.AD_User_ID IN `+inList(len(users))+` ORDER BY r.Name, r.AD_Role_ID`,
		append([]any{clientID}, anys(users)...)...)
}

// RoleUser is which of the users has the role, the tenant's own one first.
func RoleUser(ctx context.Context, tx *store.Tx, users []int64, clientID, roleID int64) (int64, error) {
	var id int64
	err := tx.QueryRow(ctx, `SELECT u.AD_User_ID FROM AD_User_Roles ur JOIN AD_User u ON u.AD_User_ID=ur.AD_User_ID
		WHERE ur.IsActive='Y' AND ur.AD_Role_ID=? AND ur.AD_User_ID IN `+inList(len(users))+`
		ORDER BY u.AD_Client_ID<>?, u.AD_User_ID LIMIT 1`, append(append([]any{roleID}, anys(users)...), clientID)...).Scan(&id)
	if err != nil {
		return 0, fmt.Errorf("finding the user of a role: %w", err)
	}
	return id, nil
}

// OrgChoices are the organizations, but for summary ones, in which the user may work with the role.
func OrgChoices(ctx context.Context, e *engine.ERP, tx *store.Tx, userID, clientID, roleID int64) ([]Choice, error) {
	r, err := e.Roles.Get(ctx, tx, roleID, userID, e.Now())
	if err != nil {
		return nil, err
	}
	list, err := choices(ctx, tx, `SELECT AD_Org_ID, Name FROM AD_Org WHERE IsActive='Y' AND COALESCE(IsSummary,'N')='N'
		AND AD_Client_ID IN (0,?) ORDER BY Name, AD_Org_ID`, clientID)
	if err != nil || r.AllOrgs {
		return list, err
	}
	return slices.DeleteFunc(list, func(c Choice) bool { _, ok := r.Orgs[c.ID]; return !ok }), nil
}

// WarehouseChoices are the warehouses of an organization.
func WarehouseChoices(ctx context.Context, tx *store.Tx, clientID, orgID int64) ([]Choice, error) {
	return choices(ctx, tx, `SELECT M_Warehouse_ID, Name FROM M_Warehouse WHERE IsActive='Y' AND COALESCE(IsInTransit,'N')='N'
		AND AD_Client_ID=? AND AD_Org_ID=? ORDER BY Name, M_Warehouse_ID`, clientID, orgID)
}

package tokens

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Login is who logs in, and to what.
type Login struct {
	Username string
	Password Secret
	// Client, Role, Organization and Warehouse are ids in digits, or the
	// search key or name where the ERP's release understands those. Empty
	// leaves the choice to the ERP, which only makes one when there is a
	// single possibility.
	Client, Role, Organization, Warehouse string
	// Language is a login language such as "de_DE"; empty is the user's.
	Language string
}

func (l Login) check() error {
	switch {
	case l.Username == "":
		return errors.New("a login needs a user name; set ERP_USERNAME or give --username")
	case l.Password.IsZero():
		return errors.New("a login needs a password; set ERP_PASSWORD or let the command ask for it")
	}
	return nil
}

// body is the login request. All parameters go into the first request, so
// that one call completes the login. Digits are sent as numbers, because
// older releases of the REST plugin read nothing else.
func (l Login) body() any {
	type request struct {
		UserName   string         `json:"userName"`
		Password   string         `json:"password"`
		Parameters map[string]any `json:"parameters,omitempty"`
	}
	return request{l.Username, l.Password.Reveal(), l.parameters()}
}

// parameters are what is logged in to.
func (l Login) parameters() map[string]any {
	params := map[string]any{}
	for name, v := range map[string]string{
		"clientId": l.Client, "roleId": l.Role, "organizationId": l.Organization, "warehouseId": l.Warehouse,
	} {
		if v == "" {
			continue
		}
		if _, ok := numeric(v); ok {
			params[name] = json.Number(v)
		} else {
			params[name] = v
		}
	}
	if l.Language != "" {
		params["language"] = l.Language
	}
	return params
}

// matches reports whether a token with these claims is what the login would
// bring. Names, which only the ERP can resolve, are taken to match.
func (l Login) matches(c Claims) bool {
	if !c.Complete || c.Subject != l.Username {
		return false
	}
	for _, p := range []struct {
		want string
		got  int
	}{{l.Client, c.ClientID}, {l.Role, c.RoleID}, {l.Organization, c.OrgID}, {l.Warehouse, c.WarehouseID}} {
		if id, ok := numeric(p.want); ok && id != p.got {
			return false
		}
	}
	return true
}

// numeric reads an id in plain digits; it refuses "0042" and "+1".
func numeric(s string) (int, bool) {
	id, err := strconv.ParseInt(s, 10, 32)
	return int(id), err == nil && id >= 0 && strconv.FormatInt(id, 10) == s
}

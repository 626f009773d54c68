package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/baseurl"
)

// A login is credentials (a token, or a user name and its password), the
// client, role and organization to log in to, and the address they are for. All
// of it comes from one source. [Resolver.Value] returns nothing of a login from
// another source, and nothing that is for another address than the one in use.

// LoginOrigin returns the source of the login: the one closest to the call that
// has a token or a user name, else the one that has a password. It is [Unset]
// when none has.
func (r Resolver) LoginOrigin() Origin {
	for _, keys := range [][]string{{"token", "refreshToken", "token.keyring", "auth.username"}, {"auth.password"}} {
		for _, o := range origins {
			if slices.ContainsFunc(keys, func(key string) bool { return r.has(o, key) }) {
				return o
			}
		}
	}
	return Unset
}

func (r Resolver) has(o Origin, key string) bool {
	t, _ := r.from(o, known(key))
	return t != ""
}

// partOf reports whether what source o says about a login counts.
func (r Resolver) partOf(o Origin) bool {
	login := r.LoginOrigin()
	switch {
	case r.elsewhere(o):
		return false
	case login == FromFlag && o == FromEnv:
		// No flag takes a password safely, so a user name on the command line
		// goes with the variables.
		return r.has(FromFlag, "auth.username")
	}
	return login == o || login == Unset
}

// elsewhere reports whether the login of source o is for another address than
// the one in use. What a profile holds is for the address in the file, and
// variables are for ERP_URL where that is set.
func (r Resolver) elsewhere(o Origin) bool {
	used := r.Value("url")
	named, _ := r.from(o, known("url"))
	if used.Text() == "" || used.Origin == o || named == "" && o != FromProfile {
		return false
	}
	return !sameAddress(named, used.Text())
}

// sameAddress reports whether two texts name one server.
func sameAddress(a, b string) bool {
	const api = "/api/v1"
	ua, errA := baseurl.Parse(a, api)
	ub, errB := baseurl.Parse(b, api)
	if errA != nil || errB != nil {
		return a == b
	}
	return *ua == *ub
}

// Given returns what was given with the call for a key of a login: by flag, else
// by variable, unless the variables are for another address. The user enters a
// login this way; who uses one asks [Resolver.Value].
func (r Resolver) Given(key string) string {
	k := known(key)
	if t, _ := r.from(FromFlag, k); t != "" {
		return t
	}
	if r.elsewhere(FromEnv) {
		return ""
	}
	t, _ := r.from(FromEnv, k)
	return t
}

// CheckAddress returns an error when there is a login that is not used because it
// is for another address.
func (r Resolver) CheckAddress() error {
	o := r.LoginOrigin()
	if o == Unset || !r.elsewhere(o) {
		return nil
	}
	used := r.Value("url")
	because := "--url"
	if used.Origin == FromEnv {
		because = used.Key.Env
	}
	named, _ := r.from(o, known("url"))
	at := fmt.Sprintf("%s, and the request goes to %s (%s)", shown(named), shown(used.Text()), because)
	switch {
	case o == FromEnv && r.has(o, "token"):
		return fmt.Errorf("ERP_TOKEN is for %s; set ERP_URL to its address", at)
	case o == FromEnv:
		return fmt.Errorf("ERP_USERNAME and ERP_PASSWORD are for %s; set ERP_URL to their address", at)
	}
	if stored, _ := r.from(o, known("token.url")); stored != "" && sameAddress(stored, used.Text()) {
		return nil // the stored login was obtained there
	}
	name := cmp.Or(r.Profile, DefaultProfile)
	if named == "" {
		return fmt.Errorf("the login of profile %s has no address, and is sent to none; store it with `erphub --profile %[1]s config set url URL`", name)
	}
	return fmt.Errorf("the login of profile %s is for %s; set ERP_USERNAME and ERP_PASSWORD, or add a profile with `erphub --profile NAME --url URL auth login`", name, at)
}

// Ignored returns the variables about a login that do not count, because the login
// comes from elsewhere.
func (r Resolver) Ignored() []string {
	var names []string
	if r.LoginOrigin() == Unset || r.partOf(FromEnv) || r.elsewhere(FromEnv) {
		return nil
	}
	for _, k := range Keys() {
		if k.Login && r.has(FromEnv, k.Name) {
			names = append(names, k.Env)
		}
	}
	return names
}

// shown is an address as it may be shown: one that cannot be parsed may hold a
// password.
func shown(address string) string {
	u, err := baseurl.Parse(address, "/api/v1")
	if err != nil {
		return "another address"
	}
	return strings.TrimSuffix(u.String(), "/")
}

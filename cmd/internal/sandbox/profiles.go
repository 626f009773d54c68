package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/config"
)

// sandboxLogin is a login of the embedded ERP, which everybody knows.
type sandboxLogin struct {
	profile            string
	username, password string
	client, role, org  string
	about              string
}

// sandboxLogins are the logins that sandbox --write-profiles stores.
var sandboxLogins = []sandboxLogin{
	{"garden", "GardenAdmin", "GardenAdmin", "11", "102", "11", "business data of the tenant GardenWorld"},
	{"system", "SuperUser", "System", "0", "0", "0", "the dictionary, plugins, deployments"},
}

// writeSandboxProfiles stores the sandbox's logins as profiles of the
// configuration. Those of an earlier sandbox are replaced, with the tokens it
// signed; it fails if a profile of the same name is for another ERP, or for a sandbox
// that still runs. The first becomes the current one when no other is.
func (a *app) writeSandboxProfiles(ctx context.Context, c *cli.Context, address string) error {
	path, err := a.ConfigPath(c)
	if err != nil {
		return err
	}
	err = config.NewFile(path).Update(ctx, func(d *config.Document) error {
		for _, l := range sandboxLogins {
			if err := l.write(d, address); err != nil {
				return err
			}
		}
		if used, _ := d.Get("", "url"); used == "" && d.Current() == "" {
			return d.Use(sandboxLogins[0].profile)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the profiles of the sandbox: %w", err)
	}
	return nil
}

func (l sandboxLogin) write(d *config.Document, address string) error {
	settings := [][2]string{
		{"url", address}, {"auth.username", l.username}, {"auth.password", l.password},
		{"auth.default-client-id", l.client}, {"auth.default-role-id", l.role}, {"auth.default-org-id", l.org},
	}
	current := d.Current()
	if _, err := d.Choose(l.profile); err == nil {
		has, _ := d.Get(l.profile, "url")
		user, _ := d.Get(l.profile, "auth.username")
		if !loopback(has) || user != l.username {
			return fmt.Errorf("there is a profile %q for %q already; remove or rename it, or start without --write-profiles", l.profile, has)
		}
		if has != address && serves(has) {
			return fmt.Errorf("the profile %q is for the sandbox that runs at %s: start this one without --write-profiles, then `erphub --profile NAME --url %s auth login` makes a profile for it",
				l.profile, has, address)
		}
		if err := d.RemoveProfile(l.profile); err != nil {
			return err
		}
	}
	if err := d.AddProfile(l.profile); err != nil {
		return err
	}
	for _, s := range settings {
		if err := d.Set(l.profile, s[0], s[1]); err != nil {
			return err
		}
	}
	if current == l.profile {
		return d.Use(current)
	}
	return nil
}

// serves reports whether something listens at an address of this machine.
func serves(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	conn, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err == nil {
		err = conn.Close()
	}
	return err == nil
}

// loopback reports whether an address leads to this machine.
func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

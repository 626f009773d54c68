package login

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// loginParts are what a login chooses, in the words of the command line.
var loginParts = map[tokens.Part]struct{ label, flag, key string }{
	tokens.PartClient:       {"Tenant", "client", "auth.default-client-id"},
	tokens.PartRole:         {"Role", "role", "auth.default-role-id"},
	tokens.PartOrganization: {"Organization", "org", "auth.default-org-id"},
	tokens.PartWarehouse:    {"Warehouse", "warehouse", ""},
}

// passwordTries is how often somebody is asked for a password that the ERP refuses.
const passwordTries = 3

// authLogin logs in and stores the login. On a terminal it asks for what is
// missing; elsewhere that is wrong usage.
func (a *app) authLogin(c *cli.Context) error {
	s, err := a.authSetup(c, true)
	if err != nil {
		return err
	}
	if err := checkBrowser(c); err != nil {
		return err
	}
	in := bufio.NewReader(a.Streams.In)
	if err := a.loginAddress(c, s, in); err != nil {
		return err
	}
	if user := c.String("username"); user != "" {
		s.Resolver.Flags["auth.username"] = user // what the profile says belongs to another login
	}
	where, err := a.saveIn(c, s)
	if err != nil {
		return err
	}
	m, store, err := a.authManager(s, where...)
	if err != nil {
		return err
	}
	if c.Bool("browser") {
		err = a.browserLogin(c, s, store)
	} else {
		err = a.terminalLogin(c, s, m, in)
	}
	if err != nil {
		return err
	}
	after, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	if err := a.loginSticks(c, s, after); err != nil {
		return err
	}
	return a.printStatus(c, after, nil, nil)
}

// terminalLogin logs in with what flags, settings and a person at the terminal say.
func (a *app) terminalLogin(c *cli.Context, s *shell.Setup, m *tokens.Manager, in *bufio.Reader) error {
	before, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	login := askedLogin(c, s)
	if login.Username, err = a.askedUser(c, s, in, before); err != nil {
		return err
	}
	return a.tryLogin(c, s, m, login, a.chooser(c, in, before))
}

// askedLogin is the login that flags and settings ask for, without the user.
func askedLogin(c *cli.Context, s *shell.Setup) tokens.Login {
	login := tokens.Login{Warehouse: c.String("warehouse"), Language: c.String("language")}
	for part, to := range map[tokens.Part]*string{
		tokens.PartClient: &login.Client, tokens.PartRole: &login.Role, tokens.PartOrganization: &login.Organization,
	} {
		p := loginParts[part]
		if *to = c.String(p.flag); !c.IsSet(p.flag) {
			*to = s.Resolver.Given(p.key)
			if v := s.Resolver.Value(p.key); *to == "" && v.Origin == config.FromProfile {
				*to = v.Text()
			}
		}
	}
	return login
}

// tryLogin logs in; a person may correct a password that is refused.
func (a *app) tryLogin(c *cli.Context, s *shell.Setup, m *tokens.Manager, login tokens.Login, choose tokens.Chooser) error {
	for try := 1; ; try++ {
		password, asked, err := a.password(c, s, login.Username)
		if err != nil {
			return err
		}
		login.Password = password
		err = m.LoginChoosing(c.Context, login, choose)
		if err == nil || !asked || try == passwordTries || !errors.Is(err, tokens.ErrCredentials) {
			return err
		}
		a.Remark("user name or password is wrong; try again, or end with Ctrl-C")
	}
}

// loginAddress makes sure that there is an address to log in at.
func (a *app) loginAddress(c *cli.Context, s *shell.Setup, in *bufio.Reader) error {
	key, _ := config.Lookup("url")
	if url := s.Resolver.Lookup("url"); url != "" {
		return shell.Usage(key.Check(url))
	}
	if !a.Asks() || c.Bool("json") {
		return shell.Usagef("a login needs the address of an ERP: give --url or set ERP_URL; `erphub sandbox` serves one to try")
	}
	url, err := a.Ask(c.Context, in, "Address of the ERP, such as https://erp.example.com", "", key.Check)
	s.Resolver.Flags["url"] = url
	return err
}

// askedUser is who logs in. before is the login that is stored.
func (a *app) askedUser(c *cli.Context, s *shell.Setup, in *bufio.Reader, before tokens.Status) (string, error) {
	name := s.Resolver.Lookup("auth.username")
	switch {
	case name != "":
		return name, nil
	case !a.Asks() || c.Bool("json"):
		if err := s.CheckAddress(); err != nil {
			return "", err
		}
		return "", shell.Usagef("a login needs a user name: give --username or set ERP_USERNAME")
	}
	return a.Ask(c.Context, in, "User name", before.User, func(s string) error {
		if s == "" {
			return errors.New("it is needed")
		}
		return nil
	})
}

// chooser picks what a login leaves open: a person does on a terminal. Elsewhere
// it is 0 (System, and the organization *), the documented default, where the
// user has that, and wrong usage where not.
func (a *app) chooser(c *cli.Context, in *bufio.Reader, before tokens.Status) tokens.Chooser {
	return func(ctx context.Context, part tokens.Part, from []tokens.Choice) (int, error) {
		if a.Asks() && !c.Bool("json") {
			return a.choose(ctx, in, part, from, before)
		}
		if part == tokens.PartWarehouse {
			return tokens.LeaveToERP, nil
		}
		for i, o := range from {
			if o.ID == 0 {
				return i, nil
			}
		}
		p := loginParts[part]
		key, _ := config.Lookup(p.key)
		return 0, shell.Usagef("which %s? Give --%s or set %s: %s", strings.ToLower(p.label), p.flag, key.Env, listed(from))
	}
}

// listed names choices in one line.
func listed(from []tokens.Choice) string {
	const most = 20
	var b strings.Builder
	for i, o := range from[:min(len(from), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d (%s)", o.ID, shell.Short(o.Name, 60))
	}
	if len(from) > most {
		fmt.Fprintf(&b, " and %d more", len(from)-most)
	}
	return b.String()
}

// choose lets a person choose, by number in the list or by name. Just Enter
// takes what the stored login has, or leaves a warehouse to the ERP.
func (a *app) choose(ctx context.Context, in *bufio.Reader, part tokens.Part, from []tokens.Choice, before tokens.Status) (int, error) {
	p := loginParts[part]
	fmt.Fprintf(a.Streams.Err, "%s:\n", p.label)
	usual := ""
	had := map[tokens.Part]*int{
		tokens.PartClient: before.ClientID, tokens.PartRole: before.RoleID,
		tokens.PartOrganization: before.OrgID, tokens.PartWarehouse: before.WarehouseID,
	}[part]
	for i, o := range from {
		fmt.Fprintf(a.Streams.Err, "  %d) %s\n", i+1, shell.Printable(shell.Short(o.Name, 100)))
		if had != nil && *had == o.ID {
			usual = strconv.Itoa(i + 1)
		}
	}
	if usual == "" && part == tokens.PartWarehouse {
		usual = "the organization's default"
	}
	chosen := tokens.LeaveToERP
	_, err := a.Ask(ctx, in, "Number or name", usual, func(line string) error {
		if part == tokens.PartWarehouse && line == usual && strings.Contains(usual, " ") {
			return nil
		}
		chosen = pickChoice(from, line)
		if chosen < 0 {
			return fmt.Errorf("it must be a number from 1 to %d, or one of the names", len(from))
		}
		return nil
	})
	return chosen, err
}

// pickChoice finds a choice by its name, or by its place in the list; -1 for none.
func pickChoice(from []tokens.Choice, line string) int {
	found := -1
	for i, o := range from {
		if strings.EqualFold(o.Name, line) {
			if found >= 0 {
				return -1 // two of the same name
			}
			found = i
		}
	}
	if n, err := strconv.Atoi(line); found < 0 && err == nil && n >= 1 && n <= len(from) {
		found = n - 1
	}
	return found
}

// loginSticks brings the profile in line with the login, so that commands that
// follow mean the same. The store has added the address already.
func (a *app) loginSticks(c *cli.Context, s *shell.Setup, now tokens.Status) error {
	if own, _ := s.Resolver.Document.Get(s.Profile, "url"); own != "" && !sameServer(own, now.Server) {
		name := cmp.Or(s.Profile, "default")
		a.Note("the login is for %s, but the address of the profile %s stays %s: change it with `erphub config set url`, or log in with --profile and a name of its own",
			now.Server, name, own)
	}
	return a.ConfigFile(s.File.Path()).Update(c.Context, func(d *config.Document) error {
		for part, id := range map[tokens.Part]*int{
			tokens.PartClient: now.ClientID, tokens.PartRole: now.RoleID, tokens.PartOrganization: now.OrgID,
		} {
			p := loginParts[part]
			had, _ := d.Get(s.Profile, p.key)
			if had == "" || id == nil || s.Resolver.Value(p.key).Origin == config.FromProfile && !c.IsSet(p.flag) {
				continue // it was logged in with
			}
			if err := d.Set(s.Profile, p.key, strconv.Itoa(*id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// sameServer compares an address with one as it is stored with tokens.
func sameServer(address, server string) bool {
	address = strings.TrimRight(address, "/")
	return strings.EqualFold(strings.TrimRight(strings.TrimSuffix(address, "/api/v1"), "/"), server)
}

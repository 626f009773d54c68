package app

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

func (a *app) authCommand() *cli.Command {
	return &cli.Command{
		Name:  "auth",
		Usage: "log in, and see or end the stored login",
		Subcommands: []*cli.Command{
			{
				Name: "login", Usage: "log in and store the tokens in the profile",
				Description: "The password is asked for on a terminal. Elsewhere give it with --password-file, on standard input\n" +
					"with --password -, or in ERP_PASSWORD; on the command line it would show in process lists.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "username", Usage: "user name (ERP_USERNAME)"},
					&cli.StringFlag{Name: "password", Usage: "password; - reads it from standard input"},
					&cli.StringFlag{Name: "password-file", Usage: "file that holds the password", TakesFile: true},
					&cli.StringFlag{Name: "client", Usage: "tenant, by id or search key (ERP_CLIENT_ID)"},
					&cli.StringFlag{Name: "role", Usage: "role, by id or name (ERP_ROLE_ID)"},
					&cli.StringFlag{Name: "org", Usage: "organization, by id or name (ERP_ORG_ID)"},
					&cli.StringFlag{Name: "warehouse", Usage: "warehouse, by id or name"},
					&cli.StringFlag{Name: "language", Usage: "language of the session, such as de_DE"},
				},
				Action: a.authLogin,
			},
			{Name: "refresh", Usage: "swap the stored tokens for new ones now", Action: a.authRefresh},
			{Name: "status", Usage: "show who is logged in, where, and for how long", Action: a.authStatus},
			{Name: "logout", Usage: "end the login, on the server, too", Action: a.authLogout},
		},
	}
}

// manager is the token manager over the profile. A profile that is asked for
// need not exist when create is true.
func (a *app) manager(c *cli.Context, create bool) (*tokens.Manager, *setup, error) {
	if c.Args().Present() {
		// What stands there may be a password with a space: it is not repeated.
		return nil, nil, usagef("auth %s takes no arguments, only flags; got %d", c.Command.Name, c.NArg())
	}
	s, err := a.setupFor(c, create)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.url(); err != nil {
		return nil, nil, err
	}
	if s.file == nil {
		return nil, nil, usagef("there is no place for the tokens: set ERPHUB_CONFIG to a file")
	}
	settings, err := tokens.ParseSettings(s.resolver.Lookup)
	if err != nil {
		return nil, nil, usageErr{err}
	}
	settings.AutoLogin = false // these commands do what they are told, no more
	store, err := filestore.Open(s.file.Path(), filestore.WithProfile(s.profile))
	if err != nil {
		return nil, nil, err
	}
	m, err := settings.Manager(store, tokens.WithLogger(a.log))
	if err != nil {
		return nil, nil, usageErr{err}
	}
	a.refreshes.keep(m)
	return m, s, nil
}

func (a *app) authLogin(c *cli.Context) error {
	m, s, err := a.manager(c, true)
	if err != nil {
		return err
	}
	first := func(flag, key string) string {
		if c.IsSet(flag) {
			return c.String(flag)
		}
		return s.resolver.Lookup(key)
	}
	login := tokens.Login{
		Username: first("username", "auth.username"),
		Client:   first("client", "auth.default-client-id"), Role: first("role", "auth.default-role-id"),
		Organization: first("org", "auth.default-org-id"), Warehouse: c.String("warehouse"), Language: c.String("language"),
	}
	if login.Username == "" {
		return usagef("a login needs a user name: give --username or set ERP_USERNAME")
	}
	if login.Password, err = a.password(c, s); err != nil {
		return err
	}
	if err := m.Login(c.Context, login); err != nil {
		return err
	}
	return a.printStatus(c, m)
}

// password takes the password from a file, standard input, the settings, or a
// prompt without echo.
func (a *app) password(c *cli.Context, s *setup) (tokens.Secret, error) {
	if c.IsSet("password") && c.IsSet("password-file") {
		return tokens.Secret{}, usagef("give --password or --password-file, not both")
	}
	var text string
	var err error
	switch {
	case c.String("password-file") != "":
		text, err = readSecretFile(c.String("password-file"))
	case c.String("password") == "-":
		text, err = readSecret(a.streams.In)
	case c.String("password") != "":
		text = c.String("password")
	case s.resolver.Lookup("auth.password") != "":
		text = s.resolver.Lookup("auth.password")
	case terminal(a.streams.In):
		fmt.Fprint(a.streams.Err, "Password: ")
		var typed []byte
		typed, err = term.ReadPassword(int(a.streams.In.(*os.File).Fd()))
		fmt.Fprintln(a.streams.Err)
		text = string(typed)
	default:
		return tokens.Secret{}, usagef("a login needs a password: give --password-file FILE, or --password - and write it to standard input, or set ERP_PASSWORD")
	}
	if err != nil {
		return tokens.Secret{}, fmt.Errorf("reading the password: %w", err)
	}
	if text == "" {
		return tokens.Secret{}, usagef("the password is empty")
	}
	return tokens.NewSecret(text), nil
}

func (a *app) authRefresh(c *cli.Context) error {
	m, _, err := a.manager(c, false)
	if err != nil {
		return err
	}
	if err := m.Refresh(c.Context); err != nil {
		return err
	}
	return a.printStatus(c, m)
}

func (a *app) authStatus(c *cli.Context) error {
	m, _, err := a.manager(c, false)
	if err != nil {
		return err
	}
	return a.printStatus(c, m)
}

func (a *app) authLogout(c *cli.Context) error {
	m, _, err := a.manager(c, false)
	if err != nil {
		return err
	}
	if err := m.Logout(c.Context); err != nil {
		return err
	}
	if c.Bool("json") {
		return a.printStatus(c, m)
	}
	_, err = fmt.Fprintln(a.streams.Out, "logged out")
	return err
}

// printStatus shows the stored login. That there is none, or that it can no
// longer be used, is the exit code "not logged in".
func (a *app) printStatus(c *cli.Context, m *tokens.Manager) error {
	st, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if err := a.printJSON(st); err != nil {
			return err
		}
	} else {
		id := func(n *int) string {
			if n == nil {
				return "-"
			}
			return strconv.Itoa(*n)
		}
		expires := "-"
		if st.ExpiresAt != nil {
			expires = fmt.Sprintf("in %s (%s)", (time.Duration(st.ExpiresIn) * time.Second), st.ExpiresAt.Local().Format(time.RFC3339))
		}
		rows := [][]string{
			{"state", string(st.State)}, {"server", st.Server}, {"user", st.User},
			{"tenant", id(st.ClientID)}, {"role", id(st.RoleID)}, {"organization", id(st.OrgID)},
			{"expires", expires}, {"renews itself", yesNo(st.Refreshable)}, {"stored in", st.StoredIn},
		}
		if st.Interrupted {
			rows = append(rows, []string{"note", "a refresh was cut off; log in again when the token has expired"})
		}
		a.printTable([]string{"login", ""}, rows)
	}
	switch st.State {
	case tokens.StateValid, tokens.StateDue:
		return nil
	}
	if c.Command.Name == "logout" {
		return nil
	}
	return errors.Join(errReported, tokens.ErrAuthentication)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

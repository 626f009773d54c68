package login

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/secretfile"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

func (a *app) authCommand() *cli.Command {
	return &cli.Command{
		Name:  "auth",
		Usage: "log in, log out, show the stored login, explain permissions",
		Subcommands: []*cli.Command{
			{
				Name: "login", Usage: "log in and store the tokens in the profile",
				Description: "On a terminal what is missing is asked for: address, user, password, and by name the tenant, role, " +
					"organization and warehouse, where the user has more than one. Elsewhere give the password with --password-file, " +
					"on standard input with --password -, or in ERP_PASSWORD; on the command line it would show in process lists. " +
					"The address is stored in a profile that has none, so that the next command needs nothing else.",
				Flags: append(shell.ValueFlags(),
					&cli.BoolFlag{Name: "browser", Usage: "log in on a page in the browser of this computer, which asks for the user, the password, and what to log in to"},
					&cli.StringFlag{Name: "username", Usage: "user name (ERP_USERNAME)"},
					&cli.StringFlag{Name: "password", Usage: "password; - reads it from standard input"},
					&cli.StringFlag{Name: "password-file", Usage: "file that holds the password", TakesFile: true},
					&cli.StringFlag{Name: "client", Usage: "tenant, by id, name or search key (ERP_CLIENT_ID)"},
					&cli.StringFlag{Name: "role", Usage: "role, by id or name (ERP_ROLE_ID)"},
					&cli.StringFlag{Name: "org", Usage: "organization, by id or name (ERP_ORG_ID)"},
					&cli.StringFlag{Name: "warehouse", Usage: "warehouse, by id or name"},
					&cli.StringFlag{Name: "language", Usage: "language of the session, such as de_DE"},
					&cli.StringFlag{Name: "store", Usage: "where the tokens are stored: keyring, file, or auto: the system's keyring where there is one (token.store)"},
				),
				Action: a.authLogin,
			},
			{Name: "refresh", Usage: "refresh the stored tokens now", Flags: shell.ValueFlags(), Action: a.authRefresh},
			{
				Name: "status", Usage: "show who is logged in, where, and for how long",
				Description: "Checks whether the ERP accepts the login; tokens that are due are refreshed. Exit code 3 means that " +
					"there is no usable login, 4 that tokens are due and the ERP cannot be reached.",
				Flags: shell.ValueFlags(), Action: a.authStatus,
			},
			a.explainCommand(),
			{Name: "logout", Usage: "log out, on the server, too", Flags: shell.ValueFlags(), Action: a.authLogout},
		},
	}
}

// authSetup is the setup of the commands about the stored login. A profile that
// is asked for need not exist when create is true.
func (a *app) authSetup(c *cli.Context, create bool) (*shell.Setup, error) {
	if err := shell.Arguments(c); err != nil {
		return nil, err
	}
	s, err := a.SetupFor(c, create)
	if err == nil && s.File == nil {
		_, err = a.ConfigPath(c) // says why
	}
	return s, err
}

// authManager is the token manager over the profile, which where says more about, with
// the store of its login.
func (a *app) authManager(s *shell.Setup, where ...filestore.Option) (*tokens.Manager, tokens.Store, error) {
	if _, err := s.URL(); err != nil {
		return nil, nil, err
	}
	store, err := a.OpenStore(s, append(where, filestore.WithAddress())...)
	if err != nil {
		return nil, nil, err
	}
	m, err := shell.ManagerOf(s.Resolver, store, tokens.WithLogger(a.Log))
	if err == nil {
		a.Keep(m)
	}
	return m, store, err
}

// manager is both, for what is done with a login that is there.
func (a *app) manager(c *cli.Context) (*tokens.Manager, *shell.Setup, error) {
	s, err := a.authSetup(c, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.CheckAddress(); err != nil {
		return nil, nil, err
	}
	m, _, err := a.authManager(s)
	return m, s, err
}

// password takes the password of a user from a file, standard input, the settings,
// or a prompt without echo, which asked tells.
func (a *app) password(c *cli.Context, s *shell.Setup, user string) (secret tokens.Secret, asked bool, err error) {
	if c.IsSet("password") && c.IsSet("password-file") {
		return secret, false, shell.Usagef("give --password or --password-file, not both")
	}
	given := "" // a password belongs to its user name
	if named := a.Getenv("ERP_USERNAME"); named == "" || named == user {
		given = s.Resolver.Given("auth.password")
	}
	kept := s.Resolver.Value("auth.password")
	if given == "" && kept.Origin == config.FromProfile && s.Resolver.Lookup("auth.username") == user {
		given = kept.Text()
	}
	var text string
	switch {
	case c.String("password-file") != "":
		text, err = secretfile.ReadFile(c.String("password-file"))
	case c.String("password") == "-":
		text, err = secretfile.Read(a.Streams.In)
	case c.String("password") != "":
		text = c.String("password")
	case given != "":
		text = given
	case a.Asks():
		asked = true
		text, err = a.AskSecret(c.Context, "Password")
	default:
		return secret, false, shell.Usagef("a login needs a password: give --password-file FILE, or --password - and write it to standard input, or set ERP_PASSWORD")
	}
	if err != nil {
		return secret, asked, fmt.Errorf("reading the password: %w", err)
	}
	if text == "" {
		return secret, asked, shell.Usagef("the password is empty")
	}
	return tokens.NewSecret(text), asked, nil
}

func (a *app) authRefresh(c *cli.Context) error {
	m, _, err := a.manager(c)
	if err != nil {
		return err
	}
	if err := m.Refresh(c.Context); err != nil {
		return err
	}
	st, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	return a.printStatus(c, st, nil, nil)
}

func (a *app) authLogout(c *cli.Context) error {
	m, _, err := a.manager(c)
	if err != nil {
		return err
	}
	if err := m.Logout(c.Context); err != nil {
		return err
	}
	st, err := m.Status(c.Context)
	if err != nil {
		return err
	}
	return a.Print(c, st, output.Table{Below: "logged out\n"})
}

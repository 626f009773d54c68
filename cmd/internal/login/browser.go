package login

import (
	"fmt"

	"github.com/cli/browser"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/tokens"
)

// checkBrowser refuses what the page asks for beside --browser, and to ask nobody.
func checkBrowser(c *cli.Context) error {
	for _, name := range []string{"no-input", "username", "password", "password-file", "client", "role", "org", "warehouse", "language"} {
		if c.Bool("browser") && c.IsSet(name) {
			return shell.Usagef("--%s does not go with --browser: the page asks for it, or the ERP decides", name)
		}
	}
	return nil
}

// browserLogin has a person log in on a page, and stores the login.
func (a *app) browserLogin(c *cli.Context, s *shell.Setup, store tokens.Store) error {
	st, err := browserlogin.Once(c.Context, s.Resolver.Lookup("url"), a.Log, func(address string) error {
		fmt.Fprintf(a.Streams.Err, "Log in at %s\n", address)
		if shell.Terminal(a.Streams.Err) {
			_ = browser.OpenURL(address) // without a browser, the address is printed
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("logging in with the browser: %w", err)
	}
	unlock, err := store.Lock(c.Context)
	if err != nil {
		return err
	}
	defer unlock()
	return store.Save(c.Context, st)
}

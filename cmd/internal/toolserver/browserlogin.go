package toolserver

import (
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/tokens"
)

func browserLoginFlag() cli.Flag {
	return &cli.BoolFlag{Name: "browser-login", Usage: "let users log in to the ERP with their browser, for clients that know the address of the server alone (OAuth); " +
		"needs --public-url with https:// where other machines reach it"}
}

// browserLogin is the login of clients' users; nil without --browser-login.
func (a *app) browserLogin(c *cli.Context, s *shell.Setup, box *toolbox, verifier *tokens.Verifier, log *slog.Logger) (*browserlogin.Server, error) {
	if !c.Bool("browser-login") {
		return nil, nil
	}
	erp := s.Resolver.Lookup("url")
	switch {
	case verifier == nil:
		return nil, shell.Usagef("--own-login authenticates nobody, --browser-login every user; choose one")
	case erp == "":
		return nil, shell.Usagef("--browser-login needs the address of the ERP, where users log in; set ERP_URL or give --url")
	}
	if err := browserlogin.CheckURL(c.String("public-url")); err != nil {
		return nil, shell.Usagef("--public-url: %w", err)
	}
	store := browserlogin.NewMemory()
	address, err := a.RedisURL(c, s)
	if err != nil {
		return nil, err
	}
	if address != "" {
		if store, err = browserlogin.OpenRedis(address); err != nil {
			return nil, shell.Usage(err)
		}
	}
	box.closers = append(box.closers, store.Close)
	login, err := browserlogin.New(browserlogin.Options{ERP: erp, PublicURL: c.String("public-url"), Verifier: verifier, Store: store, Logger: log})
	return login, shell.Usage(err)
}

// checkReach refuses to let other machines reach what is for this one.
func checkReach(c *cli.Context, ln *shell.Listener) error {
	switch {
	case ln.Loopback:
		return nil
	case c.Bool("own-login"):
		return shell.Usagef("--own-login lets everybody in who reaches the server: listen on loopback, or leave it out")
	case c.Bool("browser-login") && c.String("public-url") == "":
		return shell.Usagef("--browser-login needs --public-url, such as https://tools.example.com, where other machines reach the server")
	}
	return nil
}

// aboutBrowserLogin says what the login keeps.
func aboutBrowserLogin(c *cli.Context, box *toolbox, url string) string {
	if !c.Bool("browser-login") {
		return ""
	}
	if public := c.String("public-url"); public != "" {
		url = public
	}
	text := " Or their users log in with a browser, and end that at " + url + "/oauth/grants: "
	if box.shared != nil {
		return text + "Redis keeps it."
	}
	return text + "this process keeps it, so it ends with the server."
}

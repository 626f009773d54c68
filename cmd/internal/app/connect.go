package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// maxTokenFile bounds what is read as a token from a file or standard input.
const maxTokenFile = 64 << 10

// setup is what flags, environment and profile say together.
type setup struct {
	resolver config.Resolver
	file     *config.File // nil when there is no place for one
	profile  string
	made     tokens.Source // of source, so that one run logs in once
}

// setup reads flags, environment and the chosen profile, which must exist.
func (a *app) setup(c *cli.Context) (*setup, error) { return a.setupFor(c, false) }

// setupFor is setup where a profile asked for by name may be a new one.
func (a *app) setupFor(c *cli.Context, create bool) (*setup, error) {
	s := &setup{resolver: config.Resolver{Flags: map[string]string{}, Getenv: a.getenv}}
	if url := c.String("url"); url != "" {
		s.resolver.Flags["url"] = url
	}
	if path := c.String("token-file"); path != "" {
		token, err := readSecretFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the token: %w", err)
		}
		s.resolver.Flags["token"] = token
	}
	asked := c.String("profile")
	if asked == "" {
		asked = a.getenv("ERPHUB_PROFILE")
	}
	path, err := a.configPath(c)
	if err != nil {
		if asked != "" {
			return nil, err
		}
		return s, nil // no home, no profile: flags and environment are enough
	}
	s.file = config.NewFile(path)
	doc, err := s.file.Read()
	if err != nil {
		return nil, err
	}
	s.profile, err = doc.Choose(asked)
	switch {
	case err != nil && create && asked != "" && errors.Is(err, config.ErrNoProfile):
		s.profile = asked
	case err != nil:
		return nil, usageErr{err}
	}
	s.resolver.Document, s.resolver.Profile = doc, s.profile
	return s, nil
}

func (a *app) getenv(name string) string { return a.env[name] }

func (a *app) configPath(c *cli.Context) (string, error) {
	if path := c.String("config"); path != "" {
		return path, nil
	}
	return config.DefaultPath(a.getenv)
}

// url is the ERP's address; that there is none is wrong usage.
func (s *setup) url() (string, error) {
	if url := s.resolver.Lookup("url"); url != "" {
		return url, nil
	}
	return "", usagef("no address of an ERP: set ERP_URL, give --url, or store one with `erphub config set url URL`; " +
		"`erphub sandbox` serves one to try")
}

// rank orders origins: what is given closer to the call wins.
func rank(o config.Origin) int {
	switch o {
	case config.FromFlag:
		return 3
	case config.FromEnv:
		return 2
	case config.FromProfile:
		return 1
	}
	return 0
}

// settings are the token settings. A token given by flag or environment is
// used as it is unless credentials are given at least as close to the call;
// one in the profile belongs to the store, which can also renew it.
func (s *setup) settings() (tokens.Settings, error) {
	token := rank(s.resolver.Value("token").Origin)
	login := min(rank(s.resolver.Value("auth.username").Origin), rank(s.resolver.Value("auth.password").Origin))
	settings, err := tokens.ParseSettings(func(key string) string {
		switch key {
		case "token":
			if token < rank(config.FromEnv) {
				return ""
			}
		case "auth.username", "auth.password":
			if token >= rank(config.FromEnv) && token > login {
				return ""
			}
		}
		return s.resolver.Lookup(key)
	})
	if err != nil {
		return settings, usageErr{err}
	}
	if (settings.Username == "") != settings.Password.IsZero() && token == 0 {
		return settings, usagef("user name and password belong together: set both ERP_USERNAME and ERP_PASSWORD, or neither")
	}
	return settings, nil
}

// store is where tokens are kept: the profile for what the profile says, this
// process only for credentials that come from the environment, so that a trial
// against another server never replaces a stored login.
func (a *app) store(s *setup) (tokens.Store, error) {
	if s.file == nil || rank(s.resolver.Value("auth.username").Origin) >= rank(config.FromEnv) {
		return nil, nil
	}
	return a.openStore(s)
}

// openStore opens the store in the profile.
func (a *app) openStore(s *setup, more ...filestore.Option) (*filestore.Store, error) {
	return filestore.Open(s.file.Path(), append(more, filestore.WithProfile(s.profile), filestore.OnWait(a.noteWaiting))...)
}

// configFile is the configuration file at path, for changes.
func (a *app) configFile(path string) *config.File {
	return config.NewFile(path, config.OnWait(a.noteWaiting))
}

func (a *app) noteWaiting(lock string) {
	a.note("waiting for another process, which holds %s", lock)
}

// source is where requests get their token; nil for none at all.
func (a *app) source(s *setup) (tokens.Source, error) {
	a.used = s
	if s.made != nil {
		return s.made, nil
	}
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	store, err := a.store(s)
	if err != nil {
		return nil, err
	}
	if settings.Username != "" && !settings.Token.IsZero() && s.resolver.Value("token").Origin == config.FromEnv {
		a.note("ERP_TOKEN is ignored, as there are user name and password to log in with; unset one or the other")
	}
	source, err := settings.Source(store, tokens.WithLogger(a.log))
	if err != nil {
		return nil, usageErr{err} // it only looks at the settings
	}
	a.refreshes.keep(source)
	s.made = source
	return source, nil
}

// client connects to the ERP the settings name.
func (a *app) client(c *cli.Context) (*erp.Client, error) {
	s, err := a.setup(c)
	if err != nil {
		return nil, err
	}
	return a.clientFor(c, s)
}

func (a *app) clientFor(c *cli.Context, s *setup, more ...erp.Option) (*erp.Client, error) {
	url, err := s.url()
	if err != nil {
		return nil, err
	}
	opts := []erp.Option{erp.WithUserAgent("erphub/" + version()), erp.WithLogger(a.log)}
	if locale := c.String("locale"); locale != "" {
		opts = append(opts, erp.WithLocale(locale))
	}
	source, err := a.source(s)
	if err != nil {
		return nil, err
	}
	if source != nil {
		opts = append(opts, erp.WithTokenSource(source))
	}
	client, err := erp.New(url, append(opts, more...)...)
	if errors.Is(err, erp.ErrInvalid) {
		return nil, usageErr{err}
	}
	return client, err
}

// clientWith connects with a login of its own, kept in this process.
func (a *app) clientWith(ctx context.Context, url string, login tokens.Login) (*erp.Client, error) {
	m, err := tokens.NewManager(url, tokens.WithCredentials(login), tokens.WithLogger(a.log))
	if err != nil {
		return nil, err
	}
	if err := m.Ready(ctx); err != nil {
		return nil, err
	}
	return erp.New(url, erp.WithTokenSource(m), erp.WithUserAgent("erphub/"+version()), erp.WithLogger(a.log))
}

// readSecretFile reads a secret from a file, without the line break an editor
// puts behind it.
func readSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readSecret(f)
}

func readSecret(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTokenFile+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxTokenFile {
		return "", fmt.Errorf("it is longer than %d bytes, which no token or password is", maxTokenFile)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

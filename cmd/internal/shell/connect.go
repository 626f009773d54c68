package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/connect"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/keyring"
	"github.com/erphub/erphub/internal/secretfile"
	"github.com/erphub/erphub/tokens"
	"github.com/erphub/erphub/tokens/filestore"
)

// Setup is what flags, environment and profile say together.
type Setup struct {
	Resolver config.Resolver
	File     *config.File // nil when there is no place for one
	Profile  string
	made     tokens.Source // of source, so that one run logs in once
}

// Setup reads flags, environment and the chosen profile, which must exist.
func (sh *Shell) Setup(c *cli.Context) (*Setup, error) { return sh.SetupFor(c, false) }

// SetupFor is setup where a profile asked for by name may be a new one.
func (sh *Shell) SetupFor(c *cli.Context, create bool) (*Setup, error) {
	s := &Setup{Resolver: config.Resolver{Flags: map[string]string{}, Getenv: sh.Getenv}}
	if url := c.String("url"); url != "" {
		s.Resolver.Flags["url"] = url
	}
	if path := c.String("token-file"); path != "" {
		token, err := secretfile.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the token: %w", err)
		}
		s.Resolver.Flags["token"] = token
	}
	asked := c.String("profile")
	if asked == "" {
		asked = sh.Getenv("ERPHUB_PROFILE")
	}
	path, err := sh.ConfigPath(c)
	if err != nil {
		if asked != "" {
			return nil, err
		}
		return s, nil // no home, no profile: flags and environment are enough
	}
	s.File = config.NewFile(path)
	doc, err := s.File.Read()
	if err != nil {
		return nil, err
	}
	s.Profile, err = doc.Choose(asked)
	switch {
	case err != nil && create && asked != "" && errors.Is(err, config.ErrNoProfile):
		s.Profile = asked
	case err != nil:
		return nil, Usage(err)
	}
	s.Resolver.Document, s.Resolver.Profile = doc, s.Profile
	return s, nil
}

// Getenv is a variable of the environment that the run was given.
func (sh *Shell) Getenv(name string) string { return sh.Env[name] }

// ConfigPath is where the configuration file is, or would be.
func (sh *Shell) ConfigPath(c *cli.Context) (string, error) {
	if path := c.String("config"); path != "" {
		return path, nil
	}
	path, err := config.DefaultPath(sh.Getenv)
	if err != nil {
		return "", Usage(err)
	}
	return path, nil
}

// URL is the ERP's address; a missing one is wrong usage.
func (s *Setup) URL() (string, error) {
	if url := s.Resolver.Lookup("url"); url != "" {
		return url, nil
	}
	if doc := s.Resolver.Document; doc != nil {
		if have := doc.WithAddress(); len(have) > 0 {
			return "", Usagef("no address of an ERP in the %s profile; these have one: %s; choose one with --profile, ERPHUB_PROFILE or `erphub profile use`",
				cmp.Or(s.Profile, config.DefaultProfile), strings.Join(have, ", "))
		}
	}
	return "", Usagef("no address of an ERP: set ERP_URL, give --url, or store one with `erphub config set url URL`; " +
		"`erphub sandbox` serves one to try")
}

// Settings are the token settings. A token in the profile belongs to the store,
// which can also refresh it.
func (s *Setup) Settings() (tokens.Settings, error) {
	settings, err := tokens.ParseSettings(func(key string) string {
		v := s.Resolver.Value(key)
		if key == "token" && v.Origin == config.FromProfile {
			return ""
		}
		return v.Text()
	})
	if err != nil {
		return settings, Usage(err)
	}
	if !settings.Token.IsZero() && settings.Password.IsZero() {
		settings.Username = ""
	}
	user, ignored := s.Resolver.Value("auth.username"), s.Resolver.Ignored()
	switch stored := s.storesTokens(); {
	case user.Origin == config.FromEnv && settings.Password.IsZero() && settings.Token.IsZero():
		return settings, Usagef("ERP_USERNAME is set, and ERP_PASSWORD is not: set both, or unset ERP_USERNAME to use the stored login")
	case (settings.Username == "") != settings.Password.IsZero() && settings.Token.IsZero() && !stored:
		return settings, Usagef("user name and password belong together: set both ERP_USERNAME and ERP_PASSWORD, or neither")
	case len(ignored) > 0 && s.Resolver.LoginOrigin() == config.FromProfile:
		return settings, Usagef("the login is that of profile %s, and %s would change a part of it: unset it, or set ERP_USERNAME and ERP_PASSWORD as well",
			cmp.Or(s.Profile, config.DefaultProfile), strings.Join(ignored, ", "))
	}
	return settings, nil
}

// storesTokens reports whether the profile has tokens, or the keyring for it.
func (s *Setup) storesTokens() bool {
	return s.Resolver.Value("token").Origin == config.FromProfile || s.Resolver.Lookup("token.keyring") != ""
}

// CheckAddress returns an error when the login is for another address than the
// one in use. It is a login that is missing, not wrong usage: what needs no login
// works.
func (s *Setup) CheckAddress() error {
	if err := s.Resolver.CheckAddress(); err != nil {
		return &tokens.Error{Op: "use the login", Kind: tokens.ErrAuthentication, Err: err}
	}
	return nil
}

// noLogin is a token source that says why there is no token.
type noLogin struct{ err error }

func (n noLogin) Token(context.Context) (string, error) { return "", n.err }

// store is where tokens are kept: the profile for what the profile says, this
// process only for credentials that come from the environment, so that a trial
// against another server never replaces a stored login, and for those of a profile
// that cannot be written, as of a service whose configuration is mounted.
func (sh *Shell) store(s *Setup) (tokens.Store, error) {
	if login := s.Resolver.LoginOrigin(); s.File == nil || login == config.FromFlag || login == config.FromEnv {
		return nil, nil
	}
	if s.Resolver.Lookup("auth.username") != "" && s.Resolver.Lookup("auth.password") != "" && !s.File.Writable() {
		return nil, nil
	}
	return sh.OpenStore(s)
}

// OpenStore opens the store in the profile.
func (sh *Shell) OpenStore(s *Setup, more ...filestore.Option) (*filestore.Store, error) {
	return sh.OpenProfile(s.File.Path(), s.Profile, more...)
}

// OpenProfile opens the store in a profile of the file at path.
func (sh *Shell) OpenProfile(path, profile string, more ...filestore.Option) (*filestore.Store, error) {
	return filestore.Open(path, append(more, filestore.WithProfile(profile), filestore.OnWait(sh.NoteWaiting), filestore.WithKeyring(sh.Keyring()))...)
}

// Keyring is the keyring of the system, which need not be there.
func (sh *Shell) Keyring() *keyring.Keyring {
	if sh.keyring == nil {
		sh.keyring = keyring.New(sh.Getenv, 0)
	}
	return sh.keyring
}

// ConfigFile is the configuration file at path, for changes.
func (sh *Shell) ConfigFile(path string) *config.File {
	return config.NewFile(path, config.OnWait(sh.NoteWaiting))
}

// NoteWaiting says what the program waits for when another process holds a lock.
func (sh *Shell) NoteWaiting(lock string) {
	sh.Note("waiting for another process, which holds %s", lock)
}

// Source is where requests get their token; nil for none at all.
func (sh *Shell) Source(s *Setup) (tokens.Source, error) {
	sh.used = s
	if s.made != nil {
		return s.made, nil
	}
	settings, err := s.Settings()
	if err != nil {
		return nil, err
	}
	if err := s.CheckAddress(); err != nil {
		s.made = noLogin{err}
		return s.made, nil
	}
	store, err := sh.store(s)
	if err != nil {
		return nil, err
	}
	switch ignored := s.Resolver.Ignored(); {
	case len(ignored) > 0:
		sh.Note("ignored, as --token-file gives the login: %s", strings.Join(ignored, ", "))
	case !settings.Token.IsZero() && settings.Username == "" && s.Resolver.Lookup("auth.username") != "":
		sh.Note("ERP_USERNAME is ignored, as a token is given; unset one or the other")
	case !settings.Token.IsZero() && settings.Username != "":
		sh.Note("ERP_TOKEN is ignored, as there are user name and password to log in with; unset one or the other")
	}
	source, err := settings.Source(store, tokens.WithLogger(sh.Log))
	if err != nil {
		return nil, Usage(err) // it only looks at the settings
	}
	sh.Keep(source)
	s.made = source
	return source, nil
}

// Client connects to the ERP the settings name.
func (sh *Shell) Client(c *cli.Context) (*erp.Client, error) {
	s, err := sh.Setup(c)
	if err != nil {
		return nil, err
	}
	return sh.ClientFor(c, s)
}

// ClientFor connects to the ERP of settings that were read.
func (sh *Shell) ClientFor(c *cli.Context, s *Setup, more ...erp.Option) (*erp.Client, error) {
	url, err := s.URL()
	if err != nil {
		return nil, err
	}
	opts := []erp.Option{erp.WithUserAgent("erphub/" + Version()), erp.WithLogger(sh.Log)}
	if locale := c.String("locale"); locale != "" {
		opts = append(opts, erp.WithLocale(locale))
	}
	source, err := sh.Source(s)
	if err != nil {
		return nil, err
	}
	if source != nil {
		opts = append(opts, erp.WithTokenSource(source))
		if settings, err := s.Settings(); err == nil {
			opts = append(opts, erp.WithIdentity(connect.Identity(settings)))
		}
	}
	client, err := erp.New(url, append(opts, more...)...)
	if errors.Is(err, erp.ErrInvalid) {
		return nil, Usage(err)
	}
	return client, err
}

// ManagerOf is the token manager of a profile that does not log in by itself.
func ManagerOf(r config.Resolver, store tokens.Store, opts ...tokens.Option) (*tokens.Manager, error) {
	settings, err := tokens.ParseSettings(r.Lookup)
	if err != nil {
		return nil, Usage(err)
	}
	settings.AutoLogin = false
	m, err := settings.Manager(store, opts...)
	return m, Usage(err)
}

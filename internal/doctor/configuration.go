package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// Settings is what [Configuration] examines. The zero value has no settings.
type Settings struct {
	// File is the path of the configuration file, "" when there is no place for
	// one. It need not exist. filestore.DefaultPath is the programs' own.
	File string
	// Profile is the profile asked for; "" is that of ERPHUB_PROFILE, or else the
	// one the file names.
	Profile string
	// Environ are the variables of the environment. Those that are empty count as
	// unset.
	Environ map[string]string
	// Flags are settings given on the command line, by the name they have in the
	// file. They win over variables, and variables over the file.
	Flags map[string]string
	// Err says why the caller could not use its settings; nil when it could.
	Err error
	// Source says what is wrong with the sources of the token; nil for nothing.
	Source error
	// Status tells the state of the login stored in the profile, such as
	// tokens.Manager.Status; nil when there is none to ask for.
	Status func(context.Context) (tokens.Status, error)
}

// Configuration examines the settings: the file, its values, the address of the
// ERP, and what is used to log in there. Secrets are never part of a finding.
func Configuration(ctx context.Context, settings Settings) []Check {
	s := configuration{Settings: settings, resolver: config.Resolver{
		Flags: settings.Flags, Getenv: func(name string) string { return settings.Environ[name] },
	}}
	r := &run{area: AreaConfiguration}
	r.check(ctx, "configuration file", func(context.Context) (string, error) { return s.file() },
		"correct the file, name another one with ERPHUB_CONFIG, or choose another profile with --profile")
	r.check(ctx, "settings", func(context.Context) (string, error) { return s.values() },
		"correct them with `erphub config set`; `erphub config list` shows all")
	r.check(ctx, "server address", func(context.Context) (string, error) { return s.address() },
		"set ERP_URL, give --url, choose a profile that has one (--profile, ERPHUB_PROFILE), or store one with `erphub config set url https://...`; "+
			"`erphub sandbox` serves an ERP to try")
	r.check(ctx, "login", s.login,
		"log in with `erphub auth login`, or store an API token with `erphub config --token -`")
	return r.checks
}

// configuration are the settings with what finds their values.
type configuration struct {
	Settings
	resolver config.Resolver
}

// file examines the configuration file, and reads it for the checks after it.
func (s *configuration) file() (string, error) {
	if s.Err != nil {
		return "", s.Err
	}
	if s.File == "" {
		return "there is no file for it; only flags and variables are used", nil
	}
	asked := s.Profile
	if asked == "" {
		asked = s.Environ["ERPHUB_PROFILE"]
	}
	doc, err := config.NewFile(s.File).Read()
	if err != nil {
		return "", err
	}
	profile, err := doc.Choose(asked)
	if err != nil {
		return "", err
	}
	s.resolver.Document, s.resolver.Profile = doc, profile
	st, err := os.Stat(s.File)
	if errors.Is(err, os.ErrNotExist) {
		return s.File + " does not exist; only flags and variables are used", nil
	}
	if err != nil {
		return "", err
	}
	profile = cmp.Or(profile, "default")
	return fmt.Sprintf("%s, mode %04o, profile %s", s.File, st.Mode().Perm(), profile), nil
}

func (s *configuration) values() (string, error) {
	set := 0
	for _, k := range config.Keys() {
		v := s.resolver.Value(k.Name)
		if v.Origin == config.Unset || v.Origin == config.FromDefault {
			continue
		}
		set++
		if k.Name == "url" {
			continue // has a check of its own
		}
		text := v.Text()
		if len(k.Values) > 0 {
			text = strings.ToLower(text) // variables are often in capitals, and are taken so
		}
		if err := k.Check(text); err != nil {
			return "", fmt.Errorf("%w (from %s)", err, v.Origin)
		}
	}
	if s.Source != nil {
		return "", s.Source
	}
	if s.resolver.Document != nil {
		var unknown []string
		for key := range s.resolver.Document.All(s.resolver.Profile) {
			if _, err := config.Known(key); err != nil {
				unknown = append(unknown, err.Error())
			}
		}
		if len(unknown) > 0 {
			return "in the file: " + strings.Join(unknown, "; "), errWarn
		}
	}
	return fmt.Sprintf("%d set, all of them well-formed", set), nil
}

func (s *configuration) address() (string, error) {
	v := s.resolver.Value("url")
	if v.Text() == "" {
		if doc := s.resolver.Document; doc != nil {
			if have := doc.WithAddress(); len(have) > 0 {
				return "", fmt.Errorf("%w in the %s profile; these have one: %s", ErrNoAddress,
					cmp.Or(s.resolver.Profile, config.DefaultProfile), strings.Join(have, ", "))
			}
		}
		return "", ErrNoAddress
	}
	u, err := url.Parse(v.Text())
	if err != nil || u.Host == "" || u.User != nil {
		// The text may hold a password.
		return fmt.Sprintf("the one from %s is not an address such as https://erp.example.com", v.Origin), errWarn
	}
	found := fmt.Sprintf("%s://%s (from %s)", u.Scheme, u.Host, v.Origin)
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return found + ", where tokens and passwords go over the network in clear text; use https", errWarn
	}
	return found, nil
}

// ErrNoAddress is the finding that no ERP is configured.
var ErrNoAddress = errors.New("no address of an ERP is set")

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *configuration) login(ctx context.Context) (string, error) {
	user, token := s.resolver.Value("auth.username"), s.resolver.Value("token")
	switch {
	case token.Origin == config.FromFlag, token.Origin == config.FromEnv && user.Text() == "":
		return fmt.Sprintf("a token from %s", token.Origin), nil
	case user.Origin == config.FromEnv:
		return fmt.Sprintf("user %q from %s", user.Text(), user.Origin), nil
	case s.Status == nil:
		return "nothing to log in with", errWarn
	}
	st, err := s.Status(ctx)
	if err != nil {
		return "", err
	}
	switch st.State {
	case tokens.StateValid, tokens.StateDue:
		return fmt.Sprintf("the stored login of %q, %s", st.User, st.State), nil
	case tokens.StateNone:
		if user.Text() != "" {
			return fmt.Sprintf("user %q from %s", user.Text(), user.Origin), nil
		}
		return "nothing to log in with", errWarn
	}
	return fmt.Sprintf("the stored login of %q is %s", st.User, st.State), errWarn
}

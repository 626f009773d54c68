package doctor

import (
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

// Settings is what [Configuration] looks at.
type Settings struct {
	// Path is the configuration file, empty when there is no place for one.
	Path string
	// Err says why file or profile cannot be used.
	Err error
	// Resolver finds values; its Document may be nil.
	Resolver config.Resolver
	// Source says what is wrong with the sources of the token; nil for nothing.
	Source error
	// Status tells the state of the login stored in the profile; nil when there
	// is none to ask for.
	Status func(context.Context) (tokens.Status, error)
}

// Configuration examines the settings: the file, its values, the address of the
// ERP, and what is used to log in there. Secrets are never part of a finding.
func Configuration(ctx context.Context, s Settings) []Check {
	r := &run{area: AreaConfiguration}
	r.check(ctx, "configuration file", func(context.Context) (string, error) { return s.file() },
		"correct the file, name another one with ERPHUB_CONFIG, or choose another profile with --profile")
	r.check(ctx, "settings", func(context.Context) (string, error) { return s.values() },
		"correct them with `erphub config set`; `erphub config list` shows all")
	r.check(ctx, "server address", func(context.Context) (string, error) { return s.address() },
		"set ERP_URL, give --url, or store one with `erphub config set url https://...`; `erphub sandbox` serves an ERP to try")
	r.check(ctx, "login", s.login,
		"log in with `erphub auth login`, or store an API token with `erphub config --token -`")
	return r.checks
}

func (s Settings) file() (string, error) {
	if s.Err != nil {
		return "", s.Err
	}
	if s.Path == "" {
		return "there is no place for one; flags and variables are used alone", nil
	}
	st, err := os.Stat(s.Path)
	if errors.Is(err, os.ErrNotExist) {
		return s.Path + " is not there; flags and variables are used alone", nil
	}
	if err != nil {
		return "", err
	}
	profile := s.Resolver.Profile
	if profile == "" {
		profile = "default"
	}
	return fmt.Sprintf("%s, mode %04o, profile %s", s.Path, st.Mode().Perm(), profile), nil
}

func (s Settings) values() (string, error) {
	set := 0
	for _, k := range config.Keys() {
		v := s.Resolver.Value(k.Name)
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
	if s.Resolver.Document != nil {
		var unknown []string
		for key := range s.Resolver.Document.All(s.Resolver.Profile) {
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

func (s Settings) address() (string, error) {
	v := s.Resolver.Value("url")
	if v.Text() == "" {
		return "", ErrNoAddress
	}
	u, err := url.Parse(v.Text())
	if err != nil || u.Host == "" || u.User != nil {
		// The text may hold a password.
		return fmt.Sprintf("the one from %s is no address such as https://erp.example.com", v.Origin), errWarn
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

func (s Settings) login(ctx context.Context) (string, error) {
	user, token := s.Resolver.Value("auth.username"), s.Resolver.Value("token")
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

package tokens

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Defaults of [Settings] and of a [Manager].
const (
	DefaultTokenLifetime = time.Hour
	DefaultRefreshBuffer = 5 * time.Minute
)

// Settings says where tokens come from. Obtain it from [FromEnvironment] or
// [ParseSettings], adjust it, and call [Settings.Source].
type Settings struct {
	// URL is the ERP's address without /api/v1 (ERP_URL, key url).
	URL string
	// Token is used as it is, without refresh, unless there are credentials
	// (ERP_TOKEN, key token).
	Token Secret
	// Username and Password log in (ERP_USERNAME and ERP_PASSWORD, keys
	// auth.username and auth.password). Both or neither.
	Username string
	Password Secret
	// Client, Role and Organization choose what to log in to: an id, or the
	// search key or name where the ERP understands those (ERP_CLIENT_ID,
	// ERP_ROLE_ID, ERP_ORG_ID, keys auth.default-client-id,
	// auth.default-role-id, auth.default-org-id; each "0" unless set).
	Client, Role, Organization string
	// AutoLogin lets the manager log in by itself (key auth.auto-login, true
	// unless set). Without it credentials only serve an explicit login.
	AutoLogin bool
	// TokenLifetime is assumed for tokens that do not say when they end (key
	// auth.token-lifetime, 1h unless set).
	TokenLifetime time.Duration
	// RefreshBuffer is the time before its end at which a token is refreshed (key
	// auth.refresh-buffer, 5m unless set).
	RefreshBuffer time.Duration
}

// setting ties a key of the configuration file to its environment variable.
type setting struct {
	key, env string
	set      func(*Settings, string) error
}

// settings lists what [ParseSettings] reads, in the order it reads.
func settings() []setting {
	text := func(at func(*Settings) *string) func(*Settings, string) error {
		return func(s *Settings, v string) error { *at(s) = v; return nil }
	}
	secret := func(at func(*Settings) *Secret) func(*Settings, string) error {
		return func(s *Settings, v string) error { *at(s) = NewSecret(v); return nil }
	}
	duration := func(at func(*Settings) *time.Duration) func(*Settings, string) error {
		return func(s *Settings, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < 0 {
				return errors.New("is not a duration such as 5m or 1h30m")
			}
			*at(s) = d
			return nil
		}
	}
	return []setting{
		{"url", "ERP_URL", text(func(s *Settings) *string { return &s.URL })},
		{"token", "ERP_TOKEN", secret(func(s *Settings) *Secret { return &s.Token })},
		{"auth.username", "ERP_USERNAME", text(func(s *Settings) *string { return &s.Username })},
		{"auth.password", "ERP_PASSWORD", secret(func(s *Settings) *Secret { return &s.Password })},
		{"auth.default-client-id", "ERP_CLIENT_ID", text(func(s *Settings) *string { return &s.Client })},
		{"auth.default-role-id", "ERP_ROLE_ID", text(func(s *Settings) *string { return &s.Role })},
		{"auth.default-org-id", "ERP_ORG_ID", text(func(s *Settings) *string { return &s.Organization })},
		{"auth.auto-login", "", func(s *Settings, v string) (err error) {
			if s.AutoLogin, err = strconv.ParseBool(strings.ToLower(v)); err != nil {
				return errors.New("is neither true nor false")
			}
			return nil
		}},
		{"auth.token-lifetime", "", duration(func(s *Settings) *time.Duration { return &s.TokenLifetime })},
		{"auth.refresh-buffer", "", duration(func(s *Settings) *time.Duration { return &s.RefreshBuffer })},
	}
}

// EnvironmentVariable returns the environment variable that stands for a key
// of the configuration file, "" when there is none.
func EnvironmentVariable(key string) string {
	i := slices.IndexFunc(settings(), func(s setting) bool { return s.key == key })
	if i < 0 {
		return ""
	}
	return settings()[i].env
}

// ParseSettings reads the settings from lookup, which is called with keys in
// the spelling of the configuration file ("auth.username") and returns "" for
// what is not set. Flags, environment and profile are the caller's business.
// All wrong values are reported at once; the text of no secret is.
func ParseSettings(lookup func(key string) string) (Settings, error) {
	return parseSettings(func(s setting) (value, name string) { return lookup(s.key), s.key })
}

// FromEnvironment reads the settings from environment variables, as given by
// getenv (os.Getenv, usually). A variable that is set but empty counts as
// unset. A user name without a password, or the reverse, is an error.
func FromEnvironment(getenv func(string) string) (Settings, error) {
	s, err := parseSettings(func(s setting) (value, name string) {
		if s.env == "" {
			return "", ""
		}
		return getenv(s.env), s.env
	})
	if err == nil && (s.Username == "") != s.Password.IsZero() {
		err = errors.New("ERP_USERNAME and ERP_PASSWORD belong together: set both, or neither")
	}
	return s, err
}

func parseSettings(get func(setting) (value, name string)) (Settings, error) {
	s := Settings{
		Client: "0", Role: "0", Organization: "0",
		AutoLogin: true, TokenLifetime: DefaultTokenLifetime, RefreshBuffer: DefaultRefreshBuffer,
	}
	var errs []error
	for _, st := range settings() {
		v, name := get(st)
		if v == "" {
			continue
		}
		if err := st.set(&s, v); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", name, err))
		}
	}
	return s, errors.Join(errs...)
}

// Credentials returns the login the settings describe; its Username is empty
// when user name or password are missing.
func (s Settings) Credentials() Login {
	if s.Username == "" || s.Password.IsZero() {
		return Login{}
	}
	return Login{
		Username: s.Username, Password: s.Password,
		Client: s.Client, Role: s.Role, Organization: s.Organization,
	}
}

// Source applies the rule of the environment: with user name and password, a
// [Manager] that logs in (unless AutoLogin is off); with only a token, that
// token without refresh; with neither, a Manager for what store holds, and
// when store is nil too, nil and no error: no authentication.
//
// The store, if any, also keeps what the manager logs in. opts are applied
// after what the settings say.
func (s Settings) Source(store Store, opts ...Option) (Source, error) {
	creds := s.Credentials()
	if creds.Username == "" {
		switch {
		case !s.Token.IsZero():
			return Static(s.Token)
		case store == nil:
			return nil, nil
		}
	}
	return s.Manager(store, opts...)
}

// Manager returns the manager the settings describe, also when a token is
// set: commands that log in, refresh or log out need it. A nil store is an
// empty [MemoryStore].
func (s Settings) Manager(store Store, opts ...Option) (*Manager, error) {
	var all []Option
	if store != nil {
		all = append(all, WithStore(store))
	}
	if creds := s.Credentials(); creds.Username != "" && s.AutoLogin {
		all = append(all, WithCredentials(creds))
	}
	if s.TokenLifetime != 0 {
		all = append(all, WithTokenLifetime(s.TokenLifetime))
	}
	all = append(all, WithRefreshBuffer(s.RefreshBuffer))
	return NewManager(s.URL, append(all, opts...)...)
}

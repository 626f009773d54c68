package filestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// ErrTooOpen is wrapped when the file is refused because others than its
// owner may read or write it.
var ErrTooOpen = config.ErrTooOpen

var _ tokens.Store = (*Store)(nil)

// Store is a [tokens.Store] in one profile of a configuration file. It is
// safe for concurrent use, by several processes, too.
type Store struct {
	file *config.File
	options
}

type options struct {
	profile  string
	address  bool
	file     []config.Option
	keyring  Keyring     // nil: none
	place    Place       // where tokens are saved
	fallback func(error) // nil: what the keyring refuses is an error
}

// Option configures [Open].
type Option func(*options)

// WithProfile chooses a named profile, which is made when tokens are first
// saved. Without it, or with "", the default profile is used, not the one the
// file calls current: who wants that one names it.
func WithProfile(name string) Option { return func(o *options) { o.profile = name } }

// WithAddress also stores the address of the server (key url) with the first
// tokens that are saved in a profile without one, so that the profile is
// complete. A profile that has an address keeps it.
func WithAddress() Option { return func(o *options) { o.address = true } }

// OnWait sets what is called, once, when somebody has waited two seconds for
// the lock that another process holds. It gets the path of the lock.
func OnWait(tell func(lock string)) Option {
	return func(o *options) { o.file = append(o.file, config.OnWait(tell)) }
}

// DefaultPath returns the path of the user's configuration file: what
// ERPHUB_CONFIG says, or erphub/config.yaml in the user's configuration
// folder.
func DefaultPath() (string, error) { return config.DefaultPath(os.Getenv) }

// Open returns the store in the file at path; "" is [DefaultPath]. The file
// need not exist, and is not read before the store is used.
func Open(path string, opts ...Option) (*Store, error) {
	if path == "" {
		var err error
		if path, err = DefaultPath(); err != nil {
			return nil, err
		}
	}
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	return &Store{config.NewFile(path, o.file...), o}, nil
}

// Location returns the path, the profile when it is a named one, and whether the
// tokens are in the system's keyring.
func (s *Store) Location() string {
	at := s.file.Path()
	if s.profile != "" {
		at = fmt.Sprintf("%s (profile %s)", at, s.profile)
	}
	if doc, err := s.file.Read(); err == nil {
		if name, _ := doc.Get(s.profile, keyringKey); name != "" {
			return "the system's keyring, for " + at
		}
	}
	return at
}

// ErrLocked is wrapped when another process held the lock for half a minute.
var ErrLocked = config.ErrLocked

// Lock implements [tokens.Store]. It waits half a minute at most, see
// [ErrLocked].
func (s *Store) Lock(ctx context.Context) (func(), error) { return s.file.Lock(ctx) }

// Load implements [tokens.Store].
func (s *Store) Load(ctx context.Context) (tokens.Stored, error) {
	if err := ctx.Err(); err != nil {
		return tokens.Stored{}, err
	}
	doc, err := s.file.Read()
	if err != nil {
		return tokens.Stored{}, err
	}
	get := func(key string) string { v, _ := doc.Get(s.profile, key); return v }
	// A token that somebody has written into the file is meant to be used.
	if name := get(keyringKey); name != "" && get("token") == "" {
		return s.loadEntry(ctx, name, get("token.refreshing"))
	}
	st := tokens.Stored{
		Access:     tokens.NewSecret(get("token")),
		Refresh:    tokens.NewSecret(get("refreshToken")),
		Server:     get("token.url"),
		Refreshing: get("token.refreshing"),
		Names: tokens.Names{
			Client: get("token.clientName"), Role: get("token.roleName"),
			Organization: get("token.orgName"), Warehouse: get("token.warehouseName"),
		},
	}
	var errs []error
	id := func(key string) int {
		v := get(key)
		if v == "" {
			return 0
		}
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 0 {
			errs = append(errs, fmt.Errorf("%s in %s is not an id", key, s.Location()))
		}
		return int(n)
	}
	st.ClientID, st.UserID = id("token.clientId"), id("token.userId")
	if err := errors.Join(errs...); err != nil {
		return tokens.Stored{}, err
	}
	return st, nil
}

// Save implements [tokens.Store]. Settings other than the tokens' keep the
// values they have on disk.
func (s *Store) Save(ctx context.Context, st tokens.Stored) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	doc, err := s.file.Read()
	if err != nil {
		return err
	}
	had, _ := doc.Get(s.profile, keyringKey)
	name, refused := "", false
	if st.IsZero() {
		// A login that is removed is gone from the keyring before the file forgets its name.
		err = s.removeEntry(ctx, had)
	} else {
		name, refused, err = s.saveEntry(ctx, doc, st)
	}
	if err != nil {
		return fmt.Errorf("storing the tokens of %s: %w", s.Location(), err)
	}
	access, refresh := st.Access.Reveal(), st.Refresh.Reveal()
	if name != "" {
		access, refresh = "", ""
	}
	for _, kv := range []struct{ key, value string }{
		{"token", access},
		{"refreshToken", refresh},
		{keyringKey, name},
		{"token.clientId", id(st, st.ClientID)},
		{"token.userId", id(st, st.UserID)},
		{"token.url", st.Server},
		{"token.clientName", st.Names.Client},
		{"token.roleName", st.Names.Role},
		{"token.orgName", st.Names.Organization},
		{"token.warehouseName", st.Names.Warehouse},
		{"token.refreshing", st.Refreshing},
	} {
		if kv.value == "" {
			doc.Unset(s.profile, kv.key)
		} else if err := doc.Set(s.profile, kv.key, kv.value); err != nil {
			return fmt.Errorf("storing the tokens in %s: %w", s.Location(), err)
		}
	}
	if s.address && st.Server != "" {
		if err := doc.SetAddress(s.profile, st.Server); err != nil {
			return fmt.Errorf("storing the address in %s: %w", s.Location(), err)
		}
	}
	err = s.file.Write(doc)
	if !refused && !st.IsZero() {
		s.tidy(ctx, had, name, err)
	}
	return err
}

// id writes 0 too when there is a refresh token, for the ERP requires both
// ids then and 0 is one.
func id(st tokens.Stored, n int) string {
	if n == 0 && st.Refresh.IsZero() {
		return ""
	}
	return strconv.Itoa(n)
}

package filestore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// Keyring keeps secrets outside of the file, as the keyring of a desktop does.
// Its methods are called one after the other, under the lock of the file except
// for Get, and must come back when ctx ends.
type Keyring interface {
	// Get returns the secret kept under a name, "" for none.
	Get(ctx context.Context, name string) (string, error)
	// Set keeps a secret under a name, in the place of what was there.
	Set(ctx context.Context, name, secret string) error
	// Delete removes what is kept under a name; that there is nothing is not an error.
	Delete(ctx context.Context, name string) error
}

// ErrInKeyring is wrapped when the tokens of a profile are in a keyring and the
// store was opened without one.
var ErrInKeyring = errors.New("the tokens are in the system's keyring")

// keyringKey is the setting that names the entry in the keyring.
const keyringKey = "token.keyring"

// Place is the place where tokens are saved.
type Place int

// The places.
const (
	InPlace   Place = iota // where the profile has them; in the file when it has none
	InFile                 // in the file
	InKeyring              // in the keyring
)

// WithKeyring lets the store use profiles whose tokens are in a keyring. The file
// then names the entry and holds no secret, and the lock is that of the file. An
// entry is found by the profile that names it: a copy of the file shares it.
func WithKeyring(k Keyring) Option { return func(o *options) { o.keyring = k } }

// SaveIn says where tokens are saved; without it they stay in their place. What is
// in the other place is removed. A store that saves in the file reads an entry that
// the keyring does not hand out as if there were none, so that another login can
// replace it.
func SaveIn(p Place) Option { return func(o *options) { o.place = p } }

// OrInFile is for [SaveIn] the keyring: what that refuses is saved in the file, and
// tell gets the reason. Without it that is an error.
func OrInFile(tell func(error)) Option { return func(o *options) { o.fallback = tell } }

// entry is what is kept in the keyring. All that decides where a token may be sent
// is beside it, so that a process that is killed between keyring and file leaves
// nothing that does not fit together.
type entry struct {
	Access   string       `json:"token"`
	Refresh  string       `json:"refreshToken,omitempty"`
	ClientID int          `json:"clientId"`
	UserID   int          `json:"userId"`
	Server   string       `json:"url,omitempty"`
	Names    tokens.Names `json:"names,omitzero"`
}

// loadEntry is Load where the tokens are in the keyring.
func (s *Store) loadEntry(ctx context.Context, name, refreshing string) (tokens.Stored, error) {
	if s.keyring == nil {
		return tokens.Stored{}, fmt.Errorf("%s: %w, and this program reads none; log in with `erphub auth login --store file`", s.Location(), ErrInKeyring)
	}
	text, err := s.keyring.Get(ctx, name)
	if err != nil && ctx.Err() == nil && (s.place == InFile || s.fallback != nil) {
		return tokens.Stored{}, nil // it is about to be replaced
	}
	if err != nil {
		return tokens.Stored{}, fmt.Errorf("%w; it may be locked: unlock it and try again, or keep the login in the file: `erphub auth login --store file`", err)
	}
	if text == "" {
		return s.gone(ctx, name)
	}
	var e entry
	if json.Unmarshal([]byte(text), &e) != nil { // its error could quote a token
		return tokens.Stored{}, fmt.Errorf("%s: the entry in the system's keyring is not what was written there; log in again with `erphub auth login`", s.Location())
	}
	return tokens.Stored{
		Access: tokens.NewSecret(e.Access), Refresh: tokens.NewSecret(e.Refresh), ClientID: e.ClientID, UserID: e.UserID,
		Server: e.Server, Names: e.Names, Refreshing: refreshing,
	}, nil
}

// gone is Load where the entry is not there: it was removed, by somebody or while
// this process was reading.
func (s *Store) gone(ctx context.Context, name string) (tokens.Stored, error) {
	doc, err := s.file.Read()
	if err != nil {
		return tokens.Stored{}, err
	}
	if now, _ := doc.Get(s.profile, keyringKey); now != name {
		return s.Load(ctx)
	}
	return tokens.Stored{}, nil
}

// saveEntry puts the tokens into the keyring where that is their place, and says
// under which name; "" means that they belong into the file. refused tells that
// the keyring did not take them.
func (s *Store) saveEntry(ctx context.Context, doc *config.Document, st tokens.Stored) (name string, refused bool, err error) {
	name, _ = doc.Get(s.profile, keyringKey)
	if s.place == InFile || s.place == InPlace && name == "" {
		return "", false, nil
	}
	err = ErrInKeyring
	if s.keyring != nil {
		if name == "" {
			name = rand.Text()
		}
		var text []byte
		text, err = json.Marshal(entry{st.Access.Reveal(), st.Refresh.Reveal(), st.ClientID, st.UserID, st.Server, st.Names})
		if err == nil {
			err = s.keyring.Set(ctx, name, string(text))
		}
	}
	if err != nil && s.place == InKeyring && s.fallback != nil && ctx.Err() == nil {
		s.fallback(err)
		return "", true, nil
	}
	return name, err != nil, err
}

// tidy removes from the keyring what the file does not name: the entry it named
// before, or the new one when it could not be written. Nobody can use it any more,
// so that a keyring which does not let it go changes nothing.
func (s *Store) tidy(ctx context.Context, had, name string, written error) {
	unnamed := had
	if written != nil {
		unnamed = name
	}
	if had != name && unnamed != "" && s.keyring != nil {
		_ = s.keyring.Delete(ctx, unnamed)
	}
}

// removeEntry removes an entry from the keyring; it does nothing for "".
func (s *Store) removeEntry(ctx context.Context, name string) error {
	switch {
	case name == "":
		return nil
	case s.keyring == nil:
		return fmt.Errorf("%w, and this program reads none", ErrInKeyring)
	}
	return s.keyring.Delete(ctx, name)
}

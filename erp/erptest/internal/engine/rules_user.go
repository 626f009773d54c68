package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeUser keeps a new password as a salted hash.
func beforeUser(_ context.Context, s *Session, _ *store.Tx, r *Record) error {
	if !r.Has("Password") || !r.changed("Password") {
		return nil
	}
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	text := hex.EncodeToString(salt)
	r.Set("Password", seed.HashPassword(r.Row.String("Password"), text))
	r.Set("Salt", text)
	r.Set("DatePasswordChanged", s.StoredNow())
	return nil
}

package erptest

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeUser keeps a new password as a salted hash.
func beforeUser(_ context.Context, s *session, _ *store.Tx, r *record) error {
	if !r.has("Password") || !r.changed("Password") {
		return nil
	}
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	text := hex.EncodeToString(salt)
	r.set("Password", seed.HashPassword(r.row.String("Password"), text))
	r.set("Salt", text)
	r.set("DatePasswordChanged", s.storedNow())
	return nil
}

package engine

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// open is the ERP with the demo data, in memory or in a file.
func open(t testing.TB, path string) *ERP {
	t.Helper()
	db, err := seed.Open(t.Context(), path, seed.Options{})
	require.NoError(t, err)
	silent := slog.New(slog.DiscardHandler)
	e := New(db, Options{
		Clock: func() time.Time { return time.Unix(1_700_000_000, 0) }, Location: time.UTC, Log: silent, Events: silent,
	})
	t.Cleanup(func() { assert.NoError(t, e.Close()) })
	return e
}

// gardenAdmin is a session of the user GardenAdmin.
func gardenAdmin(t testing.TB) *Session {
	t.Helper()
	e := open(t, "")
	s := &Session{ERP: e, ClientID: 11, UserID: 101, RoleID: 102, OrgID: 11, Language: "en_US"}
	require.NoError(t, e.DB.View(t.Context(), func(tx *store.Tx) (err error) {
		s.Role, err = e.Roles.Get(t.Context(), tx, 102, 101, time.Now())
		return err
	}))
	return s
}

package erptest

import (
	"context"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// authTables are the tables of the REST plugin this server keeps for itself.
// Tokens are held as fingerprints only, times as Unix milliseconds with 0 for
// "never", lists of methods separated by commas.
const authTables = `
CREATE TABLE IF NOT EXISTS REST_RefreshToken (
	REST_RefreshToken_ID INTEGER PRIMARY KEY AUTOINCREMENT,
	Token TEXT NOT NULL, RefreshToken TEXT NOT NULL UNIQUE, ParentToken TEXT NOT NULL DEFAULT '',
	AD_Client_ID INTEGER NOT NULL, AD_User_ID INTEGER NOT NULL, AD_Session_ID INTEGER NOT NULL,
	Claims TEXT NOT NULL, PasswordMark TEXT NOT NULL,
	ExpiresAt INTEGER NOT NULL, AbsoluteExpiresAt INTEGER NOT NULL,
	RevokedAt INTEGER NOT NULL DEFAULT 0, REST_RevokeCause TEXT NOT NULL DEFAULT '', Created INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS REST_RefreshToken_Token ON REST_RefreshToken(Token);
CREATE INDEX IF NOT EXISTS REST_RefreshToken_Parent ON REST_RefreshToken(ParentToken);
CREATE TABLE IF NOT EXISTS REST_AuthToken (
	Token TEXT PRIMARY KEY, AD_User_ID INTEGER NOT NULL, AD_Session_ID INTEGER NOT NULL,
	ExpiresAt INTEGER NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y', Created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS REST_Resource (
	REST_Resource_ID INTEGER PRIMARY KEY AUTOINCREMENT, Pattern TEXT NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y');
CREATE TABLE IF NOT EXISTS REST_Resource_Access (
	REST_Resource_ID INTEGER NOT NULL, AD_Role_ID INTEGER NOT NULL, Methods TEXT NOT NULL, IsActive TEXT NOT NULL DEFAULT 'Y',
	PRIMARY KEY (REST_Resource_ID, AD_Role_ID));
`

// prepareAuth makes a database ready for log-ins.
func (s *Server) prepareAuth(ctx context.Context) error {
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, authTables); err != nil {
			return err
		}
		return s.loadSecret(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("preparing log-ins: %w", err)
	}
	return nil
}

// millis is a time as the tables of the log-in keep it.
func millis(t time.Time) int64 { return t.UnixMilli() }

// passed tells whether the moment in Unix milliseconds is over; 0 never is.
func (s *Server) passed(ms int64) bool { return ms != 0 && millis(s.now()) >= ms }

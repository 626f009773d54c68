package erptest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/golang-jwt/jwt/v5"
)

// Causes of revocation, REST_RevokeCause.
const (
	causeBreach   = "B" // a refresh token that was used already came again
	causeChain    = "C" // another token of the chain was revoked
	causeLogout   = "L"
	causePassword = "P" // the user's password changed
)

// refreshRow is one row of REST_RefreshToken: a pair of access and refresh
// token. The rows of one log-in form a chain by their parents.
type refreshRow struct {
	id, clientID, userID, sessionID int64
	refresh, parent                 string // fingerprints
	claims, passwordMark            string
	expires, absolute, revoked      int64
}

const refreshColumns = `REST_RefreshToken_ID, AD_Client_ID, AD_User_ID, AD_Session_ID, RefreshToken, ParentToken,
	Claims, PasswordMark, ExpiresAt, AbsoluteExpiresAt, RevokedAt`

// findRefresh is the newest row the condition finds, nil when there is none.
func findRefresh(ctx context.Context, tx *store.Tx, where string, args ...any) (*refreshRow, error) {
	var r refreshRow
	err := tx.QueryRow(ctx, `SELECT `+refreshColumns+` FROM REST_RefreshToken WHERE `+where+` ORDER BY REST_RefreshToken_ID DESC LIMIT 1`, args...).
		Scan(&r.id, &r.clientID, &r.userID, &r.sessionID, &r.refresh, &r.parent, &r.claims, &r.passwordMark, &r.expires, &r.absolute, &r.revoked)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading refresh tokens: %w", err)
	}
	return &r, nil
}

// accessExpiry is the exp of an access token that begins now, nil for never.
func (s *Server) accessExpiry(ctx context.Context, tx *store.Tx, clientID int64) (*jwt.NumericDate, error) {
	life, err := engine.SysconfigMinutes(ctx, tx, "REST_TOKEN_EXPIRE_IN_MINUTES", 60, clientID, 0)
	if err != nil || life == 0 {
		return nil, err
	}
	return jwt.NewNumericDate(s.now().Add(life)), nil
}

// after is the moment a lifetime from now ends, in Unix milliseconds.
func (s *Server) after(life time.Duration) int64 {
	if life == 0 {
		return 0
	}
	return millis(s.now().Add(life))
}

// issue makes the pair of tokens for claims, the first of a log-in or the
// successor of parent.
func (s *Server) issue(ctx context.Context, tx *store.Tx, claims *tokenClaims, parent *refreshRow) (token, refresh string, err error) {
	if claims.ExpiresAt, err = s.accessExpiry(ctx, tx, *claims.ClientID); err != nil {
		return "", "", err
	}
	if token, err = s.sign(claims); err != nil {
		return "", "", err
	}
	if refresh, err = s.sign(&tokenClaims{RegisteredClaims: jwt.RegisteredClaims{ID: randomHex(32)}}); err != nil {
		return "", "", err
	}
	idle, err := engine.SysconfigMinutes(ctx, tx, "REST_REFRESH_TOKEN_EXPIRE_IN_MINUTES", 1440, *claims.ClientID, 0)
	if err != nil {
		return "", "", err
	}
	var absolute int64
	var parentToken string
	if parent != nil {
		absolute, parentToken = parent.absolute, parent.refresh
	} else {
		life, err := engine.SysconfigMinutes(ctx, tx, "REST_TOKEN_ABSOLUTE_EXPIRE_IN_MINUTES", 10080, *claims.ClientID, 0)
		if err != nil {
			return "", "", err
		}
		absolute = s.after(life)
	}
	mark, err := passwordMark(ctx, tx, *claims.UserID)
	if err != nil {
		return "", "", err
	}
	kept, err := json.Marshal(claims)
	if err != nil {
		return "", "", err
	}
	_, err = tx.Exec(ctx, `INSERT INTO REST_RefreshToken(Token, RefreshToken, ParentToken, AD_Client_ID, AD_User_ID, AD_Session_ID,
		Claims, PasswordMark, ExpiresAt, AbsoluteExpiresAt, Created) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		fingerprint(token), fingerprint(refresh), parentToken, *claims.ClientID, *claims.UserID, *claims.SessionID,
		string(kept), mark, s.after(idle), absolute, millis(s.now()))
	if err != nil {
		return "", "", fmt.Errorf("storing a refresh token: %w", err)
	}
	return token, refresh, nil
}

// passwordMark changes when the user's password does.
func passwordMark(ctx context.Context, tx *store.Tx, userID int64) (string, error) {
	var password string
	err := tx.QueryRow(ctx, `SELECT COALESCE(Password,'')||'/'||COALESCE(Salt,'') FROM AD_User WHERE AD_User_ID=?`, userID).Scan(&password)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("reading user %d: %w", userID, err)
	}
	return fingerprint(password), nil
}

// revokeChain revokes all rows connected with this one by parents, in both
// directions: the row itself for cause, the others for rest.
func (s *Server) revokeChain(ctx context.Context, tx *store.Tx, row *refreshRow, cause, rest string) error {
	_, err := tx.Exec(ctx, `WITH RECURSIVE
		up(RefreshToken, ParentToken) AS (
			SELECT RefreshToken, ParentToken FROM REST_RefreshToken WHERE RefreshToken=?
			UNION SELECT r.RefreshToken, r.ParentToken FROM REST_RefreshToken r JOIN up ON r.RefreshToken=up.ParentToken),
		chain(RefreshToken) AS (
			SELECT RefreshToken FROM up
			UNION SELECT r.RefreshToken FROM REST_RefreshToken r JOIN chain ON r.ParentToken=chain.RefreshToken)
		UPDATE REST_RefreshToken SET RevokedAt=?, REST_RevokeCause=CASE WHEN RefreshToken=? THEN ? ELSE ? END
		WHERE RevokedAt=0 AND RefreshToken IN (SELECT RefreshToken FROM chain)`,
		row.refresh, millis(s.now()), row.refresh, cause, rest)
	if err != nil {
		return fmt.Errorf("revoking refresh tokens: %w", err)
	}
	return nil
}

// refreshTokens handles POST /auth/refresh. The refresh token is spent by it;
// one that comes a second time takes its whole chain down.
func refreshTokens(c *call) error {
	names := []string{"refresh_token", "clientId", "userId"}
	if !c.srv.opts.Strict {
		names = append(names, "refreshToken")
	}
	m, err := c.readMembers(names...)
	if err != nil {
		return err
	}
	given, ok, err := m.text("refresh_token")
	if err == nil && !ok {
		given, _, err = m.text("refreshToken")
	}
	if err != nil {
		return err
	}
	clientID, hasClient, err := m.integer("clientId")
	if err != nil {
		return err
	}
	userID, hasUser, err := m.integer("userId")
	if err != nil {
		return err
	}
	ctx := c.ctx()
	var response *wire.Object
	var refusal string // revocations are to be kept, so it is not an error of the transaction
	err = c.update(ctx, func(tx *store.Tx) error {
		for _, p := range []struct {
			has       bool
			key, text string
		}{
			{hasClient, "REST_MANDATORY_CLIENT_ID_ON_REFRESH", "No clientId provided"},
			{hasUser, "REST_MANDATORY_USER_ID_ON_REFRESH", "No userId provided"},
		} {
			if p.has {
				continue
			}
			mandatory, err := engine.Sysconfig(ctx, tx, p.key, "Y", 0, 0)
			if err != nil {
				return err
			}
			if mandatory == "Y" {
				return login.Refused(p.text)
			}
		}
		row, text, err := c.srv.spend(ctx, tx, given)
		if err != nil || text != "" {
			refusal = text
			return err
		}
		if hasClient && clientID != row.clientID || hasUser && userID != row.userID {
			return login.Refused("Invalid refresh token")
		}
		claims := &tokenClaims{}
		if err := json.Unmarshal([]byte(row.claims), claims); err != nil {
			return fmt.Errorf("reading the claims of a refresh token: %w", err)
		}
		token, refresh, err := c.srv.issue(ctx, tx, claims, row)
		response = wire.NewObject("token", token, "refresh_token", refresh)
		return err
	})
	if err != nil {
		return err
	}
	if refusal != "" {
		return login.Refused(refusal)
	}
	c.json(http.StatusOK, response)
	return nil
}

// spend finds the row of a refresh token that may be used now; refusal says
// why it may not.
func (s *Server) spend(ctx context.Context, tx *store.Tx, token string) (row *refreshRow, refusal string, err error) {
	const invalid = "Invalid refresh token"
	if token != "" {
		if row, err = findRefresh(ctx, tx, `RefreshToken=?`, fingerprint(token)); err != nil {
			return nil, "", err
		}
	}
	if row != nil {
		child, err := findRefresh(ctx, tx, `ParentToken=?`, row.refresh)
		if err != nil {
			return nil, "", err
		}
		if child != nil {
			s.log.Warn("a refresh token was used twice; its chain is revoked", "AD_Session_ID", row.sessionID, "AD_User_ID", row.userID)
			return nil, invalid, s.revokeChain(ctx, tx, row, causeBreach, causeChain)
		}
	}
	if _, err := s.readToken(token, false); err != nil {
		return nil, err.Error(), nil
	}
	if row == nil || row.revoked != 0 || s.passed(row.expires) || s.passed(row.absolute) {
		return nil, invalid, nil
	}
	mark, err := passwordMark(ctx, tx, row.userID)
	if err != nil {
		return nil, "", err
	}
	if mark != row.passwordMark {
		return nil, invalid, s.revokeChain(ctx, tx, row, causePassword, causePassword)
	}
	return row, "", nil
}

// logout handles POST /auth/logout.
func logout(c *call) error {
	m, err := c.readMembers("token")
	if err != nil {
		return err
	}
	token, given, err := m.text("token")
	if err != nil {
		return err
	}
	if !given { // the real server fails outside of its guards
		return page(http.StatusInternalServerError)
	}
	if ended, err := c.logoutOpenID(token); ended || err != nil {
		if err == nil {
			c.json(http.StatusOK, wire.NewObject("summary", "OK"))
		}
		return err
	}
	claims, err := c.srv.readToken(token, true)
	if err != nil {
		return login.Refused(err.Error())
	}
	if claims.SessionID == nil {
		return fail(http.StatusNotFound, "AD_Session_ID not found", "")
	}
	ctx := c.ctx()
	var row *refreshRow
	err = c.update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE AD_Session SET Processed='Y', Updated=? WHERE AD_Session_ID=?`, engine.DBTime(c.srv.now()), *claims.SessionID); err != nil {
			return fmt.Errorf("closing a session: %w", err)
		}
		row, err = findRefresh(ctx, tx, `Token=?`, fingerprint(token))
		if err != nil || row == nil {
			return err
		}
		return c.srv.revokeChain(ctx, tx, row, causeLogout, causeLogout)
	})
	if err != nil {
		return err
	}
	if row == nil { // as the real server does with tokens that have no refresh token
		return page(http.StatusInternalServerError)
	}
	c.json(http.StatusOK, wire.NewObject("summary", "OK"))
	return nil
}

package erptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine/login"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/golang-jwt/jwt/v5"
)

// APIToken makes a long-lived access token without a log-in, as the ERP's
// window "Rest Auth Token" does: for the user with that name, in a tenant,
// with one of the user's roles there and an organization of the role. A
// lifetime of zero never ends. The token has no refresh token; it is not
// stored, so it cannot be shown again.
func (s *Server) APIToken(ctx context.Context, userName string, clientID, roleID, orgID int64, lifetime time.Duration) (string, error) {
	if lifetime < 0 {
		return "", fmt.Errorf("making an API token for %q: the lifetime %v is negative", userName, lifetime)
	}
	var token string
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		users, err := login.FindUsers(ctx, tx, userName)
		if err != nil {
			return err
		}
		ids := login.UserIDs(users)
		clients, err := login.ClientChoices(ctx, tx, ids)
		if err != nil {
			return err
		}
		p := login.Request{
			Ok: true, HasClient: true, Client: fmt.Sprint(clientID), HasRole: true, Role: fmt.Sprint(roleID),
			HasOrg: true, Org: fmt.Sprint(orgID),
		}
		who, err := login.Resolve(ctx, s.erp, tx, ids, login.ChoiceIDs(clients), p)
		if err != nil {
			return err
		}
		sessionID, err := s.openSession(ctx, tx, nil, who)
		if err != nil {
			return err
		}
		claims := claimsOf(who, userName, sessionID)
		var expires int64
		if lifetime > 0 {
			end := s.now().Add(lifetime)
			claims.ExpiresAt, expires = jwt.NewNumericDate(end), millis(end)
		}
		if token, err = s.sign(claims); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO REST_AuthToken(Token, AD_User_ID, AD_Session_ID, ExpiresAt, Created) VALUES(?,?,?,?,?)`,
			fingerprint(token), who.UserID, sessionID, expires, millis(s.now()))
		return err
	})
	var refused *apiError
	if asAPI(err, &refused) {
		return "", fmt.Errorf("making an API token for %q: %s", userName, refused.detail)
	}
	if err != nil {
		return "", fmt.Errorf("making an API token for %q: %w", userName, err)
	}
	return token, nil
}

// BlockAPIToken deactivates a token that [Server.APIToken] made.
func (s *Server) BlockAPIToken(ctx context.Context, token string) error {
	err := s.erp.DB.Update(ctx, func(tx *store.Tx) error {
		res, err := tx.Exec(ctx, `UPDATE REST_AuthToken SET IsActive='N' WHERE Token=?`, fingerprint(token))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errors.New("there is no such token"), err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("blocking an API token: %w", err)
	}
	return nil
}

// RefreshTokenState tells how the refresh tokens of one log-in stand.
type RefreshTokenState struct {
	SessionID int64
	UserID    int64
	Issued    int      // tokens of the chain
	Spent     int      // of them used for a refresh
	Revoked   []string // causes of revocation (B, C, L or P), one per revoked token
}

// RefreshTokens tells how the refresh tokens of each log-in stand, oldest
// log-in first; for tests that must show that none was used twice.
func (s *Server) RefreshTokens(ctx context.Context) ([]RefreshTokenState, error) {
	var states []RefreshTokenState
	err := s.erp.DB.View(ctx, func(tx *store.Tx) error {
		rows, err := tx.Query(ctx, `SELECT r.AD_Session_ID, r.AD_User_ID, r.RevokedAt<>0, r.REST_RevokeCause,
			EXISTS(SELECT 1 FROM REST_RefreshToken n WHERE n.ParentToken=r.RefreshToken)
			FROM REST_RefreshToken r ORDER BY r.REST_RefreshToken_ID`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var session, user int64
			var revoked, spent bool
			var cause string
			if err := rows.Scan(&session, &user, &revoked, &cause, &spent); err != nil {
				return err
			}
			i := slices.IndexFunc(states, func(st RefreshTokenState) bool { return st.SessionID == session })
			if i < 0 {
				states, i = append(states, RefreshTokenState{SessionID: session, UserID: user}), len(states)
			}
			st := &states[i]
			st.Issued++
			if spent {
				st.Spent++
			}
			if revoked {
				st.Revoked = append(st.Revoked, cause)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading the refresh tokens: %w", err)
	}
	return states, nil
}

// millis is a time as the tables of the log-in keep it.
func millis(t time.Time) int64 { return t.UnixMilli() }

// passed reports whether the moment in Unix milliseconds is over; 0 never is.
func (s *Server) passed(ms int64) bool { return ms != 0 && millis(s.now()) >= ms }

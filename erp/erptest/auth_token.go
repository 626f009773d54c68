package erptest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

const (
	tokenIssuer = "idempiere.org"
	tokenKeyID  = "idempiere"
)

// tokenClaims are the claims of every kind of token. Those of an access token
// with a completed log-in have the ids, those of the first step only Clients,
// those of a refresh token only ID.
type tokenClaims struct {
	jwt.RegisteredClaims
	Clients     string `json:"Clients,omitempty"`
	ClientID    *int64 `json:"AD_Client_ID,omitempty"`
	UserID      *int64 `json:"AD_User_ID,omitempty"`
	RoleID      *int64 `json:"AD_Role_ID,omitempty"`
	OrgID       *int64 `json:"AD_Org_ID,omitempty"`
	WarehouseID *int64 `json:"M_Warehouse_ID,omitempty"`
	Language    string `json:"AD_Language,omitempty"`
	SessionID   *int64 `json:"AD_Session_ID,omitempty"`
}

// clients are the tenants named in the Clients claim.
func (t *tokenClaims) clients() []int64 {
	var ids []int64
	for part := range strings.SplitSeq(t.Clients, ",") {
		if id, err := strconv.ParseInt(part, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// sign makes a token of claims.
func (s *Server) sign(claims *tokenClaims) (string, error) {
	claims.Issuer = tokenIssuer
	t := jwt.NewWithClaims(jwt.SigningMethodHS512, claims)
	t.Header["kid"] = tokenKeyID
	signed, err := t.SignedString(s.secret)
	if err != nil {
		return "", fmt.Errorf("signing a token: %w", err)
	}
	return signed, nil
}

// tokenError says why a token is refused, in the words of the library that
// the real server verifies tokens with.
type tokenError struct {
	text    string
	expired bool
}

func (e *tokenError) Error() string { return e.text }

// readToken verifies signature, issuer and (unless anyAge) expiry. Its error
// is a [*tokenError].
func (s *Server) readToken(token string, anyAge bool) (*tokenClaims, error) {
	if token == "" {
		return nil, &tokenError{text: "The token is null."}
	}
	switch n := strings.Count(token, "."); {
	case n == 0:
		return nil, wrongParts("0")
	case n == 1:
		return nil, wrongParts("2")
	case n > 2:
		return nil, wrongParts("> 3")
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods([]string{jwt.SigningMethodHS512.Alg()}),
		jwt.WithTimeFunc(s.now),
		jwt.WithIssuer(tokenIssuer),
		jwt.WithIssuedAt(),
	}
	if anyAge {
		options = append(options, jwt.WithoutClaimsValidation())
	}
	claims := &tokenClaims{}
	parsed, err := jwt.NewParser(options...).ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return s.secret, nil })
	switch {
	case err == nil && claims.Issuer == tokenIssuer:
		return claims, nil
	case parsed != nil && parsed.Method != nil && parsed.Method.Alg() != jwt.SigningMethodHS512.Alg(),
		errors.Is(err, jwt.ErrTokenUnverifiable):
		return nil, &tokenError{text: "The provided Algorithm doesn't match the one defined in the JWT's Header."}
	case errors.Is(err, jwt.ErrTokenMalformed):
		return nil, &tokenError{text: "The token's header or payload is not base 64 encoded JSON."}
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return nil, &tokenError{text: "The Token's Signature resulted invalid when verified using the Algorithm: HmacSHA512"}
	case errors.Is(err, jwt.ErrTokenExpired):
		return claims, &tokenError{text: "Token has expired", expired: true}
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return nil, notYet(claims.NotBefore)
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return nil, notYet(claims.IssuedAt)
	default:
		return nil, &tokenError{text: "The Claim 'iss' value doesn't match the required issuer."}
	}
}

func notYet(from *jwt.NumericDate) error {
	return &tokenError{text: "The Token can't be used before " + from.UTC().Format(time.RFC3339) + "."}
}

func wrongParts(n string) error {
	return &tokenError{text: "The token was expected to have 3 parts, but got " + n + "."}
}

// randomHex is n random bytes in hexadecimal digits.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: the runtime ends the program instead
	return hex.EncodeToString(b)
}

// fingerprint stands for a token in the database: who reads the database does
// not hold the token.
func fingerprint(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// loadSecret reads the signing secret, and makes a missing one. With
// REST_USE_SYSCONFIG_SECRET=N each start has its own.
func (s *Server) loadSecret(ctx context.Context, tx *store.Tx) error {
	use, err := engine.Sysconfig(ctx, tx, "REST_USE_SYSCONFIG_SECRET", "Y", 0, 0)
	if err != nil {
		return err
	}
	if use != "Y" {
		s.secret = []byte(randomHex(64))
		return nil
	}
	var secret string
	err = tx.QueryRow(ctx, `SELECT COALESCE(Value,'') FROM AD_SysConfig WHERE Name=? AND AD_Client_ID=0 AND IsActive='Y'`, engine.TokenSecretKey).Scan(&secret)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("reading the token secret: %w", err)
	}
	if secret == "" {
		secret = randomHex(64)
		if _, err := tx.Exec(ctx, `DELETE FROM AD_SysConfig WHERE Name=? AND AD_Client_ID=0`, engine.TokenSecretKey); err != nil {
			return fmt.Errorf("replacing the token secret: %w", err)
		}
		err := s.erp.InsertRow(ctx, tx, "AD_SysConfig", engine.Stamp{}, store.Row{
			"Name": engine.TokenSecretKey, "Value": secret, "Description": "Secret the REST API signs its tokens with",
			"EntityType": "D", "ConfigurationLevel": "S",
		})
		if err != nil {
			return fmt.Errorf("storing the token secret: %w", err)
		}
	}
	s.secret = []byte(secret)
	return nil
}

// TokenSecret is the text with which the server signs tokens (HS512), for
// services that verify them with a shared secret:
// tokens.NewSecretVerifier([]byte(srv.TokenSecret())). Keep it out of logs.
func (s *Server) TokenSecret() string { return string(s.secret) }

// jwk handles GET /auth/jwk.
func jwk(c *call) error {
	response := map[string]any{}
	expose := c.srv.opts.ExposeJWK
	if !expose {
		err := c.view(c.ctx(), func(tx *store.Tx) error {
			v, err := engine.Sysconfig(c.ctx(), tx, "IDEMPIERE_REST_EXPOSE_JWK", "N", 0, 0)
			expose = v == "Y"
			return err
		})
		if err != nil {
			return err
		}
	}
	if expose {
		response["keys"] = []map[string]string{{
			"alg": "HS512", "k": base64.StdEncoding.EncodeToString(c.srv.secret), "kid": tokenKeyID, "kty": "oct",
		}}
	}
	c.json(200, response)
	return nil
}

package tokens

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Claims are the claims that the ERP writes into its tokens.
type Claims struct {
	// Subject is the user name typed at login.
	Subject string
	// Issuer is "idempiere.org" unless the ERP was changed.
	Issuer string
	// ClientID, UserID, RoleID and OrgID say who acts, in which tenant and
	// organization. 0 is a valid value of each (System, *), so look at
	// Complete before relying on them.
	ClientID, UserID, RoleID, OrgID int
	// WarehouseID and SessionID are 0 when the token does not name them.
	WarehouseID, SessionID int
	// Language is an ERP language code such as "en_US".
	Language string
	// Complete reports whether client, user, role and organization are all
	// named. A token of an unfinished login is not complete.
	Complete bool
	// ExpiresAt is the end of the token by the ERP's clock. It is zero only
	// when the token has no exp claim and so never ends by itself; a claim
	// that is there but cannot be understood is an error instead.
	ExpiresAt time.Time
}

// maxToken bounds the length of a token that is looked at.
const maxToken = 16 << 10

// lastExpiry is the last exp claim that is believed: the end of year 9999.
const lastExpiry = 253402300799

// errToken is wrapped by all errors about the form of a token.
var errToken = errors.New("not a token of the ERP")

// UnverifiedClaims reads the claims of token without checking its signature.
// It proves nothing about who made the token: use it to learn when one's own
// token expires, and [Verifier] to decide about somebody else's.
func UnverifiedClaims(token string) (Claims, error) {
	if err := checkForm(token); err != nil {
		return Claims{}, err
	}
	var c jwtClaims
	// The library's text can quote parts of the token: it is dropped.
	if _, _, err := jwt.NewParser().ParseUnverified(token, &c); err != nil {
		if c.err != nil {
			return Claims{}, c.err
		}
		return Claims{}, fmt.Errorf("%w: header or claims cannot be decoded", errToken)
	}
	if !c.decoded { // the claims were the JSON word null
		return Claims{}, fmt.Errorf("%w: it has no claims", errToken)
	}
	return c.Claims, nil
}

// checkForm refuses what cannot be a compact JWT before anything decodes it.
// Go's base64 skips line breaks, so the characters are checked here.
func checkForm(token string) error {
	switch {
	case token == "":
		return fmt.Errorf("%w: it is empty", errToken)
	case len(token) > maxToken:
		return fmt.Errorf("%w: it is longer than %d bytes", errToken, maxToken)
	case strings.Count(token, ".") != 2:
		return fmt.Errorf("%w: it does not consist of 3 parts", errToken)
	}
	for i := range len(token) {
		switch c := token[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return fmt.Errorf("%w: unexpected character at position %d", errToken, i)
		}
	}
	return nil
}

// jwtClaims decodes Claims and implements jwt.Claims.
type jwtClaims struct {
	Claims
	notBefore time.Time // zero without an nbf claim
	decoded   bool
	err       error // why decoding stopped, in words free of the token's content
}

// UnmarshalJSON reads the members it knows by their exact spelling, because
// encoding/json would also take "EXP" for "exp".
func (c *jwtClaims) UnmarshalJSON(data []byte) error {
	c.decoded = true
	c.err = c.decode(data)
	return c.err
}

func (c *jwtClaims) decode(data []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil || m == nil {
		return fmt.Errorf("%w: the claims are not a JSON object", errToken)
	}
	for name, dst := range map[string]*string{
		"sub": &c.Subject, "iss": &c.Issuer, "AD_Language": &c.Language,
	} {
		if raw, ok := present(m, name); ok {
			if err := json.Unmarshal(raw, dst); err != nil {
				return fmt.Errorf("%w: claim %s is not text", errToken, name)
			}
		}
	}
	named := 0
	for name, dst := range map[string]*int{
		"AD_Client_ID": &c.ClientID, "AD_User_ID": &c.UserID, "AD_Role_ID": &c.RoleID, "AD_Org_ID": &c.OrgID,
		"M_Warehouse_ID": &c.WarehouseID, "AD_Session_ID": &c.SessionID,
	} {
		raw, ok := present(m, name)
		if !ok {
			continue
		}
		// Ids of the ERP fit 31 bits.
		id, err := strconv.ParseInt(string(raw), 10, 32)
		if err != nil || id < 0 {
			return fmt.Errorf("%w: claim %s is not an id", errToken, name)
		}
		*dst = int(id)
		if strings.HasPrefix(name, "AD_") && name != "AD_Session_ID" {
			named++
		}
	}
	c.Complete = named == 4
	// A broken second is given away at either end.
	var err error
	if c.ExpiresAt, err = numericDate(m, "exp", 1, math.Floor); err != nil {
		return err
	}
	c.notBefore, err = numericDate(m, "nbf", 0, math.Ceil)
	return err
}

// numericDate reads a claim that is a point in time, in seconds of at least
// least; zero when it is absent.
func numericDate(m map[string]json.RawMessage, name string, least float64, round func(float64) float64) (time.Time, error) {
	raw, ok := present(m, name)
	if !ok {
		return time.Time{}, nil
	}
	sec, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsNaN(sec) || sec < least || sec > lastExpiry {
		return time.Time{}, fmt.Errorf("%w: claim %s is not a point in time", errToken, name)
	}
	return time.Unix(int64(round(sec)), 0), nil
}

// present returns the raw member unless it is absent or null.
func present(m map[string]json.RawMessage, name string) (json.RawMessage, bool) {
	raw, ok := m[name]
	raw = bytes.TrimSpace(raw)
	if !ok || string(raw) == "null" {
		return nil, false
	}
	return raw, true
}

func (c *jwtClaims) GetExpirationTime() (*jwt.NumericDate, error) {
	if c.ExpiresAt.IsZero() {
		return nil, nil
	}
	return jwt.NewNumericDate(c.ExpiresAt), nil
}
func (c *jwtClaims) GetNotBefore() (*jwt.NumericDate, error) {
	if c.notBefore.IsZero() {
		return nil, nil
	}
	return jwt.NewNumericDate(c.notBefore), nil
}
func (c *jwtClaims) GetIssuedAt() (*jwt.NumericDate, error) { return nil, nil }
func (c *jwtClaims) GetIssuer() (string, error)             { return c.Issuer, nil }
func (c *jwtClaims) GetSubject() (string, error)            { return c.Subject, nil }
func (c *jwtClaims) GetAudience() (jwt.ClaimStrings, error) { return nil, nil }

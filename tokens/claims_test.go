package tokens_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// head is the header the ERP writes.
const head = `{"kid":"idempiere","typ":"JWT","alg":"HS512"}`

// compact puts a token together without signing it.
func compact(header, claims string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(header)) + "." + enc([]byte(claims)) + "." + enc([]byte("no signature"))
}

const fullClaims = `{"sub":"GardenAdmin","iss":"idempiere.org","exp":1767225600,"AD_Client_ID":11,"AD_User_ID":101,` +
	`"AD_Role_ID":102,"AD_Org_ID":11,"M_Warehouse_ID":103,"AD_Language":"en_US","AD_Session_ID":1000001}`

func TestUnverifiedClaims(t *testing.T) {
	t.Parallel()
	full := tokens.Claims{Subject: "GardenAdmin", Issuer: "idempiere.org", ClientID: 11, UserID: 101, RoleID: 102, OrgID: 11,
		WarehouseID: 103, SessionID: 1000001, Language: "en_US", Complete: true, ExpiresAt: time.Unix(1767225600, 0)}
	without := full
	without.ExpiresAt = time.Time{}
	tests := []struct {
		name  string
		token string
		want  tokens.Claims
		err   string
	}{
		{"complete", compact(head, fullClaims), full, ""},
		{"broken seconds", compact(head, strings.Replace(fullClaims, "1767225600", "1767225600.9", 1)), full, ""},
		{"exponent", compact(head, strings.Replace(fullClaims, "1767225600", "1.7672256e9", 1)), full, ""},
		{"no exp", compact(head, strings.Replace(fullClaims, `"exp":1767225600,`, "", 1)), without, ""},
		{"exp null", compact(head, strings.Replace(fullClaims, "1767225600", "null", 1)), without, ""},
		{"exp in another case is not exp", compact(head, strings.Replace(fullClaims, `"exp"`, `"EXP"`, 1)), without, ""},
		{"first step", compact(head, `{"sub":"a","Clients":"0,11"}`), tokens.Claims{Subject: "a"}, ""},
		{"system user", compact(head, `{"AD_Client_ID":0,"AD_User_ID":0,"AD_Role_ID":0,"AD_Org_ID":0}`), tokens.Claims{Complete: true}, ""},
		{"exp 0", compact(head, `{"exp":0}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp negative", compact(head, `{"exp":-5}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp beyond time", compact(head, `{"exp":1e300}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp in milliseconds", compact(head, `{"exp":1767225600000}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp as text", compact(head, `{"exp":"1767225600"}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp as a list", compact(head, `{"exp":[1767225600]}`), tokens.Claims{}, "exp is not a point in time"},
		{"exp true", compact(head, `{"exp":true}`), tokens.Claims{}, "exp is not a point in time"},
		{"id as text", compact(head, `{"AD_Client_ID":"11"}`), tokens.Claims{}, "AD_Client_ID is not an id"},
		{"id broken", compact(head, `{"AD_User_ID":1.5}`), tokens.Claims{}, "AD_User_ID is not an id"},
		{"id too large", compact(head, `{"AD_User_ID":99999999999}`), tokens.Claims{}, "AD_User_ID is not an id"},
		{"id negative", compact(head, `{"AD_Role_ID":-1}`), tokens.Claims{}, "AD_Role_ID is not an id"},
		{"sub a number", compact(head, `{"sub":5}`), tokens.Claims{}, "sub is not text"},
		{"claims null", compact(head, `null`), tokens.Claims{}, "no claims"},
		{"claims a list", compact(head, `[]`), tokens.Claims{}, "not a JSON object"},
		{"claims garbage", compact(head, `{"exp":`), tokens.Claims{}, "cannot be decoded"},
		{"header garbage", compact(`{`, fullClaims), tokens.Claims{}, "cannot be decoded"},
		{"unknown algorithm", compact(`{"alg":"XX1"}`, fullClaims), tokens.Claims{}, "cannot be decoded"},
		{"empty", "", tokens.Claims{}, "it is empty"},
		{"two parts", "a.b", tokens.Claims{}, "3 parts"},
		{"a password", "secret", tokens.Claims{}, "3 parts"},
		{"line break", compact(head, fullClaims) + "\n", tokens.Claims{}, "unexpected character"},
		{"padding", compact(head, fullClaims) + "=", tokens.Claims{}, "unexpected character"},
		{"very long", strings.Repeat("a", 20000), tokens.Claims{}, "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tokens.UnverifiedClaims(tt.token)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

// FuzzUnverifiedClaims: no panic, and an exp claim that is there is either
// understood or an error; it never becomes "no expiry".
func FuzzUnverifiedClaims(f *testing.F) {
	f.Add([]byte(fullClaims))
	for _, s := range []string{`{"exp":0}`, `{"exp":null}`, `{"exp":1e400}`, `{"exp":-0.0}`, `{"exp":1,"exp":null}`, `null`, `[]`, `{"exp":"1"}`, `{"AD_Client_ID":1e2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, claims []byte) {
		c, err := tokens.UnverifiedClaims(compact(head, string(claims)))
		if err != nil {
			if c != (tokens.Claims{}) {
				t.Fatalf("claims %+v beside the error %v", c, err)
			}
			return
		}
		want := expOf(claims)
		if want == "" || want == "null" {
			if !c.ExpiresAt.IsZero() {
				t.Fatalf("an end of %v out of %q", c.ExpiresAt, claims)
			}
		} else if c.ExpiresAt.Unix() < 1 {
			t.Fatalf("exp %s was read as %v", want, c.ExpiresAt)
		}
	})
}

// FuzzToken feeds whole tokens.
func FuzzToken(f *testing.F) {
	f.Add(compact(head, fullClaims))
	f.Add("..")
	f.Add("a.b.c")
	f.Add(compact(`{"alg":"none"}`, `{}`))
	f.Fuzz(func(t *testing.T, token string) {
		c, err := tokens.UnverifiedClaims(token)
		if err != nil && c != (tokens.Claims{}) {
			t.Fatalf("claims %+v beside the error %v", c, err)
		}
		if err != nil && len(token) > 8 && strings.Contains(err.Error(), token) {
			t.Fatalf("the error contains the token: %v", err)
		}
	})
}

package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/mail"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// beforeRole gives the roles of System its user level.
func beforeRole(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if r.Row.Int("AD_Client_ID") == 0 {
		r.Set("UserLevel", "S  ")
	}
	return nil
}

// beforeUser checks a user's address, makes a search key of the name, and keeps a
// new password as a salted hash.
func beforeUser(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if address := r.Row.String("EMail"); r.changed("EMail") {
		if !r.IsNew() {
			r.Set("EMailVerifyDate", nil)
		}
		if address != "" && !isMailAddress(address) {
			return PublicError("Could not save the record: EMail format is invalid: " + label(r.Table, "EMail") + " - [" + address + "]")
		}
	}
	if r.IsNew() || r.Row.String("Value") == "" || r.changed("Value") {
		r.Set("Value", userKey(r.Row))
	}
	if r.Row.String("Password") == "" || !r.changed("Password") {
		return nil
	}
	if err := checkLoginName(ctx, tx, r); err != nil {
		return err
	}
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	text := hex.EncodeToString(salt)
	r.Set("Password", seed.HashPassword(r.Row.String("Password"), text))
	r.Set("Salt", text)
	r.Set("PasswordHashAlgorithm", "PBKDF2")
	r.Set("SaltAlgorithm", "DRBG")
	r.Set("DatePasswordChanged", s.StoredNow())
	return nil
}

// checkLoginName refuses a second user of the tenant who would log in by the same
// name.
func checkLoginName(ctx context.Context, tx *store.Tx, r *Record) error {
	name := cmp.Or(r.Row.String("LDAPUser"), r.Row.String("Name"))
	same, err := RowsWhere(ctx, tx, "AD_User", "", "Password IS NOT NULL AND COALESCE(LDAPUser,Name)=? AND AD_Client_ID=? AND AD_User_ID<>?",
		name, r.Row.Int("AD_Client_ID"), r.ID())
	if err != nil || len(same) == 0 {
		return err
	}
	return PublicError("Could not save the record: Record already exists: " + label(r.Table, "Name") + " / " + label(r.Table, "LDAPUser"))
}

func isMailAddress(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && strings.Contains(a.Address, "@")
}

// userKey is the search key of a user: of the key given, the log-in name or the
// name, the letters and digits, at most eight.
func userKey(row store.Row) string {
	const longest = 8
	text := "noname"
	for _, name := range []string{"Value", "LDAPUser", "Name"} {
		if v := row.String(name); v != "" && (name != "Value" || strings.TrimSpace(v) != "") {
			text = v
			break
		}
	}
	key := plainLetters(text)
	if len(key) > longest {
		first, last := personNames(text)
		if last != "" {
			if first != "" {
				last = string([]rune(first)[:1]) + last
			}
			key = plainLetters(last)
		} else {
			key = plainLetters(first)
		}
	}
	return key[:min(len(key), longest)]
}

// plainLetters are the ASCII letters and digits of a text, in lower case.
func plainLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}

// personNames are the first and the last name in "First Middle Last" or
// "Last, First".
func personNames(text string) (first, last string) {
	if strings.Contains(text, ",") {
		parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
		if len(parts) > 0 {
			last = strings.TrimSpace(parts[0])
		}
		if len(parts) > 1 {
			first = strings.TrimSpace(parts[1])
		}
		return first, last
	}
	parts := strings.Fields(text)
	if len(parts) > 0 {
		first = parts[0]
	}
	if len(parts) > 1 {
		last = parts[len(parts)-1]
	}
	return first, last
}

package seed

import (
	"crypto/pbkdf2"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
)

// passwordRounds is kept small: the demo users' passwords are public, and
// every log-in of every test pays for a round.
const passwordRounds = 1000

// HashPassword is what AD_User.Password holds for a password and the text in
// AD_User.Salt: PBKDF2 with SHA-512, in hexadecimal digits.
func HashPassword(password, salt string) string {
	key, err := pbkdf2.Key(sha512.New, password, []byte(salt), passwordRounds, sha512.Size)
	if err != nil { // only for key lengths that SHA-512 does not allow
		panic("seed: hashing a password: " + err.Error())
	}
	return hex.EncodeToString(key)
}

// VerifyPassword reports whether the password is the one behind stored, which
// is what AD_User.Password holds. Without a salt, stored is the password
// itself, as the ERP keeps it when hashing is deactivated. An empty stored
// password lets nobody in.
func VerifyPassword(password, stored, salt string) bool {
	if stored == "" {
		return false
	}
	if salt != "" {
		password = HashPassword(password, salt)
	}
	return subtle.ConstantTimeCompare([]byte(password), []byte(stored)) == 1
}

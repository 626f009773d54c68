package twin

import (
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// secretName is how columns are called that hold what lets somebody in, whether or
// not the dictionary says so.
var secretName = lazyregexp.New(`(?i)(password|passwd|passphrase|secret|salt$|token$|accesstoken|refreshtoken|credential|privatekey|apikey|api_key|userpw$|_pw$|userpin$|securityanswer|^answer$|ccnumber|creditcardnumber|creditcardvv|cvv)`)

// isSecret reports whether the values of a column never leave the ERP.
func isSecret(c *store.Column) bool {
	if c.Encrypted || c.Secure {
		return true
	}
	if c.IsList() {
		return false // one of a few words, which says how a password is kept, not which it is
	}
	switch c.Kind() {
	case store.KindText, store.KindBytes, store.KindJSON:
		return secretName().MatchString(c.Name)
	}
	return false
}

var (
	secretKey   = lazyregexp.New(`(?i)(password|passwd|secret|credential|_pwd$|_pw$|private_?key|api_?key|salt)`)
	doubtfulKey = lazyregexp.New(`(?i)(token|key)`)
	flagValue   = lazyregexp.New(`^([YN]|true|false)$`)
	plainValue  = lazyregexp.New(`^([YN]|true|false|[0-9]{0,6})$`)
)

// secretSetting reports whether a row of AD_SysConfig may hold a secret: by its
// name and a value that is not a flag, or by a name that may be a secret's and a value
// that is not a number or flag.
func secretSetting(name, value string) bool {
	value = strings.TrimSpace(value)
	return secretKey().MatchString(name) && !flagValue().MatchString(value) || doubtfulKey().MatchString(name) && !plainValue().MatchString(value)
}

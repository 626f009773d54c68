package twin

import (
	"regexp"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// secretName is how columns are called that hold what lets somebody in, whether or
// not the dictionary says so.
var secretName = regexp.MustCompile(`(?i)(password|passwd|passphrase|secret|salt$|token$|accesstoken|refreshtoken|credential|privatekey|apikey|api_key|userpw$|_pw$|userpin$|securityanswer|^answer$|ccnumber|creditcardnumber|creditcardvv|cvv)`)

// isSecret reports whether the values of a column never leave the ERP.
func isSecret(c *store.Column) bool {
	if c.Encrypted || c.Secure {
		return true
	}
	switch c.Kind() {
	case store.KindText, store.KindBytes, store.KindJSON:
		return secretName.MatchString(c.Name)
	}
	return false
}

var (
	secretKey   = regexp.MustCompile(`(?i)(password|passwd|secret|credential|_pwd$|_pw$|private_?key|api_?key|salt)`)
	doubtfulKey = regexp.MustCompile(`(?i)(token|key)`)
	plainValue  = regexp.MustCompile(`^([YN]|true|false|[0-9]{0,6})$`)
)

// secretSetting reports whether a row of AD_SysConfig may hold a secret: by its
// name, or by one that may be a secret's and a value that is no number or flag.
func secretSetting(name, value string) bool {
	return secretKey.MatchString(name) || doubtfulKey.MatchString(name) && !plainValue.MatchString(strings.TrimSpace(value))
}

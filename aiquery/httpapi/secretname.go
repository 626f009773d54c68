package httpapi

import "strings"

// secretName tells columns that the specification has redacted, by the end of
// their name.
func secretName(column string) bool {
	name := strings.ToUpper(strings.TrimSpace(column))
	for _, end := range []string{"PASSWORD", "APIKEY", "SECRET", "CREDITCARD", "TOKEN"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

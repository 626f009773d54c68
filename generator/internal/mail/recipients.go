package mail

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/failure"
)

// AnyRecipient among [Options.Recipients] lets mails go to everybody.
const AnyRecipient = "*"

// CheckRecipient checks whether a text can stand in [Options.Recipients]: a plain
// address, a domain, a domain that begins with a dot, or [AnyRecipient]. One that
// cannot is a failure of the kind [failure.NotConfigured].
func CheckRecipient(text string) error {
	if text == AnyRecipient {
		return nil
	}
	address := text
	if !strings.Contains(text, "@") {
		address = "somebody@" + strings.TrimPrefix(text, ".")
	}
	if checkAddress(address) != "" {
		return &failure.Error{Kind: failure.NotConfigured, Doing: "reading whom mails may go to",
			Why:  fmt.Sprintf("%q is neither an address nor a domain", failure.Words(text)),
			Next: "write name@example.com for one address, example.com for a domain, .example.com for what is below it, or * for everybody"}
	}
	return nil
}

// mayGoTo reports whether mails may go to an address that is one.
func (o *Options) mayGoTo(address string) bool {
	if o.Recipients == nil {
		return true
	}
	address = strings.ToLower(address)
	local, domain, _ := strings.Cut(address, "@")
	// Some servers still read another domain out of such a name.
	routed := strings.ContainsAny(local, "%!")
	return slices.ContainsFunc(o.Recipients, func(known string) bool {
		known = strings.ToLower(known)
		switch {
		case known == AnyRecipient:
			return true
		case strings.Contains(known, "@"):
			return known == address
		case routed:
			return false
		case strings.HasPrefix(known, "."):
			return strings.HasSuffix(domain, known)
		}
		return known == domain
	})
}

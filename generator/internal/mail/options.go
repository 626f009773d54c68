package mail

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	netmail "net/mail"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Defaults and limits.
const (
	DefaultFrom     = "noreply@localhost"
	DefaultPort     = 587
	DefaultMaxBytes = 20 << 20
	DefaultTimeout  = time.Minute

	tlsPort = 465 // where TLS begins at once
)

// Options configure a [Sender].
type Options struct {
	// Host is the mail server, with a port if it is another than 587. On port
	// 465 the connection is encrypted from the start, elsewhere by STARTTLS.
	Host string
	From string // sender; empty: noreply@localhost
	// Login tells how to log in. Nil, or an empty user name, means without.
	Login func(ctx context.Context) (Login, error)
	// ImplicitTLS encrypts from the start on other ports than 465, too.
	ImplicitTLS bool
	// Cleartext goes on without encryption when the server offers none.
	Cleartext bool
	// Recipients are whom mails may go to: addresses (name@example.com), domains
	// (example.com, not what is below), domains for what is below them
	// (.example.com), or [AnyRecipient]. Nil means everybody.
	Recipients []string
	// MaxBytes is the largest zip to send. Zero means 20 MiB. What the server
	// says it takes counts as well.
	MaxBytes int
	// Timeout bounds one delivery. Zero means a minute.
	Timeout time.Duration
	// Untrusted says that the host is not the operator's choice, so that it must
	// have a public address.
	Untrusted bool
	// Roots are the authorities to trust, nil the system's.
	Roots  *x509.CertPool
	Logger *slog.Logger // nil: silent
}

// Login is a user name and a password. It shows as "[redacted]" whatever way it
// is printed.
type Login struct{ User, Password string }

// String returns "[redacted]".
func (l Login) String() string { return "[redacted]" }

// Format writes "[redacted]" whatever the verb.
func (l Login) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, l.String()) }

// LogValue returns "[redacted]" for log/slog.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// MarshalText returns "[redacted]".
func (l Login) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// hostName is printable ASCII but for /, @, ?, # and \.
var hostName = lazyregexp.New(`^[!"$-.0->A-\[\]-~]{1,253}$`)

// check validates the options and fills in the defaults. It returns host and
// port.
func (o *Options) check() (host string, port int, err error) {
	bad := func(why, next string) error {
		return &failure.Error{Kind: failure.NotConfigured, Doing: "configuring the mail server", Why: why, Next: next}
	}
	if o.Host == "" {
		return "", 0, bad("there is none", "set hub.email.smtp-host (SMTP_HOST)")
	}
	host, port = o.Host, DefaultPort
	if h, p, err := net.SplitHostPort(o.Host); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return "", 0, bad("what follows its last colon is not a port", "use one such as smtp.example.com:587")
		}
		host, port = h, int(n)
	}
	host = strings.Trim(host, "[]")
	if !hostName().MatchString(host) {
		return "", 0, bad("its name is not that of a host", "use one such as smtp.example.com or smtp.example.com:587")
	}
	o.ImplicitTLS = o.ImplicitTLS || port == tlsPort
	o.From = cmp.Or(o.From, DefaultFrom)
	from, why := sender(o.From)
	if why != "" {
		return "", 0, bad(fmt.Sprintf("the sender %q %s", failure.Words(o.From), why), "set hub.email.from (EMAIL_FROM) to an address")
	}
	o.From = from
	for _, r := range o.Recipients {
		if err := CheckRecipient(r); err != nil {
			return "", 0, err
		}
	}
	if o.MaxBytes < 0 || o.Timeout < 0 {
		return "", 0, bad("a limit is negative", "use zero for the default")
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return host, port, nil
}

// sender checks the address that mails are from, which may have a display name.
func sender(text string) (string, string) {
	if strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) {
		return "", "contains a control character"
	}
	a, err := netmail.ParseAddress(text)
	if err != nil {
		return "", "is not an address"
	}
	if why := checkAddress(a.Address); why != "" {
		return "", why
	}
	return a.String(), ""
}

// checkAddress says why a text is not one plain address, or "".
func checkAddress(text string) string {
	switch {
	case text == "":
		return "is empty"
	case len(text) > 254:
		return "is longer than an address can be"
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return "contains a line break or another control character"
	case strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }):
		return "contains other characters than ASCII; write the domain in its xn-- form"
	case strings.ContainsAny(text, " \t,;:<>()[]\"\\"):
		return "is not one plain address such as name@example.com"
	}
	a, err := netmail.ParseAddress(text)
	if err != nil || a.Address != text || a.Name != "" {
		return "is not one plain address such as name@example.com"
	}
	local, domain, _ := strings.Cut(text, "@")
	if len(local) > 64 || strings.HasPrefix(local, "-") || strings.ContainsAny(domain, "!%/'`{}|~^*?=&#$+_") {
		return "is not one plain address such as name@example.com"
	}
	return ""
}

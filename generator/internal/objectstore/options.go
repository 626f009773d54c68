package objectstore

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Limits and defaults.
const (
	DefaultTTL     = time.Hour
	MaxTTL         = 7 * 24 * time.Hour // what stores accept
	DefaultRegion  = "us-east-1"
	DefaultTimeout = 2 * time.Minute
)

// Options configure a [Store].
type Options struct {
	// Endpoint is the address of the store without bucket. Empty means Amazon's
	// for the region.
	Endpoint string
	Region   string // empty: us-east-1, which other stores accept as well
	Bucket   string
	Prefix   string // before every key, usually ending in a slash; may be empty
	// TTL is the life of links, in whole seconds. Zero means an hour; more than
	// seven days is an error. What an [Artifacts] keeps has its own.
	TTL time.Duration
	// Timeout bounds one delivery or one call of an [Artifacts], retries included.
	// Zero means two minutes.
	Timeout     time.Duration
	Credentials func(ctx context.Context) (Credentials, error)
	// Untrusted says that the endpoint is not the operator's choice, so that it
	// must have a public address.
	Untrusted bool
	// Roots are the authorities to trust, nil the system's.
	Roots *x509.CertPool
	// Now is the clock of an [Artifacts], nil the system's. Requests and links are
	// signed with the system's.
	Now    func() time.Time
	Logger *slog.Logger // nil: silent
}

// Credentials sign requests and links. They show as "[redacted]" whatever way
// they are printed.
type Credentials struct {
	AccessKey    string
	SecretKey    string
	SessionToken string // of temporary credentials
}

// String returns "[redacted]".
func (c Credentials) String() string { return "[redacted]" }

// Format writes "[redacted]" whatever the verb.
func (c Credentials) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue returns "[redacted]" for log/slog.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText returns "[redacted]".
func (c Credentials) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

var (
	bucketName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)
	regionName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,40}$`)
	strictName = lazyregexp.New(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

func bad(why, next string) error {
	return &failure.Error{Kind: failure.NotConfigured, Doing: "configuring object storage", Why: why, Next: next}
}

// check validates the options and fills in the defaults. It returns the parsed
// endpoint, nil for Amazon's.
func (o *Options) check() (*url.URL, error) {
	switch {
	case o.Bucket == "":
		return nil, bad("there is no bucket", "set hub.generator.objectstore.bucket")
	case !bucketName().MatchString(o.Bucket), o.Endpoint == "" && !strictName().MatchString(o.Bucket):
		return nil, bad(fmt.Sprintf("%q cannot be the name of a bucket", failure.Words(o.Bucket)), "use 3 to 63 small letters, digits, dots and dashes")
	case o.Credentials == nil:
		return nil, bad("there are no credentials", "give an access key and a secret key")
	case o.TTL < 0 || o.TTL > MaxTTL:
		return nil, bad(fmt.Sprintf("links cannot live %v", o.TTL), "stores accept at most seven days (168h)")
	case o.TTL%time.Second != 0:
		return nil, bad(fmt.Sprintf("links cannot live %v", o.TTL), "use whole seconds")
	case o.Timeout < 0:
		return nil, bad("the timeout is negative", "")
	}
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Region = cmp.Or(o.Region, DefaultRegion)
	if !regionName().MatchString(o.Region) {
		return nil, bad(fmt.Sprintf("%q cannot be a region", failure.Words(o.Region)), "use one such as eu-central-1")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if err := checkPrefix(o.Prefix); err != "" {
		return nil, bad(fmt.Sprintf("the prefix %q %s", failure.Words(o.Prefix), err), "use one such as generated/")
	}
	if o.Endpoint == "" {
		return nil, nil
	}
	return o.endpoint()
}

func (o *Options) endpoint() (*url.URL, error) {
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil:
		return nil, bad("the endpoint is not an address", "use one such as https://s3.example.com")
	case u.User != nil:
		return nil, bad("the endpoint holds a user", "give credentials apart from the address")
	case u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", u.RawQuery != "", u.Fragment != "":
		return nil, bad("the endpoint is not the address of a store", "use one such as https://s3.example.com")
	}
	return u, nil
}

// checkPrefix says what is wrong with the prefix, or "".
func checkPrefix(prefix string) string {
	switch {
	case len(prefix) > 500:
		return "is longer than 500 bytes"
	case strings.HasPrefix(prefix, "/"), strings.Contains(prefix, "//"):
		return "has an empty part"
	case strings.ContainsFunc(prefix, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '\uFFFD' }):
		return "holds a character that keys should not have"
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "." || part == ".." {
			return "has a part that is . or .."
		}
	}
	return ""
}

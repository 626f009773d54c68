package gitrepo

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Kind is the API that a forge speaks.
type Kind string

// The kinds. Forgejo speaks Gitea's.
const (
	GitHub Kind = "github"
	Gitea  Kind = "gitea"
)

// Defaults.
const (
	DefaultURL     = "https://github.com"
	DefaultBranch  = "main"
	DefaultTimeout = 2 * time.Minute
)

// Options configure [Repositories].
type Options struct {
	// URL is the address of the forge as people see it. Empty means GitHub.
	URL string
	// Kind is the forge's API. Empty means GitHub for github.com and Gitea for
	// all others; GitHub's own servers elsewhere have to be named.
	Kind Kind
	// Owner is the organization, or the token's own user. Empty means the
	// latter.
	Owner string
	// Public makes repositories that everybody can read. They are private
	// without it.
	Public bool
	Token  func(ctx context.Context) (string, error)
	Branch string // empty: main
	// Now is the time of the commit, nil means the clock's. The same artifact
	// made at the same time has the same commit hash.
	Now func() time.Time
	// Timeout bounds one delivery. Zero means two minutes.
	Timeout time.Duration
	// Untrusted says that the address is not the operator's choice, so that it
	// must be a public one.
	Untrusted bool
	// Roots are the authorities to trust, nil the system's.
	Roots  *x509.CertPool
	Logger *slog.Logger // nil: silent
}

var (
	segment    = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)
	branchName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*(/[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*)*$`)
)

// check validates the options and fills in the defaults. It returns the address
// of the forge, without a slash at its end, and the one of its API.
func (o *Options) check() (base, api *url.URL, err error) {
	base, err = o.address()
	switch {
	case err != nil:
		return nil, nil, err
	case o.Token == nil:
		return nil, nil, bad("there is no token", "give one that may create repositories")
	case o.Owner != "" && !segment().MatchString(o.Owner):
		return nil, nil, bad(fmt.Sprintf("%q cannot be an organization", failure.Words(o.Owner)), "set hub.repository.default-org to its name as in its address")
	case o.Branch != "" && (!branchName().MatchString(o.Branch) || strings.HasSuffix(o.Branch, ".lock") || len(o.Branch) > 100):
		return nil, nil, bad(fmt.Sprintf("%q cannot be a branch", failure.Words(o.Branch)), "use one such as main")
	case o.Timeout < 0:
		return nil, nil, bad("the timeout is negative", "")
	}
	isGitHub := strings.EqualFold(base.Hostname(), "github.com")
	o.defaults(isGitHub)
	switch {
	case o.Kind == GitHub && isGitHub:
		return base, &url.URL{Scheme: "https", Host: "api.github.com"}, nil
	case o.Kind == GitHub:
		return base, base.JoinPath("api", "v3"), nil
	case o.Kind == Gitea:
		return base, base.JoinPath("api", "v1"), nil
	}
	return nil, nil, bad(fmt.Sprintf("there is no kind %q of forge", failure.Words(string(o.Kind))), "use github or gitea")
}

func bad(why, next string) error {
	return &failure.Error{Kind: failure.NotConfigured, Doing: "configuring the forge", Why: why, Next: next}
}

func (o *Options) address() (*url.URL, error) {
	o.URL = cmp.Or(o.URL, DefaultURL)
	base, err := url.Parse(strings.TrimRight(o.URL, "/"))
	switch {
	case err != nil:
		return nil, bad("its address is none", "use one such as https://forge.example.com")
	case base.User != nil:
		return nil, bad("its address holds a user", "give the token apart from the address")
	case base.Scheme != "https" && base.Scheme != "http", base.Hostname() == "", base.RawQuery != "", base.Fragment != "":
		return nil, bad("its address is not one of a forge", "use one such as https://forge.example.com")
	case base.Scheme == "http" && !thisMachine(base.Hostname()):
		return nil, bad("its address begins with http, which would show the token to everybody on the way", "use https")
	}
	return base, nil
}

func (o *Options) defaults(isGitHub bool) {
	kind := Gitea
	if isGitHub {
		kind = GitHub
	}
	o.Kind = cmp.Or(o.Kind, kind)
	o.Branch = cmp.Or(o.Branch, DefaultBranch)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
}

func thisMachine(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// repositoryName checks that an artifact's name can name a repository.
func repositoryName(name string) error {
	lower := strings.ToLower(name)
	for _, suffix := range []string{".git", ".wiki", ".rss", ".atom", ".lock"} {
		if strings.HasSuffix(lower, suffix) {
			return fmt.Errorf("a repository cannot have a name that ends in %s", suffix)
		}
	}
	if !segment().MatchString(name) {
		return fmt.Errorf("a repository's name has at most 100 letters, digits, dots, dashes and underscores and begins with none of the middle ones")
	}
	return nil
}

package netguard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/erphub/erphub/internal/waiting"
)

// Limits of a connection. Whole operations are bounded by their context.
const (
	dialTimeout      = 5 * time.Second
	handshakeTimeout = 10 * time.Second
	responseTimeout  = 60 * time.Second

	maxResponse = 32 << 20
)

// ErrRefused is in the error of a connection that the rule forbids.
var ErrRefused = errors.New("the address is not allowed")

// Guard applies the rule. It is safe for concurrent use.
type Guard struct {
	configured map[string]bool // hosts of the operator, lower case, without port
	proxies    sync.Map        // hosts of proxies from the environment
	resolver   *net.Resolver   // nil: the system's
}

// New returns a guard for an operator who configured these hosts. Ports and
// brackets of IPv6 addresses are ignored, as is an empty text.
func New(configured ...string) *Guard {
	g := &Guard{configured: map[string]bool{}}
	for _, host := range configured {
		if name := hostname(host); name != "" {
			g.configured[name] = true
		}
	}
	return g
}

// hostname is a host without port and brackets, in lower case.
func hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	return strings.ToLower(host)
}

// Configured reports whether the operator configured the host.
func (g *Guard) Configured(host string) bool { return g.configured[hostname(host)] }

// DialContext connects when the rule allows the address. It fits
// http.Transport and mail clients.
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	name := hostname(addr)
	_, proxy := g.proxies.Load(name)
	trusted := proxy || g.configured[name]
	literal, _ := netip.ParseAddr(name)
	d := net.Dialer{
		Timeout:  dialTimeout,
		Resolver: g.resolver,
		Control: func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%w: %s", ErrRefused, address)
			}
			exact := trusted && literal.IsValid() && literal.Unmap() == ap.Addr().Unmap().WithZone("")
			return check(ap.Addr(), trusted, exact)
		},
	}
	return d.DialContext(ctx, network, addr)
}

// check applies the rule to one address.
func check(addr netip.Addr, trusted, exact bool) error {
	addr = addr.Unmap().WithZone("")
	switch {
	case exact && !addr.IsMulticast() && !addr.IsUnspecified():
		return nil
	case dangerous(addr):
		return fmt.Errorf("%w: %s is link-local or no single host", ErrRefused, addr)
	case !trusted && internal(addr):
		return fmt.Errorf("%w: %s is not public, and the host was not configured by the operator", ErrRefused, addr)
	}
	return nil
}

// Addresses beyond those that package netip has words for.
var (
	metadata = []netip.Addr{ // of clouds, outside of the link-local network
		netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("100.100.100.200"),
	}
	special = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),       // this network
		netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers
		netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
		netip.MustParsePrefix("192.0.2.0/24"),    // documentation
		netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
		netip.MustParsePrefix("198.51.100.0/24"), // documentation
		netip.MustParsePrefix("203.0.113.0/24"),  // documentation
		netip.MustParsePrefix("240.0.0.0/4"),     // reserved
		netip.MustParsePrefix("::/96"),           // IPv4 written as IPv6
		netip.MustParsePrefix("64:ff9b::/96"),    // translated IPv4
		netip.MustParsePrefix("64:ff9b:1::/48"),  // translated IPv4, local
		netip.MustParsePrefix("100::/64"),        // discard
		netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo
		netip.MustParsePrefix("2001:db8::/32"),   // documentation
		netip.MustParsePrefix("2002::/16"),       // 6to4
		netip.MustParsePrefix("fec0::/10"),       // site-local
	}
)

func dangerous(addr netip.Addr) bool {
	return slices.Contains(metadata, addr) || addr.IsLinkLocalUnicast() || addr.IsMulticast() || addr.IsUnspecified() || addr == netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

func internal(addr netip.Addr) bool {
	return slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) }) || !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.IsLoopback()
}

// Client returns an HTTP client that connects under the rule and follows no
// redirects: those are responses like others, and end after 32 MiB. Roots are the certificates to
// trust, nil means the system's. Its idle connections are closed by
// CloseIdleConnections.
func (g *Guard) Client(roots *x509.CertPool) *http.Client {
	t := &http.Transport{
		Proxy:                 g.proxy,
		DialContext:           g.DialContext,
		TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   handshakeTimeout,
		ResponseHeaderTimeout: responseTimeout,
		IdleConnTimeout:       30 * time.Second,
		MaxIdleConnsPerHost:   4,
		ForceAttemptHTTP2:     true,
	}
	return &http.Client{
		Transport:     bounded{t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded ends responses that are longer than any a delivery has a use for. Some
// clients read them whole.
type bounded struct{ *http.Transport }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	defer waiting.Begin(req)()
	resp, err := b.Transport.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxResponse)
	}
	return resp, err
}

// proxy is the proxy of the environment, for hosts the operator configured.
func (g *Guard) proxy(req *http.Request) (*url.URL, error) {
	if !g.Configured(req.URL.Host) {
		return nil, nil
	}
	u, err := http.ProxyFromEnvironment(req)
	if err == nil && u != nil {
		g.proxies.Store(hostname(u.Host), true)
	}
	return u, err
}

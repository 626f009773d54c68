package httpserver

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Listen listens on a TCP address, such as 127.0.0.1:8080. A port alone means
// loopback; port 0 picks a free one.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address to listen on, %q: %w; write it as 127.0.0.1:8080", address, err)
	}
	host = cmp.Or(host, "127.0.0.1")
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another address, port 0 for any free one", address, err)
	}
	return ln, nil
}

// Loopback reports whether only this machine can reach what listens there.
func Loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// URL is the address at which this machine reaches a listener.
func URL(a net.Addr) string {
	host := a.String()
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return "http://" + host
}

// BaseURL is where a request's client reaches the server: at its public address, or if
// that is empty where the request went.
func BaseURL(r *http.Request, public string) string {
	if public != "" {
		return public
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: r.Host}).String()
}

// KnownHost reports whether a Host header names a server of these names, of
// localhost or of an IP address, which cannot be made to point elsewhere. A name
// that begins with a dot stands for all below it, "*" for all names there are.
func KnownHost(names []string, hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || net.ParseIP(host) != nil {
		return true
	}
	return slices.ContainsFunc(names, func(known string) bool {
		known = strings.ToLower(strings.TrimSuffix(known, "."))
		if strings.HasPrefix(known, ".") {
			return strings.HasSuffix(host, known)
		}
		return known == "*" || host == known && host != ""
	})
}

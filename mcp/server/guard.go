package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/httpserver"
)

// corsHeaders are what scripts of allowed pages may send, corsExposed what they
// may read.
const (
	corsHeaders = "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, " +
		toolsetsHeader + ", " + readOnlyHeader + ", " +
		roleHeader + ", " + organizationHeader + ", " + warehouseHeader + ", " + languageHeader + ", " + idTokenHeader
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
)

// guard refuses what a browser was made to send: requests for a name that is
// not ours, by which a page elsewhere reaches a local server (DNS rebinding),
// and requests of pages that are not allowed. It responds to the preflight requests
// of browsers.
func (s *Server) guard(next http.Handler) http.Handler {
	return s.known(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		allowed := origin != "" && slices.ContainsFunc(s.opts.Origins, func(o string) bool { return strings.EqualFold(o, origin) })
		switch {
		case origin != "" && !allowed && !sameOrigin(origin, r.Host),
			len(r.Header.Values("Origin")) > 1,
			origin == "" && r.Header.Get("Sec-Fetch-Site") == "cross-site":
			s.turn(w, "origin", http.StatusForbidden, "pages of this origin may not use the server; allow it when you start the server")
			return
		}
		if allowed {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", corsExposed)
			h.Add("Vary", "Origin")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
				h.Set("Access-Control-Allow-Headers", corsHeaders)
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	}))
}

// known refuses requests for a name that is not ours.
func (s *Server) known(next http.Handler) http.Handler {
	names := s.opts.names()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpserver.KnownHost(names, r.Host) {
			s.turn(w, "host", http.StatusForbidden, httpserver.DetailHost)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// turn refuses a request before the protocol sees it.
func (s *Server) turn(w http.ResponseWriter, reason string, status int, detail string) {
	s.opts.Metrics.turned.Add(1, reason)
	httpserver.Problem(w, status, detail)
}

// names are the names of this server in Host headers, beside localhost and IP
// addresses.
func (o *Options) names() []string {
	names := append(slices.Clone(o.Hosts), ".localhost")
	if u, err := url.Parse(o.URL); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	return names
}

// sameOrigin reports whether a page came from where its request goes.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

package httpapi

import (
	"net/http"
	"slices"
)

// cors responds to what browsers request before a page of another origin may call. It
// returns true when that was all. Without origins it does nothing: a browser
// then keeps pages of other origins away.
func (h *Handler) cors(w http.ResponseWriter, r *http.Request) bool {
	if len(h.opts.Origins) == 0 {
		return false
	}
	head := w.Header()
	head.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if !slices.Contains(h.opts.Origins, origin) {
		return false
	}
	head.Set("Access-Control-Allow-Origin", origin)
	head.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Api-Version, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	head.Set("Access-Control-Allow-Methods", "GET, POST")
	head.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	head.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

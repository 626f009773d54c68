package httpserver

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Serve shows all metrics at /metrics on ln until ctx ends, to every client, and
// nothing else: ln should be reachable for those who look after the server
// alone. It serves Host headers as a [Server] does. It closes ln.
func (m *Metrics) Serve(ctx context.Context, ln net.Listener, hosts ...string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !KnownHost(hosts, r.Host) {
			Problem(w, http.StatusMisdirectedRequest, DetailHost)
			return
		}
		metricsText(w, m.Text())
	})
	return Serve(ctx, ln, &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10,
	}, Shutdown{}) // there is nothing worth finishing
}

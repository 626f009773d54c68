package httpserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve shows all metrics at /metrics on ln until ctx ends, whoever asks, and
// nothing else: ln should be reachable for those who look after the server
// alone. It answers to names as a [Server] does. It closes ln.
func (m *Metrics) Serve(ctx context.Context, ln net.Listener, hosts ...string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !knows(hosts, r.Host) {
			Problem(w, http.StatusMisdirectedRequest, "this server does not answer to the name in the Host header; name it when you start the server")
			return
		}
		MetricsText(w, m.Text())
	})
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // there is nothing worth finishing
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

package httpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Timeouts of [Serve] for servers that set none of their own.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
)

// Shutdown says how [Serve] ends.
type Shutdown struct {
	// Delay is how long the server still takes requests, and ends the connection of
	// each that it responds to; 0: not at all. Clients and proxies that are at work
	// learn of the end without losing a request.
	Delay time.Duration
	// Leave is called when the context ends, before Delay; nil: nothing is.
	Leave func()
	// Drain is the time requests may take to finish; 0: their connections are
	// closed at once.
	Drain time.Duration
	// Cancel is how long requests that outlast Drain may take to respond to the
	// cancellation of their contexts, before their connections are closed; 0:
	// contexts are not cancelled before connections are closed.
	Cancel time.Duration
	// Abort cancels the work of requests, so that they respond; nil: their contexts
	// are cancelled.
	Abort func()
	// Begin is called after Delay, before the server stops listening, for example to
	// end streams; nil: nothing is.
	Begin func()
	// Running returns the number of requests being handled, for the log; nil: the
	// log has no number.
	Running func() int
	// Logger logs the beginning of the shutdown and requests that do not finish;
	// nil is silent.
	Logger *slog.Logger
}

// Serve serves srv on ln until ctx ends, then stops listening and waits for
// requests as end says. It closes ln. A server that has no ReadHeaderTimeout or
// IdleTimeout gets ten seconds and two minutes. It returns nil after a shutdown,
// whether or not all requests finished.
func Serve(ctx context.Context, ln net.Listener, srv *http.Server, end Shutdown) error {
	srv.ReadHeaderTimeout = cmp.Or(srv.ReadHeaderTimeout, readHeaderTimeout)
	srv.IdleTimeout = cmp.Or(srv.IdleTimeout, idleTimeout)
	cancelRequests := func() {}
	if end.Cancel > 0 {
		var requests context.Context
		requests, cancelRequests = context.WithCancel(context.WithoutCancel(ctx))
		srv.BaseContext = func(net.Listener) context.Context { return requests }
	}
	defer cancelRequests()
	if end.Delay > 0 {
		srv.Handler = leaving(ctx, srv.Handler)
	}
	arriving := watchArrivals(srv)
	accepting := newGate(ln)
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- end.run(srv, accepting, arriving, cancelRequests) })
	err := srv.Serve(accepting)
	if !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	return <-stopped
}

// run shuts a server down.
func (end *Shutdown) run(srv *http.Server, ln *gate, arriving *arrivals, cancelRequests func()) error {
	if end.Leave != nil {
		end.Leave()
	}
	if end.Delay > 0 {
		end.log(slog.LevelInfo, "the server leaves: it is not ready, and ends connections as they respond")
		time.Sleep(end.Delay)
	}
	if end.Begin != nil {
		end.Begin()
	}
	end.log(slog.LevelInfo, "the server ends")
	ln.stop()
	if end.Drain > 0 {
		arriving.wait(min(end.Drain, arrivalTimeout))
	}
	err := drain(srv, end.Drain)
	if end.Cancel > 0 && errors.Is(err, context.DeadlineExceeded) {
		end.log(slog.LevelWarn, "requests are cancelled, because they take too long to finish")
		if end.Abort != nil {
			end.Abort()
		} else {
			cancelRequests()
		}
		err = drain(srv, end.Cancel)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		end.log(slog.LevelWarn, "requests were cut off, because they did not finish in time")
		err = srv.Close()
	}
	return err
}

func (end *Shutdown) log(level slog.Level, message string) {
	if end.Logger == nil {
		return
	}
	var number []any
	if end.Running != nil {
		number = []any{"running", end.Running()}
	}
	end.Logger.Log(context.Background(), level, message, number...)
}

// leaving ends the connection of each request that begins after ctx ended.
func leaving(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// drain stops listening and waits for requests. Without time for them it does
// not even wait for idle connections.
func drain(srv *http.Server, patience time.Duration) error {
	if patience <= 0 {
		return context.DeadlineExceeded
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return srv.Shutdown(ctx)
}

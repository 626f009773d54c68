package httpserver

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// arrivalTimeout is how long connections that were accepted may take to bring their
// first request when the server ends.
const arrivalTimeout = time.Second

// arrivals are the connections of a server whose first request has not come. A
// server of net/http that shuts down drops a request it has just read, so they are
// waited for before.
type arrivals struct {
	mu      sync.Mutex // guards waiting and none
	waiting map[net.Conn]bool
	none    chan struct{} // closed when waiting is empty; nil: nobody wants to know
}

type arrivalKey struct{}

// watch has srv tell about its connections.
func watchArrivals(srv *http.Server) *arrivals {
	a := &arrivals{waiting: map[net.Conn]bool{}}
	srv.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.waiting[conn] = true
		return context.WithValue(ctx, arrivalKey{}, conn)
	}
	srv.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			a.arrived(conn)
		}
	}
	next := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(arrivalKey{}).(net.Conn); ok {
			a.arrived(conn)
		}
		next.ServeHTTP(w, r)
	})
	return a
}

func (a *arrivals) arrived(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, conn)
	if len(a.waiting) == 0 && a.none != nil {
		close(a.none)
		a.none = nil
	}
}

// wait returns when no connection is left that has not brought a request, or after
// some time. No more connections may come. It is called once.
func (a *arrivals) wait(most time.Duration) {
	a.mu.Lock()
	none := make(chan struct{})
	if len(a.waiting) == 0 {
		close(none)
	} else {
		a.none = none
	}
	a.mu.Unlock()
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-none:
	case <-late.C:
	}
}

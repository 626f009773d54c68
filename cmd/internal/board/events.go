package board

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
)

const (
	// retryMillis is how long a browser waits before it comes back.
	retryMillis = 2000
	// beat is how often a listener is sent a sign that the connection lives.
	beat = 15 * time.Second
	// writeTimeout is how long a listener may take to read one event.
	writeTimeout = 10 * time.Second

	eventStream = "text/event-stream; charset=utf-8"
)

// events streams changes to one listener.
func (b *Board) events(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // there is nothing to wait for
		w.Header().Set("Content-Type", eventStream)
		return
	}
	l, welcome, err := b.hub.listen(r.Header.Get("Last-Event-ID"), network(r.RemoteAddr))
	if err != nil {
		w.Header().Set("Retry-After", "10")
		httpserver.Problem(w, http.StatusServiceUnavailable, err.Error()+"; try again later, the page reads the status meanwhile")
		return
	}
	defer b.hub.leave(l)
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies must not collect events
	s := &stream{w: w, control: http.NewResponseController(w)}

	var begin bytes.Buffer
	fmt.Fprintf(&begin, "retry: %d\n\n", retryMillis)
	for _, e := range welcome.missed {
		b.format(&begin, e)
	}
	if !welcome.complete {
		fmt.Fprintf(&begin, "id: %s\nevent: reset\ndata: {}\n\n", welcome.id)
	}
	// The state may have changed before the listener came; and from now on it
	// has an id to come back with.
	fmt.Fprintf(&begin, "id: %s\nevent: state\ndata: %s\n\n", welcome.id, stateJSON(b.currentState()))
	if s.send(begin.Bytes()) != nil {
		return
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		var text bytes.Buffer
		select {
		case <-r.Context().Done():
			return
		case e, more := <-l.events:
			if !more {
				return
			}
			b.format(&text, e)
		case <-tick.C:
			text.WriteString("event: beat\ndata: {}\n\n")
		}
		if s.send(text.Bytes()) != nil {
			return
		}
	}
}

// network is the address a request came from; of IPv6 the network, because a
// single client has all addresses of it.
func network(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	addr := at.Addr().Unmap()
	if addr.Is6() {
		if prefix, err := addr.WithZone("").Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return addr.String()
}

func (b *Board) format(to *bytes.Buffer, e event) {
	fmt.Fprintf(to, "id: %s\nevent: %s\ndata: %s\n\n", b.hub.id(e.seq), e.name, e.data)
}

// stream writes to a listener, who must read in time.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *stream) send(text []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a writer without deadlines is one of a test
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

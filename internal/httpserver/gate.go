package httpserver

import (
	"net"
	"sync"
)

// gate is a listener that can stop accepting before it is closed, so that every
// connection which was accepted is known to the server when it shuts down: one that
// is still on its way from Accept to the server would be cut off.
type gate struct {
	net.Listener
	stopping chan struct{} // closed by stop
	idle     chan struct{} // closed when Accept will return no more connections
	closed   chan struct{}
	stopOnce sync.Once
	idleOnce sync.Once
	end      sync.Once
}

func newGate(ln net.Listener) *gate {
	return &gate{Listener: ln, stopping: make(chan struct{}), idle: make(chan struct{}), closed: make(chan struct{})}
}

// Accept returns the next connection. After stop it waits for Close.
func (g *gate) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil && closed(g.stopping) {
		g.idleOnce.Do(func() { close(g.idle) })
		<-g.closed
	}
	return conn, err
}

// stop stops accepting and returns when the server has all connections. What waits in
// the queue of the system stays there for whoever else has the socket.
func (g *gate) stop() {
	g.stopOnce.Do(func() { close(g.stopping) })
	_ = g.Listener.Close() // Close tells
	select {
	case <-g.idle:
	case <-g.closed:
	}
}

// Close closes the listener.
func (g *gate) Close() error {
	err := net.ErrClosed
	g.end.Do(func() {
		close(g.closed)
		if err = g.Listener.Close(); closed(g.stopping) {
			err = nil // it was closed by stop
		}
	})
	return err
}

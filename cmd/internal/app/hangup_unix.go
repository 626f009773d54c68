//go:build unix

package app

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// ignoreHangup keeps SIGHUP from ending a server, until restore is called: log
// rotation and service managers send it to have settings read anew, which are
// read at the start only, and requests would be cut off. A server at a terminal
// still ends with the terminal.
func (a *app) ignoreHangup(log *slog.Logger) (restore func()) {
	if terminal(a.streams.In) || signal.Ignored(syscall.SIGHUP) {
		return func() {}
	}
	signal.Ignore(syscall.SIGHUP) // takes it from whoever was notified
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-received:
				log.Warn("SIGHUP is ignored: settings are read when the server starts; restart it to change them")
			case <-done:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Ignore(syscall.SIGHUP) // the process is about to end
		close(done)
	})
}

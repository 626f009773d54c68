package shell

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
)

// IgnoreHangup keeps SIGHUP from ending a server, until restore is called: log
// rotation and service managers send it to have settings read anew, which are
// read at the start only, and requests would be cut off. A server at a terminal
// still ends with the terminal.
func (sh *Shell) IgnoreHangup(log *slog.Logger) (restore func()) {
	if hangUp == nil || Terminal(sh.Streams.In) || signal.Ignored(hangUp) {
		return func() {}
	}
	signal.Ignore(hangUp) // takes it from WithSignals
	received := make(chan os.Signal, 1)
	signal.Notify(received, hangUp)
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
		signal.Ignore(hangUp) // the process is about to end
		close(done)
	})
}

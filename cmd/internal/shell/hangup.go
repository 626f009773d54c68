package shell

import (
	"log/slog"
	"os"
	"os/signal"
	"sync"
)

// OnHangup keeps SIGHUP from ending a server, until restore is called: log rotation
// and service managers send it to have settings read anew, which are read at the
// start only, and requests would be cut off. Each one calls do, also where whoever
// started the server has SIGHUP ignored, as nohup does; with nil the log says that it
// is ignored. A server at a terminal still ends with the terminal.
func (sh *Shell) OnHangup(log *slog.Logger, do func()) (restore func()) {
	if hangUp == nil || Terminal(sh.Streams.In) || do == nil && signal.Ignored(hangUp) {
		return func() {}
	}
	if do == nil {
		do = func() {
			log.Warn("SIGHUP is ignored: settings are read when the server starts; restart it to change them")
		}
	}
	signal.Ignore(hangUp) // takes it from WithSignals
	received := make(chan os.Signal, 1)
	signal.Notify(received, hangUp)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-received:
				do()
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

package shell

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// MetricsFlag is the flag of [Shell.ServeMetrics].
func MetricsFlag() cli.Flag {
	return &cli.StringFlag{Name: "metrics-listen", Usage: "address of a listener for all metrics, with the times and sizes that /metrics leaves out where callers reach it"}
}

// ServeMetrics serves all metrics on a listener of their own, when there is to be
// one, until ctx ends. It says where, and returns what waits for its end.
func (sh *Shell) ServeMetrics(ctx context.Context, c *cli.Context, serve func(context.Context, net.Listener, ...string) error) (wait func() error, err error) {
	address := c.String("metrics-listen")
	if address == "" {
		return func() error { return nil }, nil
	}
	ln, err := httpserver.Listen(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("serving metrics: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(ctx, ln, c.StringSlice("host")...) }()
	sh.Note("metrics with times and sizes are at %s/metrics", httpserver.URL(ln.Addr()))
	return func() error { return <-served }, nil
}

// ServeUntil serves until ctx ends. announce tells who waits that the server responds;
// when it cannot, stop ends ctx, so that the server still ends in order.
func (sh *Shell) ServeUntil(ctx context.Context, stop context.CancelFunc, log *slog.Logger, serve, announce func() error) error {
	served := make(chan error, 1)
	go func() { served <- serve() }()
	err := announce()
	told := func() {}
	if err == nil {
		told = sh.Started(ctx, log)
	} else {
		stop()
	}
	err = errors.Join(err, <-served)
	stop()
	told()
	return err
}

// LateRecords is how long the audit's last records may take to be written
// when a server ends.
const LateRecords = 10 * time.Second

// TokenSecretVariable holds the secret with which the ERP signs tokens.
const TokenSecretVariable = "ERP_TOKEN_SECRET"

// askTime bounds a question about a token: callers wait for the response.
const askTime = 5 * time.Second

// AskingClient is the connection by which servers have the ERP check tokens.
func AskingClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() // nobody replaces it in our programs
	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = 8
	return &http.Client{Transport: transport, Timeout: askTime}
}

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

// FuncMetrics is where numbers are shown that are asked for when somebody looks.
type FuncMetrics interface {
	GaugeFunc(name, help string, value func() float64)
	CounterFunc(name, help string, value func() float64)
}

// TokenMetrics shows how often this run's own login was made and refreshed.
func (sh *Shell) TokenMetrics(m FuncMetrics) {
	for _, n := range []struct {
		name, help string
		of         func(tokens.Counts) int64
	}{
		{"erp_token_refreshes_total", "Refreshes of the server's own token that brought a new one.", func(c tokens.Counts) int64 { return c.Refreshes }},
		{"erp_token_refreshes_failed_total", "Refreshes of the server's own token that did not.", func(c tokens.Counts) int64 { return c.RefreshesFailed }},
		{"erp_logins_total", "Logins of the server itself.", func(c tokens.Counts) int64 { return c.Logins }},
		{"erp_logins_failed_total", "Logins of the server itself that failed.", func(c tokens.Counts) int64 { return c.LoginsFailed }},
	} {
		m.CounterFunc(n.name, n.help, func() float64 { return float64(n.of(sh.refreshes.counts())) })
	}
}

// DictionaryMetric shows when the dictionary was last right; the zero time is
// shown as 0.
func DictionaryMetric(m FuncMetrics, checked func() time.Time) {
	m.GaugeFunc("dictionary_checked_timestamp_seconds", "When the ERP's dictionary was last read, or compared without an error, in Unix seconds; 0: not yet.", func() float64 {
		at := checked()
		if at.IsZero() {
			return 0
		}
		return float64(at.UnixMilli()) / 1000
	})
}

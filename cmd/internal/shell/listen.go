package shell

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/systemd"
)

// ListenFlags are what all servers have in common: where they listen, and TLS.
func ListenFlags(address string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "listen", Value: address, Usage: "address to listen on; port 0 picks a free one; a socket that systemd passes is used instead"},
		&cli.StringFlag{Name: "tls-cert", Usage: "PEM file with the certificate for https://, and those between it and the root; read again when it changes", TakesFile: true},
		&cli.StringFlag{Name: "tls-key", Usage: "PEM file with its private key", TakesFile: true},
	}
}

// Listener is where a server listens.
type Listener struct {
	net.Listener
	URL      string // as this machine reaches it
	Loopback bool   // only this machine does
	TLS      bool
}

// Listen listens as [ListenFlags] say, or takes over the socket of the service manager.
func (sh *Shell) Listen(ctx context.Context, c *cli.Context, log *slog.Logger) (*Listener, error) {
	cert, key := c.String("tls-cert"), c.String("tls-key")
	if (cert == "") != (key == "") {
		return nil, Usagef("--tls-cert and --tls-key: %w", httpserver.ErrOneFile)
	}
	var certificate *httpserver.Certificate
	if cert != "" {
		var err error
		if certificate, err = httpserver.LoadCertificate(cert, key, log); err != nil {
			return nil, err
		}
	}
	ln, err := systemd.Listener(sh.Getenv)
	if err != nil {
		return nil, err
	}
	if ln == nil {
		if ln, err = httpserver.Listen(ctx, c.String("listen")); err != nil {
			return nil, err
		}
	}
	l := &Listener{Listener: ln, URL: httpserver.URL(ln.Addr()), Loopback: httpserver.Loopback(ln.Addr())}
	if certificate != nil {
		l.Listener, l.TLS = certificate.Listener(ln), true
		l.URL = "https" + strings.TrimPrefix(l.URL, "http")
	}
	return l, nil
}

// Reach says who can reach the server; elsewhere is what to do where others can.
func (l *Listener) Reach(elsewhere string) string {
	switch {
	case l.Loopback:
		return "It listens on loopback: only this machine can reach it."
	case l.TLS:
		return "It listens for other machines, too, with TLS."
	}
	return "It listens for other machines, too, without TLS: " + elsewhere
}

// Started tells the service manager that the server is ready and, until ctx ends,
// that it is alive; then that it ends. ended returns when that was told.
func (sh *Shell) Started(ctx context.Context, log *slog.Logger) (ended func()) {
	tell := func(state string) {
		if err := systemd.Notify(sh.Getenv, state); err != nil {
			log.Warn("the service manager does not know how the server is", "error", err)
		}
	}
	tell(systemd.Ready)
	var telling sync.WaitGroup
	telling.Go(func() {
		var due <-chan time.Time
		if every := systemd.Watchdog(sh.Getenv); every > 0 {
			ticks := time.NewTicker(every / 2)
			defer ticks.Stop()
			due = ticks.C
		}
		for {
			select {
			case <-due:
				tell(systemd.Alive)
			case <-ctx.Done():
				tell(systemd.Stopping)
				return
			}
		}
	})
	return telling.Wait
}

// LogFlags say how a server logs.
func LogFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "log-format", Value: "text", Usage: "`FORMAT` of the log on standard error: text or json"},
		&cli.StringFlag{Name: "log-level", Value: "info", Usage: "`LEVEL` from which on it logs: debug, info, warn or error"},
	}
}

// AccessLogFlag is for servers that can log each request.
func AccessLogFlag() cli.Flag {
	return &cli.BoolFlag{Name: "access-log", Usage: "log each request: method, route, status, time, size, request id, trace and client; never its path, query or token"}
}

// DrainFlag is for servers that many clients are connected to.
func DrainFlag() cli.Flag {
	return &cli.DurationFlag{Name: "drain-delay", Value: DrainDelay, Usage: "how long after SIGTERM the server is not ready but still takes requests, so that proxies and clients can go elsewhere"}
}

// DrainDelay is enough for clients that are at work to be told that their
// connections end; a proxy that learns of it from /readyz needs longer.
const DrainDelay = 250 * time.Millisecond

// ServerLog is where a server that runs by itself tells what fails.
func (sh *Shell) ServerLog(c *cli.Context) (*slog.Logger, error) {
	level := slog.LevelInfo
	if text := c.String("log-level"); text != "" {
		if err := level.UnmarshalText([]byte(text)); err != nil {
			return nil, Usagef("--log-level takes debug, info, warn or error, not %q", text)
		}
	}
	if c.Bool("debug") {
		level = slog.LevelDebug
	}
	options := &slog.HandlerOptions{Level: level}
	switch format := c.String("log-format"); format {
	case "", "text":
		return slog.New(slog.NewTextHandler(sh.Streams.Err, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(sh.Streams.Err, options)), nil
	default:
		return nil, Usagef("--log-format takes text or json, not %q", format)
	}
}

package shell

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/httpserver"
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

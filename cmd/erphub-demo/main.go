// Command erphub-demo is `erphub demo` as a program of its own, which is built in
// half of the time: it starts an embedded ERP, adds a table to its dictionary over
// HTTP, records a deployment in it, and ends.
//
//	erphub-demo                         tells the story
//	erphub-demo --serve                 and keeps the ERP running until Ctrl-C
//	erphub-demo --listen 127.0.0.1:8080 listens there; port 0 picks a free one
//	erphub-demo --json                  one JSON value instead
//
// Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/erphub/erphub/cmd/internal/demo"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run tells the story and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("erphub-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:0", "`address` to listen on; port 0 picks a free one")
	serve := flags.Bool("serve", false, "keep the ERP running afterwards and show how to talk to it")
	asJSON := flags.Bool("json", false, "print one JSON value and nothing else")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "erphub-demo takes no arguments, got %q; see erphub-demo --help\n", flags.Arg(0))
		return 2
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	err := demo.Run(ctx, demo.Options{
		Out: stdout, Err: stderr, Log: log, UserAgent: "erphub-demo", JSON: *asJSON, Serve: *serve, Talk: demo.TalkToIt, Next: next,
		Start: func(ctx context.Context) (string, <-chan error, error) { return start(ctx, *listen, log) },
	})
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 1
	}
	return 0
}

// next is what somebody may want to do after the demo.
const next = `
Next:
  go run ./cmd/erphub-demo --serve    keep such an ERP running, with commands to try
  go install ./cmd/erphub             the whole program; erphub auth login uses your own ERP
`

// start serves an embedded ERP until ctx ends.
func start(ctx context.Context, listen string, log *slog.Logger) (url string, served <-chan error, err error) {
	srv, err := erptest.Open(ctx, erptest.Options{Logger: log, Recent: true})
	if err != nil {
		return "", nil, err
	}
	ln, err := httpserver.Listen(ctx, listen)
	if err != nil {
		return "", nil, errors.Join(err, srv.Close())
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(srv.Serve(ctx, ln), srv.Close()) }()
	return httpserver.URL(ln.Addr()), done, nil
}

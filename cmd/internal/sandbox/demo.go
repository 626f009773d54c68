package sandbox

import (
	"context"
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/demo"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
)

func (a *app) demoCommand() *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "show in an embedded ERP how a table is added",
		Description: "Starts an embedded ERP on a free loopback port, creates the deployment-log table in its dictionary " +
			"over HTTP, and records a run in it. Needs nothing, changes nothing on this machine.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "serve", Usage: "keep the ERP running afterwards and show how to talk to it"},
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "address to listen on; port 0 picks a free one"},
		},
		Action: shell.Takes(func(c *cli.Context) error {
			return demo.Run(c.Context, demo.Options{
				Out: a.Data(), Err: a.Streams.Err, Log: a.Log, UserAgent: "erphub/" + shell.Version(),
				JSON: c.Bool("json"), Serve: c.Bool("serve"), Talk: talkToIt, Next: demoNext,
				Start: func(ctx context.Context) (string, <-chan error, error) {
					at := func(ctx context.Context) (*shell.Listener, error) {
						ln, err := httpserver.Listen(ctx, c.String("listen"))
						if err != nil {
							return nil, err
						}
						return &shell.Listener{Listener: ln, URL: httpserver.URL(ln.Addr()), Loopback: httpserver.Loopback(ln.Addr())}, nil
					}
					s, served, err := startSandbox(ctx, erptest.Options{Logger: a.warnings(), Recent: true}, sandboxOptions{listen: at})
					if err != nil {
						return "", nil, err
					}
					return s.url, served, nil
				},
			})
		}),
	}
}

// demoNext is what somebody may want to do after the demo.
const demoNext = `
Next:
  erphub sandbox --detach --write-profiles    such an ERP that goes on running, with two logins in the configuration
  erphub --profile garden record list C_Order
  erphub auth login                           use your own ERP
`

// warnings is a log that tells what goes wrong inside without --debug, too.
func (a *app) warnings() *slog.Logger {
	if a.Log.Enabled(context.Background(), slog.LevelError) {
		return a.Log
	}
	return slog.New(slog.NewTextHandler(a.Streams.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

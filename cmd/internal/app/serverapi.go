package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/deploylog/board"
	"github.com/erphub/erphub/internal/httpserver"
)

func (a *app) serverAPICommand() *cli.Command {
	return &cli.Command{
		Name: "api", Usage: "serve the deployment board, with the JSON behind it",
		Description: "Serves a page at /deployments that shows what runs where and follows every run live, JSON at\n" +
			"/api/deployments, and /healthz, /readyz and /metrics. It reads with the login of this program and asks\n" +
			"nobody who they are: whoever reaches it sees what that login may read. It listens on loopback unless\n" +
			"told otherwise, and answers to localhost, IP addresses and the names given with --host.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8090", Usage: "address to listen on; port 0 picks a free one"},
			&cli.StringSliceFlag{Name: "host", Usage: "name the server answers to, such as board.example.com; repeatable"},
			&cli.StringFlag{Name: "ready-file", Usage: `file to write {"url","pid"} to once the server answers`, TakesFile: true},
		},
		Action: a.serverAPI,
	}
}

func (a *app) serverAPI(c *cli.Context) error {
	if err := arguments(c); err != nil {
		return err
	}
	client, err := a.client(c)
	if err != nil {
		return err
	}
	ready := httpserver.ReadyFile(c.String("ready-file"))
	if err := ready.Clear(); err != nil {
		return err
	}
	b := board.New(client, &board.Options{Logger: a.log})
	metrics := httpserver.NewMetrics()
	metrics.Gauge("board_listeners", "Pages that follow the deployment log.", func() float64 { return float64(b.Listeners()) })
	mux := http.NewServeMux()
	mux.Handle("/", b.Handler())
	mux.Handle("GET /{$}", http.RedirectHandler("/deployments", http.StatusFound))
	srv := httpserver.New(mux, &httpserver.Options{
		Logger: a.log, Hosts: c.StringSlice("host"), Ready: b.Ready, Streams: board.Streams, Metrics: metrics,
	})

	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	ln, err := httpserver.Listen(ctx, c.String("listen"))
	if err != nil {
		return err
	}
	followed := make(chan error, 1)
	go func() { followed <- b.Run(ctx) }()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()

	url := httpserver.URL(ln.Addr())
	err = a.announceAPI(c, url, client.BaseURL(), httpserver.Loopback(ln.Addr()))
	if err == nil {
		err = ready.Write(url)
	}
	if err != nil {
		cancel() // the server still ends in order
	}
	err = errors.Join(err, <-served)
	cancel()
	<-followed // it ends with the context, whose error says nothing new
	return errors.Join(err, ready.Clear())
}

// announceAPI says where the board is, what it reads with and who can see it.
func (a *app) announceAPI(c *cli.Context, url, erp string, loopback bool) error {
	seen := "It listens on loopback: only this machine can reach it."
	if !loopback {
		seen = "It listens for other machines, too, and asks nobody who they are: put it behind something that does."
	}
	_, err := fmt.Fprintf(a.streams.Err, "the deployment board is at %s/deployments (stop with Ctrl-C)\n"+
		"It reads %s with the login of this program (%s), which everyone who can reach it looks through.\n%s\n"+
		"It keeps no state: any number of it may run side by side.\n", url, printable(erp), a.loginName(c), seen)
	if err == nil && c.Bool("json") {
		err = a.printJSON(map[string]any{"url": url, "board": url + "/deployments"})
	}
	return err
}

// loginName says where the login comes from, without saying what it is.
func (a *app) loginName(c *cli.Context) string {
	s, err := a.setup(c)
	if err != nil {
		return "unknown" // the client was made from the same settings
	}
	settings, err := s.settings()
	switch {
	case err != nil:
		return "unknown"
	case settings.Username != "":
		return "user " + printable(settings.Username)
	case !settings.Token.IsZero():
		return "a token that was given"
	case s.profile != "":
		return "the stored token of profile " + printable(s.profile)
	}
	return "none"
}

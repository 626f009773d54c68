// Command service is a small HTTP service over an ERP: it logs in, keeps its token
// fresh, bounds every call, translates errors of the ERP into its own, and lets
// requests finish when it ends.
//
//	go run ./examples/service                             # an ERP in memory, one request, and it ends
//	go run ./examples/service -listen 127.0.0.1:8081      # serves until it is interrupted
//
// With ERP_URL, ERP_USERNAME, ERP_PASSWORD, ERP_CLIENT_ID, ERP_ROLE_ID and ERP_ORG_ID
// (or ERP_TOKEN) it uses that ERP.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

func main() {
	listen := flag.String("listen", "", "serve at this address until interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *listen, os.Getenv); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, listen string, getenv func(string) string) error {
	if getenv("ERP_URL") == "" {
		srv, err := erptest.Start(ctx, erptest.Options{})
		if err != nil {
			return err
		}
		defer srv.Close()
		demo := map[string]string{"ERP_URL": srv.URL(), "ERP_USERNAME": "GardenAdmin", "ERP_PASSWORD": "GardenAdmin",
			"ERP_CLIENT_ID": "11", "ERP_ROLE_ID": "102", "ERP_ORG_ID": "11"}
		getenv = func(name string) string { return demo[name] }
	}
	settings, err := tokens.FromEnvironment(getenv)
	if err != nil {
		return err
	}
	manager, err := settings.Manager(nil)
	if err != nil {
		return err
	}
	defer manager.Close(context.WithoutCancel(ctx))
	if err := manager.Ready(ctx); err != nil {
		return err // a wrong password shows now, not with the first request
	}
	client, err := erp.New(settings.URL, erp.WithTokenSource(manager), erp.WithTimeouts(3*time.Second, 10*time.Second))
	if err != nil {
		return err
	}

	ln, err := net.Listen("tcp", cmp.Or(listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /partners", partners(client))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()
	if listen == "" {
		for _, path := range []string{"/partners?name=f", "/partners?name=it's"} {
			if err := show(out, "http://"+ln.Addr().String()+path); err != nil {
				return err
			}
		}
	} else {
		fmt.Fprintf(out, "http://%s/partners?name=f\n", ln.Addr())
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		}
	}
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(finish) // requests under way get their responses
}

// show prints what the service responds to a request.
func show(out io.Writer, url string) error {
	res, err := http.Get(url)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	fmt.Fprintf(out, "%s %s", res.Status, body)
	return err
}

// Command queryservice runs SQL of users and assistants with the permissions of their role:
// the AI API of package aiquery/httpapi in a program of one's own.
//
//	go run ./examples/queryservice                         # some statements, and it ends
//	go run ./examples/queryservice -listen 127.0.0.1:8083  # serves until it is interrupted
//
// The database is that of an ERP in memory. For the PostgreSQL database of an ERP, open
// it with aiquery/postgres and its dictionary with dbdict.Open, as the example of package
// aiquery/postgres does; the rest stays. `erphub server api` serves the same with
// settings, TLS and replicas.
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

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

func main() {
	listen := flag.String("listen", "", "serve at this address until interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *listen); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, listen string) error {
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()

	// The dictionary says which tables there are and who may see what.
	read := srv.Database()
	defer read.Close()
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	if err != nil {
		return err
	}
	dictionary := registry.NewCache(source, nil)
	if err := dictionary.Load(ctx); err != nil { // Watch keeps it current in a service that stays
		return err
	}

	// The engine checks statements, adds what the role may see, and runs them with limits.
	db, err := embedded.Open(srv)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := aiquery.Install(ctx, db); err != nil { // the audit: a record of each statement
		return err
	}
	engine, err := aiquery.New(db, dictionary, &aiquery.Options{MaxRows: 500, StatementTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer engine.Close(context.WithoutCancel(ctx))

	// Callers bring tokens of the ERP, which are checked with the key that it signs them with.
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	if err != nil {
		return err
	}
	api, err := httpapi.New(engine, verifier, nil)
	if err != nil {
		return err
	}
	mux := http.NewServeMux() // beside what your service has
	mux.Handle(httpapi.Prefix+"/", api)
	ln, err := net.Listen("tcp", cmp.Or(listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()

	address := "http://" + ln.Addr().String()
	if listen != "" {
		token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, time.Hour)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "curl -H 'Authorization: Bearer %s' -d '{\"sql\":\"SELECT name FROM c_bpartner\",\"roleId\":102}' %s%s/query\n", token, address, httpapi.Prefix)
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		}
	} else if err := ask(ctx, out, srv, address); err != nil {
		return err
	}
	finish, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	return server.Shutdown(finish)
}

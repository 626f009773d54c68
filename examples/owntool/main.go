// Command owntool is a tool server for assistants with the tools of the hub, a tool of
// one's own, and a metric of one's own: a number with a definition, which the tools
// listMetrics and queryMetric know then. It is run in the folder of the repository:
//
//	go run ./examples/owntool                         # calls both, and ends
//	go run ./examples/owntool -listen 127.0.0.1:8765  # serves at /mcp until interrupted
//
// Without a program of one's own: `erphub server mcp --metrics DIR --queries FILE`.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/mcp/tools"
)

func main() {
	listen := flag.String("listen", "", "serve at this address until interrupted")
	definitions := flag.String("metrics", "examples/metrics", "folder with definitions of metrics")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *listen, *definitions); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, listen, definitions string) error {
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()

	// Two ways to the ERP: its REST API for records, its database for statements.
	rest, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Own: srv.TokenSource(erptest.GardenAdmin)})
	if err != nil {
		return err
	}
	defer rest.Close()
	read := srv.Database()
	defer read.Close()
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	if err != nil {
		return err
	}
	db, err := embedded.Open(srv)
	if err != nil {
		return err
	}
	if err := aiquery.Install(ctx, db); err != nil { // the audit: a record of each statement
		return err
	}
	database, err := backend.NewDB(db, source, nil) // closes db
	if err != nil {
		return err
	}
	defer database.Close(context.WithoutCancel(ctx))
	pool, err := backend.NewPool(backend.REST, rest, database)
	if err != nil {
		return err
	}

	set, err := metrics.Load(os.DirFS(definitions))
	if err != nil {
		return err // file and line of what cannot be read
	}
	catalog := tools.New(tools.Options{Pool: pool, Metrics: set}).Catalog()
	catalog.Tools = append(catalog.Tools, creditTool(rest))

	counted := server.NewMetrics() // at /metrics: calls by tool, yours among them
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{ReadOnly: true, Metrics: counted.Boundary()})
	if err != nil {
		return err
	}
	s, err := server.New(server.Options{
		Catalog: *catalog, Boundary: limits, Metrics: counted, Name: "garden", Version: "1.0.0",
		// No Verifier: it is for its own user, who is GardenAdmin. With one, each client brings its token.
		Local: mcp.Caller{ID: "11/101", UserID: 101, ClientID: 11, RoleID: 102, OrgID: 11, Known: true},
	})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", cmp.Or(listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	if listen != "" {
		fmt.Fprintf(out, "http://%s/mcp\n", ln.Addr())
		return s.Serve(ctx, ln)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	err = use(ctx, out, "http://"+ln.Addr().String())
	cancel()
	return cmp.Or(err, <-ended)
}

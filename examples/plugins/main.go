// Command plugins is a web service that makes plugins for its users: the generator over
// HTTP, with the dictionary of the ERP for lookups, callers who bring tokens of the ERP, and
// archives kept on disk behind links that end.
//
//	go run ./examples/plugins                          # one plugin, and it ends
//	go run ./examples/plugins -listen 127.0.0.1:8082   # serves until it is interrupted
//
// `erphub server api` serves the same API with all deliveries and settings.
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
	"path/filepath"
	"syscall"
	"time"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/httpapi"
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()
	read := srv.Database()
	defer read.Close()
	source, err := dbdict.New(read, dbdict.SQLite, nil) // dbdict.Open for PostgreSQL, restdict.NewSource over REST
	if err != nil {
		return err
	}
	dictionary := registry.NewCache(source, nil)
	if err := dictionary.Load(ctx); err != nil { // Watch keeps it current in a service that stays
		return err
	}
	verifier, err := tokens.NewIntrospectionVerifier(srv.URL()) // the ERP says whose token it is
	if err != nil {
		return err
	}

	dir, err := os.MkdirTemp("", "plugins") // a folder that stays, in a service of yours
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := generator.OpenArtifactFolder(filepath.Join(dir, "artifacts"), generator.ArtifactFolderOptions{MaxBytes: 100 << 20})
	if err != nil {
		return err
	}
	go generator.CleanArtifacts(ctx, store, time.Hour, nil)

	ln, err := net.Listen("tcp", cmp.Or(listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	address := "http://" + ln.Addr().String()
	links, err := generator.NewLinkDelivery(store, address, time.Hour)
	if err != nil {
		return err
	}
	api, err := httpapi.New(httpapi.Only(generator.ModeURL, links), verifier, &httpapi.Options{Registry: dictionary, Artifacts: store})
	if err != nil {
		return err
	}
	mux := http.NewServeMux() // beside what your service has
	mux.Handle(httpapi.GeneratePrefix+"/", api)
	mux.Handle(httpapi.ArtifactsPrefix+"/", api)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }()

	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, time.Hour)
	if err != nil {
		return err
	}
	if listen != "" {
		fmt.Fprintf(out, "curl -H 'Authorization: Bearer %s' -d '{\"artifactId\":\"com.example.demo\",\"output\":\"url\"}' %s%s/plugin\n", token, address, httpapi.GeneratePrefix)
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		}
	} else if err := use(ctx, out, address, token); err != nil {
		return err
	}
	finish, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	return server.Shutdown(finish)
}

// Command sandbox runs a program against an ERP that lives inside it. In a
// test, erptest.New(t) does the same in one line.
package main

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	srv, err := erptest.Open(ctx, erptest.Options{})
	if err != nil {
		return err
	}
	defer srv.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()

	url := "http://" + ln.Addr().String()
	manager, err := tokens.NewManager(url, tokens.WithCredentials(tokens.Login{
		Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11",
	}))
	if err != nil {
		return err
	}
	client, err := erp.New(url, erp.WithTokenSource(manager))
	if err != nil {
		return err
	}
	for rec, err := range client.Records(ctx, "M_Product", &erp.Query{Select: []string{"Value", "Name"}, Limit: 5}) {
		if err != nil {
			return err
		}
		name, _ := rec.Text("Name")
		fmt.Println(name)
	}
	stop()
	return <-served
}

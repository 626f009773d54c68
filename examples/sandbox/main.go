// Command sandbox runs a program against an ERP that lives inside it. In a
// test, erptest.New(t) does the same in one line.
package main

import (
	"context"
	"fmt"
	"log"

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
	srv, err := erptest.Start(ctx, erptest.Options{})
	if err != nil {
		return err
	}
	defer srv.Close()
	manager, err := tokens.NewManager(srv.URL(), tokens.WithCredentials(tokens.Login{
		Username: "GardenAdmin", Password: tokens.NewSecret("GardenAdmin"), Client: "11", Role: "102", Organization: "11",
	}))
	if err != nil {
		return err
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(manager))
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
	return nil
}

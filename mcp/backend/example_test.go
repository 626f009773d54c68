package backend_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// The first backend that can do a piece of work does it, with the caller's permissions.
func ExampleRead() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	token, err := srv.APIToken(ctx, "GardenAdmin", 11, 102, 11, 0)
	if err != nil {
		log.Fatal(err)
	}
	rest, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Own: erp.StaticToken(token)})
	if err != nil {
		log.Fatal(err)
	}
	defer rest.Close()
	pool, err := backend.NewPool("", rest)
	if err != nil {
		log.Fatal(err)
	}
	page, by, err := backend.Read(ctx, pool, "read records", func(ctx context.Context, r backend.Recorder) (*backend.Page, error) {
		return r.Search(ctx, mcp.Caller{}, backend.Search{Table: "C_UOM", Filter: "Name eq 'Hour'", Select: []string{"UOMSymbol"}, Limit: 1})
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(by, page.Total)
	// Output:
	// rest 1
}

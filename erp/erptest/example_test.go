package erptest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// In a test, srv := erptest.New(t) opens, serves and closes. The fault switch shows
// what a program does when the ERP is in trouble.
func Example() {
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
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/M_Product", N: 1}, erptest.Fail(http.StatusServiceUnavailable))
	page, err := client.Query(ctx, "M_Product", &erp.Query{Filter: erp.Eq("Value", "Azalea Bush")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Records), srv.Faults().Count(erptest.Match{Path: "/models/M_Product"}))
	// Output: 1 2
}

package rest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/rest"
)

// A client of package erp makes the requests, so that errors, retries and limits are
// those of that package.
func Example() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // an ERP in memory
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	token, err := srv.APIToken(ctx, "SuperUser", 0, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	if err != nil {
		log.Fatal(err)
	}
	api, err := rest.New(client.BaseURL(), client.Doer())
	if err != nil {
		log.Fatal(err)
	}
	response, err := api.GetServerJobWithResponse(ctx, "Scheduler100", nil)
	if err != nil {
		log.Fatal(err)
	}
	job, err := rest.Decoded("show job", response.JSON200)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(job.Name, job.Started)
	// Output: Check Sequences true
}

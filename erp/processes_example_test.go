package erp_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// The server ignores parameters that it does not know, so they are checked first.
func ExampleClient_FindProcess() {
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

	process, err := client.FindProcess(ctx, "AD_Column Sync") // or its slug, number or UUID
	if err != nil {
		log.Fatal(err)
	}
	values := map[string]any{"DateForm": "2026-03-01"}
	err = process.CheckParams(values)
	var wrong *erp.ProcessParamsError
	fmt.Println(process.Slug, errors.As(err, &wrong))
	fmt.Println(err)

	_, err = client.FindProcess(ctx, "ad_colum-sync")
	fmt.Println(errors.Is(err, erp.ErrNotFound))
	// Output:
	// ad_column-sync true
	// process ad_column-sync has no parameter "DateForm"; did you mean "DateFrom"?
	// true
}

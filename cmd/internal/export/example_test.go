package export_test

import (
	"context"
	"log"
	"os"

	"github.com/erphub/erphub/cmd/internal/export"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleWrite() {
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
	records := client.Records(ctx, "C_UOM", &erp.Query{
		Filter: erp.StartsWith("Name", "M"), Select: []string{"UOMSymbol", "Name", "StdPrecision"}, OrderBy: []string{"Name"},
	})
	if _, err := export.Write(os.Stdout, export.CSV, records, &export.Options{Columns: []string{"UOMSymbol", "Name", "StdPrecision"}}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// UOMSymbol,Name,StdPrecision
	// min,Minute,0
}

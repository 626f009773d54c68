package embedded_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// Governed SQL on the embedded ERP, for tests and laptops.
func ExampleOpen() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	db, err := embedded.Open(srv)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	database := srv.Database()
	defer database.Close()
	source, err := dbdict.New(database, dbdict.SQLite, nil)
	if err != nil {
		log.Fatal(err)
	}
	dictionary, err := registry.LoadCatalog(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	engine, err := aiquery.New(db, dictionary, &aiquery.Options{NoAudit: true})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	result, err := engine.Query(ctx, aiquery.Caller{UserID: 101}, aiquery.Request{
		SQL: "SELECT date_trunc('month', DATE '2026-03-09') AS month", RoleID: 102,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Rows[0]...)
	// Output: 2026-03-01T00:00:00Z
}

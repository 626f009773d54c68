package aiquery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// A user of the demo tenant queries with one of their roles, and is told why a column is
// not available.
func Example() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory; package postgres asks a real one
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
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
	db, err := embedded.Open(srv)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := aiquery.Install(ctx, db); err != nil { // the table of the audit
		log.Fatal(err)
	}
	engine, err := aiquery.New(db, dictionary, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)

	user := aiquery.Caller{UserID: 101}
	result, err := engine.Query(ctx, user, aiquery.Request{
		SQL:    "SELECT value, name FROM c_bpartner WHERE iscustomer = 'Y' AND name LIKE $1 ORDER BY value",
		Params: []json.RawMessage{json.RawMessage(`"J%"`)},
		RoleID: 102,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Columns, result.Rows)

	_, err = engine.Query(ctx, user, aiquery.Request{SQL: "SELECT nam FROM c_bpartner", RoleID: 102})
	fmt.Println(err)
	// Output:
	// [{value varchar false} {name varchar false}] [[JoeBlock Joe Block]]
	// column "nam" is not available; did you mean name or name2?
}

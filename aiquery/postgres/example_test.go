package postgres_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
)

// Governed SQL on the database of an installation, with a login that only reads.
func ExampleOpen() {
	ctx := context.Background()
	db, err := postgres.Open(ctx, "postgres://aiq_login@localhost/idempiere", &postgres.Options{
		AuditURL: "postgres://aiq_audit@localhost/idempiere",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	source, err := dbdict.Open(ctx, "postgres://reader@localhost/idempiere", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	dictionary := registry.NewCache(source, nil)
	if err := dictionary.Load(ctx); err != nil {
		log.Fatal(err)
	}
	engine, err := aiquery.New(db, dictionary, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)
	result, err := engine.Query(ctx, aiquery.Caller{UserID: 101}, aiquery.Request{SQL: "SELECT count(*) FROM c_order", RoleID: 102})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Rows[0][0])
}

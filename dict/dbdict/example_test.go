package dbdict_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
)

func ExampleOpen() {
	ctx := context.Background()
	source, err := dbdict.Open(ctx, "postgres://reader@localhost/idempiere", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	cache := registry.NewCache(source, &registry.CacheOptions{Snapshot: "/var/cache/erphub/dictionary", SnapshotAge: time.Hour})
	if err := cache.Load(ctx); err != nil {
		log.Fatal(err)
	}
	table, err := cache.Table(ctx, "C_Order")
	if err != nil {
		log.Fatal(err) // there is no table "C_Ordr" in the dictionary; close to it: C_Order
	}
	for _, column := range table.Columns {
		fmt.Println(column.Name, column.TypeName, column.ForeignTable)
	}
}

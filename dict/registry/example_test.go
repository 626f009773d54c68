package registry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleLoadCatalog() {
	ctx := context.Background()
	srv, err := erptest.Open(ctx, erptest.Options{}) // an ERP in memory
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
	table, err := dictionary.Table(ctx, "c_uom")
	if err != nil {
		log.Fatal(err)
	}
	column, _ := table.Column("StdPrecision")
	fmt.Println(table.Name, column.TypeName, column.Mandatory)
	_, err = dictionary.Table(ctx, "C_Ordr")
	fmt.Println(err)
	// Output:
	// C_UOM Integer true
	// there is no table "C_Ordr" in the dictionary; close to it: C_Order, I_Order, DD_Order, PP_Order
}

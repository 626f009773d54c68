package diagram_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/cmd/internal/diagram"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleMermaid() {
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
	text, err := diagram.Mermaid(ctx, dictionary, []string{"C_UOM_Trl", "C_UOM"}, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
	// Output:
	// erDiagram
	//     C_UOM_Trl {
	//         Table AD_Language FK "mandatory"
	//         Table_Direct C_UOM_ID FK "mandatory"
	//         String Description
	//         Yes_No IsTranslated "mandatory"
	//         String Name "mandatory"
	//         String UOMSymbol
	//     }
	//     C_UOM {
	//         ID C_UOM_ID PK
	//         String Name "mandatory"
	//         String X12DE355 "mandatory"
	//         List UOMType
	//         String UNCEFACT
	//         Integer CostingPrecision "mandatory"
	//         String Description
	//         Yes_No IsDefault "mandatory"
	//         Integer StdPrecision "mandatory"
	//         String UOMSymbol
	//     }
	//     C_UOM ||--o{ C_UOM_Trl : C_UOM_ID
}

package access_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleExplain() {
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
	why, err := access.Explain(ctx, client, access.Question{User: "GardenUser", Table: "AD_Table"})
	if err != nil {
		log.Fatal(err)
	}
	for _, role := range why.Roles {
		fmt.Println("see:", role.Read, "change:", role.Write)
		fmt.Println(role.Reasons[0].Effect)
	}
	// Output:
	// see: yes change: no
	// read only
}

package registry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleDescribeColumn() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{})
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
	reg, err := registry.LoadScope(ctx, restdict.NewSource(client, nil), registry.Scope{Tables: []string{"C_BPartner"}})
	if err != nil {
		log.Fatal(err)
	}
	table, err := reg.Table(ctx, "C_BPartner")
	if err != nil {
		log.Fatal(err)
	}
	group, _ := table.Column("C_BP_Group_ID")
	lines, err := registry.DescribeColumn(ctx, reg, &group)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range lines {
		if line[0] == "type" || line[0] == "is" || line[0] == "points to" {
			fmt.Printf("%s: %s\n", line[0], line[1])
		}
	}
	// Output:
	// type: Table Direct
	// is: mandatory
	// points to: C_BP_Group
}

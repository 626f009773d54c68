package connect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/connect"
	"github.com/erphub/erphub/erp/erptest"
)

func ExampleFromEnvironment() {
	ctx := context.Background()
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for an ERP
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	environment := map[string]string{
		"ERP_URL": srv.URL(), "ERP_USERNAME": "GardenAdmin", "ERP_PASSWORD": "GardenAdmin",
		"ERP_CLIENT_ID": "11", "ERP_ROLE_ID": "102", "ERP_ORG_ID": "11",
	}

	client, err := connect.FromEnvironment(func(name string) string { return environment[name] }) // os.Getenv
	if err != nil {
		log.Fatal(err)
	}
	org, err := client.Get(ctx, "AD_Org", erp.IntID(11), nil)
	if err != nil {
		log.Fatal(err)
	}
	name, _ := org.Text("Name")
	fmt.Println(name)

	// Output:
	// HQ
}

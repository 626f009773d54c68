package watch_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/watch"
)

func ExampleRecord() {
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
	partner, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "T1", "Name": "Tree Farm", "C_BP_Group_ID": 103})
	if err != nil {
		log.Fatal(err)
	}
	go func() { // somebody else deletes it
		_ = client.Delete(ctx, "C_BPartner", partner.ID())
	}()
	for change, err := range watch.Record(ctx, client, "C_BPartner", partner.ID(), &watch.Options{Every: 10 * time.Millisecond}) {
		if err != nil {
			fmt.Println("deleted") // before the first request
			break
		}
		fmt.Println(change.Kind)
	}
	// Output: deleted
}

// Command records reads, creates, changes and deletes records. Set ERP_URL,
// ERP_USERNAME and ERP_PASSWORD (and ERP_CLIENT_ID, ERP_ROLE_ID, ERP_ORG_ID),
// or ERP_TOKEN.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/connect"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := connect.FromEnvironment(os.Getenv)
	if err != nil {
		return err
	}

	partner, err := client.Create(ctx, "C_BPartner", map[string]any{
		"Value": "walnut", "Name": "Walnut & Sons", "C_BP_Group_ID": map[string]any{"identifier": "Standard"},
	})
	if err != nil {
		return err
	}
	partner, err = client.Update(ctx, "C_BPartner", partner.ID(), map[string]any{"Description": "nuts, wholesale"})
	if err != nil {
		return err
	}
	fmt.Println("created", partner.ID())

	// All pages, the next one fetched while this one is printed.
	for rec, err := range client.Records(ctx, "C_BPartner", &erp.Query{
		Filter: erp.Eq("IsCustomer", true).Or(erp.StartsWith("Name", "Walnut")),
		Select: []string{"Value", "Name", "C_BP_Group_ID"},
	}) {
		if err != nil {
			return err
		}
		name, _ := rec.Text("Name")
		group, _ := rec.Ref("C_BP_Group_ID")
		fmt.Printf("%-30s %s\n", name, group.Identifier)
	}

	// The same into a struct of your own.
	type order struct {
		ID         int64       `json:"id"`
		DocumentNo string      `json:"DocumentNo"`
		GrandTotal erp.Decimal `json:"GrandTotal"`
		Partner    erp.Ref     `json:"C_BPartner_ID"`
	}
	for o, err := range erp.RecordsAs[order](ctx, client, "C_Order", &erp.Query{OrderBy: []string{erp.Desc("GrandTotal")}, Limit: 3}) {
		if err != nil {
			return err
		}
		fmt.Println(o.DocumentNo, o.GrandTotal, o.Partner.Identifier)
	}

	if err := client.Delete(ctx, "C_BPartner", partner.ID()); err != nil {
		return err
	}
	if _, err := client.Get(ctx, "C_BPartner", partner.ID(), nil); !errors.Is(err, erp.ErrNotFound) {
		return fmt.Errorf("the partner should be gone, got %v", err)
	}
	fmt.Println("deleted again")
	return nil
}

// Command records reads, creates, changes and deletes records.
//
//	go run ./examples/records
//
// With types made from the dictionary: examples/typed. Many at a time: examples/bulkload.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()
	// Of your ERP: client, err := connect.FromEnvironment(os.Getenv)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
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
	description, _ := partner.Text("Description")
	fmt.Fprintln(out, "created and changed:", description)

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
		fmt.Fprintf(out, "%-30s %s\n", name, group.Identifier)
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
		fmt.Fprintln(out, o.DocumentNo, o.GrandTotal, o.Partner.Identifier)
	}

	if err := client.Delete(ctx, "C_BPartner", partner.ID()); err != nil {
		return err
	}
	if _, err := client.Get(ctx, "C_BPartner", partner.ID(), nil); !errors.Is(err, erp.ErrNotFound) {
		return fmt.Errorf("the partner should be gone, got %v", err)
	}
	fmt.Fprintln(out, "deleted again")
	return nil
}

// Command addtable describes a table in Go and brings it into the ERP that
// ERP_URL, ERP_USERNAME and ERP_PASSWORD name; the role must be one of the
// System tenant. Running it again finds what is there.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp/connect"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	machine := dict.NewTable("XX_Machine").
		WithDescription("Machines in our halls").
		With(dict.Standard, dict.ValueName).
		Column(
			dict.Column{Name: "M_Warehouse_ID", Type: dict.TypeTableDir, Mandatory: true},
			dict.Column{Name: "Power", Type: dict.TypeQuantity, Description: "in kW"},
			dict.Column{Name: "XX_State", Type: dict.TypeList, Length: 1, Default: "R",
				Reference: dict.List("XX_Machine State",
					dict.ListValue{Value: "R", Name: "Running"},
					dict.ListValue{Value: "M", Name: "Maintenance"})},
		)
	plan, err := dict.NewPlan(nil, machine)
	if err != nil {
		return err // names every mistake in the definition, not only the first
	}
	if err := plan.WriteText(os.Stdout); err != nil {
		return err
	}

	client, err := connect.FromEnvironment(os.Getenv)
	if err != nil {
		return err
	}
	result, err := restdict.Run(ctx, client, plan, &restdict.Options{Checkpoint: "machine.checkpoint.json", Resume: true, BatchSize: 25})
	if err != nil {
		return err
	}
	fmt.Printf("%d records created, %d found\n", result.Count(restdict.Created), result.Count(restdict.Found))
	return nil
}

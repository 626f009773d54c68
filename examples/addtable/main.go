// Command addtable describes a table in Go, shows the steps that make it, and brings it
// into the ERP, whose role must be one of the System tenant.
//
//	go run ./examples/addtable
//
// Tables as files instead: examples/dictcode.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
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
	if err := plan.WriteText(out); err != nil {
		return err
	}

	srv, err := erptest.Start(ctx, erptest.Options{}) // stands for your ERP
	if err != nil {
		return err
	}
	defer srv.Close()
	// Of your ERP: client, err := connect.FromEnvironment(os.Getenv)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.SuperUser)))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "addtable")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The checkpoint keeps how far a run came; with Resume a run that was cut off goes on from there.
	options := &restdict.Options{Checkpoint: filepath.Join(dir, "machine.checkpoint.json"), Resume: true, BatchSize: 25}
	for range 2 { // the second time everything is there
		result, err := restdict.Run(ctx, client, plan, options)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d records created, %d found\n", result.Count(restdict.Created), result.Count(restdict.Found))
	}
	return nil
}

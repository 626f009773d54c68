// Command typed reads and writes records with types made from the dictionary: a
// struct per table, a constant per value of a list, so that the compiler knows the
// columns of your ERP, your own among them.
//
//	go run ./examples/typed
//
// The package model is written by
//
//	erphub generate go C_Order C_OrderLine --output model/orders.go
//
// which a build runs against the ERP, to see when its dictionary has changed.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/examples/typed/model"
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
	client, err := erp.New(srv.URL(), erp.WithTokenSource(srv.TokenSource(erptest.GardenAdmin)))
	if err != nil {
		return err
	}

	// The greatest orders that were completed.
	query := &erp.Query{
		Filter:  erp.Eq("DocStatus", model.DocumentStatusCompleted).And(erp.Eq("IsSOTrx", true)),
		OrderBy: []string{erp.Desc("GrandTotal")}, Limit: 3,
	}
	var first model.COrder
	for order, err := range erp.RecordsAs[model.COrder](ctx, client, model.TableCOrder, query) {
		if err != nil {
			return err
		}
		if first.ID == 0 {
			first = order
		}
		fmt.Fprintf(out, "%s %s %10s %s\n", order.DocumentNo, order.DateOrdered, order.GrandTotal, order.CBPartnerID.Identifier)
	}

	// The lines of one of them: amounts are exact, dates have no zone.
	lines, err := erp.QueryAs[model.COrderLine](ctx, client, model.TableCOrderLine, &erp.Query{
		Filter: erp.Eq("C_Order_ID", first.ID), OrderBy: []string{"Line"},
	})
	if err != nil {
		return err
	}
	for _, line := range lines.Records {
		fmt.Fprintf(out, "  %d: %s x %s = %s\n", line.Line, line.QtyOrdered, line.MProductID.Identifier, line.LineNetAmt)
	}

	// Fields that are zero are left out of what is sent, so that the ERP's defaults stay in force.
	made, err := client.Create(ctx, model.TableCOrder, model.COrder{
		CBPartnerID: first.CBPartnerID, CBPartnerLocationID: first.CBPartnerLocationID, CDocTypeTargetID: first.CDocTypeTargetID,
		MPriceListID: first.MPriceListID, MWarehouseID: first.MWarehouseID,
		DateOrdered: erp.NewDate(2026, 3, 9), PriorityRule: model.PriorityRuleHigh, Description: "the same again",
	})
	if err != nil {
		return err
	}
	var order model.COrder
	if err := made.Decode(&order); err != nil {
		return err
	}
	fmt.Fprintln(out, order.DateOrdered, order.CBPartnerID.Identifier, order.DocStatus, order.PriorityRule, order.Description)
	return nil
}

package process

import (
	"context"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// generateShipments ships what is open at a warehouse.
func generateShipments(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if run.id("M_Warehouse_ID") == 0 {
		return Failed("NotFound Warehouse"), nil
	}
	numbers, day, err := s.GenerateShipments(ctx, tx, engine.Following{
		WarehouseID: run.id("M_Warehouse_ID"), PartnerID: run.id("C_BPartner_ID"), Promised: run.Text("DatePromised"), Date: run.Text("MovementDate"),
	})
	return generated("Shipment", numbers, day), err
}

// generateInvoices invoices what is open.
func generateInvoices(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	numbers, day, err := s.GenerateInvoices(ctx, tx, engine.Following{
		OrgID: run.id("AD_Org_ID"), PartnerID: run.id("C_BPartner_ID"), OrderID: run.id("C_Order_ID"), Date: run.Text("DateInvoiced"),
	})
	return generated("Invoice", numbers, day), err
}

// generated is the result of making documents with these numbers.
func generated(what string, numbers []string, day time.Time) Result {
	result := Result{Summary: fmt.Sprintf("Created = %d", len(numbers))}
	for _, number := range numbers {
		result.Logs = append(result.Logs, LogLine{Date: day, Message: what + " Processed:  " + number})
	}
	return result
}

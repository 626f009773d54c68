// Package hermetic shows how to test code that uses an ERP without an ERP: its tests
// run against the embedded ERP of package erptest, which starts in the test, and against
// a twin of somebody's own ERP.
//
//	go test -v ./examples/hermetic
//
// The tests are in orders_test.go; this file is what they test.
package hermetic

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
)

// Outcome is what became of an order.
type Outcome struct {
	DocumentNo string
	Status     erp.DocStatus
	Refusal    string // why the ERP refused; empty: it did not
}

// CompleteDrafts completes all drafted sales orders. What the ERP refuses is in the
// outcome; an error is anything else, and the call can be made again.
func CompleteDrafts(ctx context.Context, client *erp.Client) ([]Outcome, error) {
	query := &erp.Query{
		Filter:  erp.Eq("DocStatus", erp.DocDrafted).And(erp.Eq("IsSOTrx", true)),
		Select:  []string{"DocumentNo"},
		OrderBy: []string{"DocumentNo"},
	}
	var outcomes []Outcome
	for order, err := range client.Records(ctx, "C_Order", query) {
		if err != nil {
			return outcomes, fmt.Errorf("listing the drafts: %w", err)
		}
		number, _ := order.Text("DocumentNo")
		result, err := client.ProcessDocument(ctx, "C_Order", order.ID(), erp.DocComplete)
		var refusal *erp.Error
		switch {
		case err == nil:
			outcomes = append(outcomes, Outcome{DocumentNo: number, Status: result.Document.Status()})
		case errors.As(err, &refusal) && !erp.Retryable(err):
			outcomes = append(outcomes, Outcome{DocumentNo: number, Status: erp.DocDrafted, Refusal: refusal.Detail})
		default:
			return outcomes, fmt.Errorf("completing the order %s: %w", number, err)
		}
	}
	return outcomes, nil
}

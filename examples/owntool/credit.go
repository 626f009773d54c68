package main

import (
	"context"
	"errors"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

type creditIn struct {
	Partner string `json:"partner" jsonschema:"search key or name, such as Joe Block"`
}

type creditOut struct {
	Partner string      `json:"partner"`
	Limit   erp.Decimal `json:"limit" jsonschema:"0 means none"`
	Used    erp.Decimal `json:"used"`
}

// creditTool is a tool of one's own. What it takes and returns are structs, of which
// the schemas are made; arguments are checked before the function is called.
func creditTool(way backend.Connector) mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "creditOf", Title: "Credit of a customer", Sets: []string{"own"}, Hints: mcp.Hints{ReadOnly: true, Idempotent: true},
		Description: "Tells the credit limit of a business partner and how much of it is used. Call it before promising a delivery on account.",
	}, func(ctx context.Context, call *mcp.Call, in creditIn) (*creditOut, error) {
		ctx, client, err := way.Connect(ctx, call.Caller) // with the permissions of who calls
		if err != nil {
			return nil, err
		}
		found, err := client.FindRef(ctx, erp.RefLookup{
			Table: "C_BPartner", Columns: []string{"Value", "Name"}, Show: []string{"SO_CreditLimit", "SO_CreditUsed"},
		}, in.Partner)
		var which *erp.RefError
		if errors.As(err, &which) { // none, or several: the model reads what to try next
			return nil, &mcp.Error{Code: mcp.CodeNotFound, Message: which.Error(), Hint: "searchRecords lists business partners"}
		}
		if err != nil {
			return nil, err
		}
		limit, _ := found.Record.Decimal("SO_CreditLimit")
		used, _ := found.Record.Decimal("SO_CreditUsed")
		return &creditOut{found.Name, limit, used}, nil
	})
}

// Package erp is a client for the REST API of an ERP of the iDempiere family.
//
//	client, err := erp.New("http://localhost:8080", erp.WithTokenSource(erp.StaticToken(token)))
//	…
//	order, err := client.Get(ctx, "C_Order", erp.IntID(1000022), nil)
//	number, _ := order.Text("DocumentNo")
//	partner, _ := order.Ref("C_BPartner_ID") // partner.ID, partner.Identifier
//
// # Records
//
// Get, Query, Create, Update and Delete work on any table. A Record keeps what
// the server sent, so that amounts and large integers stay exact, and decodes
// a column when it is read. GetAs, QueryAs and RecordsAs decode into a
// struct of the caller:
//
//	type Order struct {
//		ID         erp.ID      `json:"id"`
//		DocumentNo string      `json:"DocumentNo"`
//		Partner    erp.Ref     `json:"C_BPartner_ID"`
//		DocStatus  erp.Ref     `json:"DocStatus"`
//		GrandTotal erp.Decimal `json:"GrandTotal"`
//		Ordered    erp.Date    `json:"DateOrdered"`
//	}
//	order, err := erp.GetAs[Order](ctx, client, "C_Order", erp.IntID(1000022), nil)
//
// # Reading many
//
// Query reads one page. Records goes through all pages and fetches the next
// one while the current one is consumed:
//
//	q := &erp.Query{
//		Filter:  erp.Eq("IsSOTrx", true).And(erp.Ge("DateOrdered", erp.NewDate(2026, 3, 1))),
//		Select:  []string{"DocumentNo", "GrandTotal"},
//		Expand:  []erp.Expand{{Name: "C_OrderLine", Select: []string{"Line", "QtyOrdered"}}},
//		OrderBy: []string{erp.Desc("DateOrdered")},
//	}
//	for order, err := range client.Records(ctx, "C_Order", q) {
//		…
//	}
//
// Filters are built from functions, or taken as text with Raw. What the
// server's filter language cannot express, such as text with a single quote,
// is an error that matches ErrInexpressible, not a wrong result.
//
// FindRef finds the record that people call by a name, with candidates when several
// are called so, and those near it when none is.
//
// # Documents
//
// ProcessDocument completes, voids or reverses a document, once, also when a response
// is lost. DocStatus.Actions are what its status allows; Activities are the workflow
// steps that wait for the user. Package access tells beforehand which tables a role
// may not write.
//
// # Processes and jobs
//
// FindProcess finds a process by slug, number, UUID or search key, CheckParams
// compares values with its parameters, RunProcess runs it and StartJob has it run
// in the background. The jobs of the server itself are ServerJobs.
//
// # Errors
//
// A refusal by the server is an *Error with status, title and detail; branch on
// it with errors.Is:
//
//	switch {
//	case errors.Is(err, erp.ErrNotFound):
//	case errors.Is(err, erp.ErrUnauthorized): // log in again
//	case errors.Is(err, erp.ErrExists): // the key, the UUID or the name is taken
//	case errors.Is(err, erp.ErrUnreachable): // no response
//	case errors.Is(err, erp.ErrBadResponse): // something else than the ERP responded
//	}
//
// Two questions have a function of their own: Unsent says that the server never
// got the request, Retryable that the same call may succeed later. Between them is
// ErrOutcomeUnknown: the server may have made the change, so look before you call
// again.
//
// # Tokens and connection
//
// New takes a TokenSource; package tokens has sources that log in and refresh.
// Failed requests are retried where that can do no harm; see RetryPolicy. Doer
// hands the configured connection to the generated client, with the errors of
// this package; HTTPClient hands it to anybody else.
//
// Complete programs over it are examples/records, examples/service and examples/typed.
package erp

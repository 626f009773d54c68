// Package rest is the client generated from the contract of the ERP's REST API.
//
// It covers 19 of the 21 groups; menu tree and schedulers are hand-written methods
// of package erp. (A further tag, Webhooks, is not counted among the 21.) Package
// erp is the client for daily work; this one has a method for every operation and a
// type for every response.
//
// # Start
//
// [New] takes the address of the ERP and whatever does the requests. A connection
// of package erp hands out a doer that adds the token, retries and limits, and whose
// errors are those of package erp, whatever the operation:
//
//	conn, err := erp.New(baseURL, erp.WithTokenSource(tokens))
//	...
//	client, err := rest.New(conn.BaseURL(), conn.Doer())
//	...
//	resp, err := client.QueryRecordsWithResponse(ctx, "C_BPartner", &rest.QueryRecordsParams{
//		Filter: ptr("IsActive eq true"),
//		Top:    ptr(20),
//	})
//	if errors.Is(err, erp.ErrForbidden) {
//		... // the server refused; errors.As with *erp.Error has its reason
//	}
//	if err != nil {
//		return err
//	}
//	page, err := rest.Decoded("list partners", resp.JSON200)
//
// With another doer, such as an *http.Client, a status of 4xx or 5xx is not an error
// of the call. The JSON of the response, if it is JSON, is in the field named after
// the status, and the raw body in Body: it may as well be HTML, text or empty.
//
// Methods whose name ends in WithResponse read and decode the response; the others
// return the *http.Response, whose body the caller closes. Use those to stream a
// download, with a context of erp.StreamResponse: the decoding ones hold the whole
// body in memory, and the doer of package erp does so without that context.
//
// # Parameters
//
// Path parameters are of type [Segment], which refuses values that would address
// another route. Query and header parameters are one struct per operation; nil means
// none.
//
// # Values
//
// A [Record] keeps every column as the JSON text the server sent, so that no digit
// of an amount or id is lost; decode the columns you need. A [RecordInput] is a map
// of anything. Where a response has several forms (errors, references, charts) the
// type has a method As… for each.
//
// # Generation
//
// rest.gen.go is never edited. `go generate` makes it from erp/contract/current with
// the pinned generator, and a test fails when the two differ.
package rest

//go:generate go run ./internal/generate/cmd oapi-codegen.yaml ../contract/current/openapi.yaml rest.gen.go

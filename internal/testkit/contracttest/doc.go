// Package contracttest checks HTTP traffic against the contract, in tests.
//
// Wrap the server, or the transport of the client; the test fails at its end with
// every request and response that breaks the contract:
//
//	v := contracttest.NewValidator(t)
//	server := httptest.NewServer(v.Wrap(erp))
//
// # What is checked
//
// A response must have a status, media type, headers and body the contract knows for
// the operation. An error may in addition have no body at all, as the servlet
// container sends it.
//
// A request is checked only when the server accepted it, with a status below 400:
// tests are free to send wrong requests, and what the server takes must be in the
// contract. Names of query parameters are checked too, which the contract language
// alone cannot express.
//
// Bodies that are not JSON are not looked into, and JSON bodies above 16 MiB neither.
// Requests outside /api/v1, HEAD and OPTIONS pass unchecked.
package contracttest

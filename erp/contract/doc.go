// Package contract holds the OpenAPI contracts of the ERP's REST API, one per release.
//
// They are this project's own text, written from the behaviour of the server; no
// contract that the server's makers publish is copied or edited here. v12 is the
// contract of release 12; the client in erp/rest is generated from it, and the
// traffic of the embedded ERP is checked against it (package contracttest). The
// folder `current` links to the contract in force.
//
// # What the contract covers
//
// All 21 groups of the API, every route its published contract or its code has.
// Where both differ the description of the operation says which servers know it.
// A 22nd tag, Webhooks, is the inbound endpoint for other systems.
//
// Records are open objects: their columns are data of the ERP. Responses the server
// builds by hand are closed, so that a test notices a misspelled member. Errors are
// any of the forms a client can meet: JSON of the plugin, JSON or HTML of the
// servlet container, plain text.
//
// # Releases
//
// v13 is v12 with the few differences known of release 13, made by
// internal/overlay. Servers of both releases run builds of the same plugin, so
// clients detect features (a 404 means "not there") and do not check the release.
//
// # What may be changed
//
// It agrees with the contract that the server's makers publish in the names of
// routes, of their parameters and of the models named there, such as ErrorResponse.
// The interface is the server's, so nobody edits the contract to suit a client or
// the embedded ERP: when they disagree with it, they are wrong. What may be changed:
//
//   - what a server turns out to do, as seen in its responses or its code: a route, a
//     member, a status that is missing here or described otherwise than it is, with a
//     test of the embedded ERP that shows it;
//   - words: descriptions and examples.
//
// Operation ids and the names of schemas and parameters are names in the generated
// client, which other modules compile against: they change as any exported name of
// this module does, with a line in the CHANGELOG. The client itself, erp/rest, is
// never edited: it is generated from this contract and nothing else.
//
// To change it, edit v12/openapi.yaml (v13 is made from it), then run
// `go generate ./erp/...` and erp/contract/lint.sh.
package contract

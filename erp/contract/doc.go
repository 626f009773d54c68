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
// Records are open objects: their columns are data of the ERP. Answers the server
// builds by hand are closed, so that a test notices a misspelled member. Errors are
// any of the forms a client can meet: JSON of the plugin, JSON or HTML of the
// servlet container, plain text.
//
// # Releases
//
// v13 is v12 with the few differences known of release 13, made by
// internal/overlay. Servers of both releases run builds of the same plugin, so
// clients detect features (a 404 means "not there") and do not ask for a release.
//
// # Changing it
//
// An operation, a parameter or a schema changes when the server is found to behave
// otherwise, with a test of the embedded ERP that shows it; descriptions and examples
// may be improved at any time. Edit v12/openapi.yaml, then run `go generate ./erp/...` and erp/contract/lint.sh.
package contract

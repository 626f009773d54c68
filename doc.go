// Package erphub is the map of a module for people who build on an ERP of the
// iDempiere family: a server whose data model, the Application Dictionary, is
// itself data behind a REST API. The package holds no code; these do:
//
//   - erp is the client of the REST API: records, filters, paging as
//     iterators, attachments, processes, batches, one error type.
//   - erp/rest is the client generated from the OpenAPI contract in
//     erp/contract; both share one configured *http.Client.
//   - erp/erptest is an ERP inside your program, for tests and laptops.
//   - tokens is where bearer tokens come from: static, stored, logged in,
//     refreshed, and verified.
//   - dict describes tables and what makes them up, and turns a description
//     into a Plan; dict/restdict runs a Plan over the REST API.
//   - deploylog is the log of deployments the ERP keeps about itself.
//   - cmd/erphub is the command line over all of it.
//
// Start with the package examples, or run
//
//	go run github.com/erphub/erphub/cmd/erphub@latest demo
//
// which starts an embedded ERP and makes a table in it.
package erphub

//go:generate go run ./internal/apidump

// Package erphub is the map of a module for people who build on an ERP of the
// iDempiere family: a server whose data model, the Application Dictionary, is
// itself data behind a REST API. The package holds no code; these do:
//
//   - erp is the client of the REST API: records, filters, paging as
//     iterators, attachments, processes, batches, one error type.
//   - erp/rest is the client generated from the OpenAPI contract in
//     erp/contract; both share one configured *http.Client.
//   - erp/connect makes a client of environment variables in one call.
//   - dict/transfer imports files (CSV, NDJSON, JSON, XLSX) into tables, and
//     exports what it imports.
//   - erp/erptest is an ERP inside your program, for tests and laptops.
//   - tokens is where bearer tokens come from: static, stored, logged in,
//     refreshed, and verified.
//   - dict describes tables and what makes them up, and turns a description
//     into a Plan; dict/restdict runs a Plan over the REST API. dict/registry
//     reads the dictionary of an ERP.
//   - deploylog is the log of deployments the ERP keeps about itself.
//   - aiquery runs SQL of assistants with the permissions of a role;
//     aiquery/guard secures the statements, aiquery/postgres and
//     aiquery/embedded are the databases that run them, aiquery/httpapi serves
//     them and aiquery/aiclient asks.
//   - generator makes plugins as file trees in memory; generator/delivery
//     brings them where they are wanted.
//   - mcp holds the tools of assistants as values; mcp/tools are those of the
//     hub, mcp/server serves them.
//   - cmd/erphub is the command line over all of it, cmd/erphub-mcp the tool
//     server alone, cmd/erphub-demo its first minute.
//
// Start with the package examples and the programs in examples/README.md, or run
//
//	go run github.com/erphub/erphub/cmd/erphub-demo@latest
//
// which starts an embedded ERP and makes a table in it.
package erphub

//go:generate go run ./internal/apidump
//go:generate go run ./internal/licences/cmd docs/licences.md

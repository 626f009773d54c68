// Package erptest is an ERP that runs inside your program: the REST API of an
// iDempiere-family server with a real Application Dictionary in an embedded
// database, demo data, users, roles and signed tokens.
//
// In a test it takes one line and ends with the test:
//
//	srv := erptest.New(t)
//	client, err := erp.New(srv.URL(), ...)
//
// It is not a mock. It authenticates with JSON Web Tokens that expire,
// rotates refresh tokens and notices their reuse, checks tenant and role on
// every row, creates database tables when the dictionary's synchronisation
// process runs, and answers in the wire format of the ERP's REST plugin, its
// known faults included.
//
// # Demo data
//
// Tenant 0 is System (user SuperUser, password System). Tenant 11 is
// GardenWorld with GardenAdmin / GardenAdmin (role 102, organization 11 HQ,
// warehouse 103) and GardenUser / GardenUser (role 103, restricted). A second
// tenant shows that tenants do not see each other.
//
// # Faults
//
// [Server.Faults] makes chosen requests fail, wait, break off or run twice,
// so that retries and resumption can be proved.
package erptest

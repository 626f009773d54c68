// Package aitest is an ERP for tests of governed SQL: the demo ERP with two
// tenants and many organizations, on PostgreSQL and embedded, with roles that
// may see part of it and recognisable marks ("canaries") in everything the role
// [Reader] may not.
//
//	pg := aitest.Postgres(t)     // address of a database of its own
//	reduced := aitest.Reduced(t) // the same reduced to what Reader may see
//	srv := aitest.Embedded(t)    // the embedded ERP with the same rows
//
// What the role may see is written down here as conditions of plain SQL, by
// hand, and not computed by the code under test.
package aitest

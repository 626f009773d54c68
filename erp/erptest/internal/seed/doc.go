// Package seed fills a new database of the embedded ERP: the dictionary of
// the core tables, users and roles, and the demo data of two tenants.
package seed

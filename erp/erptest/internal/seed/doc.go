// Package seed has the database that a new embedded ERP begins with: the whole
// dictionary of the ERP, users and roles, and the demo data of two tenants.
//
// The database is a file that the program carries (demo.db.packed), compressed in
// pieces which are unpacked when they are first read. Package mkimage makes it from
// text files, and says where their content comes from. Every database in memory is a
// layer over it, which holds what was changed; one in a file is a copy.
package seed

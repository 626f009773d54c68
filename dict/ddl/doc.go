// Package ddl writes the statements that a plan of package dict means for the
// database: for a preview, and for readers that make scripts.
//
// The statements are those the ERP itself makes when it synchronises a table:
// columns in alphabetical order, the key as <Table>_Key, the UUID as
// <Table>_UU_idx, foreign keys afterwards and deferred. Run them on an ERP's
// database: defaults such as getDate() are functions of the ERP.
package ddl

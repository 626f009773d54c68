// Package store is the embedded ERP's database: SQLite, in memory or in a
// file, with the Application Dictionary read from the very AD_ tables it
// holds.
//
// A [Store] hands out transactions: [Store.View] for reading, [Store.Update]
// for writing. What a transaction reads never changes under it: each reader has the
// state it began with, and goes on beside the one writer. Every transaction sees the
// dictionary as of its own data, also the changes it made itself.
//
// Stores in memory begin with an [Image], a database file that none of them writes,
// and hold what they changed (package layer). Most tables of the ERP have no row:
// the database of such a store gets one when it is written to, and finds it empty
// before.
//
// # What is remembered
//
// The dictionary, the totals of long lists and where their pages begin are
// remembered beside the database, prepared statements with each connection. A
// commit has a number, and changes tables; what was found at one commit is used at
// another only if none of the tables it depends on changed in between. So nothing
// is written without [Tx.Insert], [Tx.Set] and [Tx.Delete], or [Tx.Exec], which
// counts as a change of everything.
//
// # How values are kept
//
// The display type of a column (AD_Reference_ID) decides, as [Column.SQLType]
// tells: ids and integers are INTEGER; amounts, quantities and other decimals
// are text compared by the DECIMAL collation, so that no digit is ever lost;
// dates and times are UTC text of the form "2006-01-02 15:04:05" (times with
// zone carry milliseconds); Yes-No is 'Y' or 'N'; binary is BLOB; everything
// else is text.
package store

// Package store is the embedded ERP's database: SQLite, in memory or in a
// file, with the Application Dictionary read from the very AD_ tables it
// holds.
//
// A [Store] hands out transactions: [Store.View] for reading, [Store.Update]
// for writing. One writer or many readers run at a time, so what a
// transaction reads never changes under it. Every transaction sees the
// dictionary as of its own data, also the changes it made itself.
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

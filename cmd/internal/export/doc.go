// Package export writes records as a stream: CSV, one JSON value per line
// (NDJSON), or one JSON value. It holds one record at a time, so what it needs
// does not grow with their number.
//
// # CSV
//
// The first line names the columns. A cell is the value as the ERP writes it:
// text as it is, numbers with all their digits, true and false, nothing for no
// value; of a reference or a list the key, or its name when requested; JSON for
// anything else that has members. Lines end with a line feed.
//
// Text is not changed: a value that begins with =, +, - or @ is written so, and
// a spreadsheet may take it for a formula. Import such files as text when the
// data come from people you do not trust, or change it with Options.Text.
package export

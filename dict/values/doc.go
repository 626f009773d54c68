// Package values reads what a person, a file or an assistant writes for a column as
// what the ERP stores. Imports, the tools of assistants and the commands for records
// read by it, so the same input means the same everywhere, and is refused in the
// same words.
//
// Nothing is guessed. Dates are YYYY-MM-DD and numbers have a point and no thousands
// separators, unless the options say otherwise. Yes-No takes true, false, Y, N, yes,
// no, 1 and 0; a list its value or its label. A reference takes the number of the
// record, its UUID, or what the record is called (Value, DocumentNo, Name), as long as
// one record is called so. Digits are always a number: Column:Value in the place of
// Column says that the values are search keys.
//
// A text that is too long, a number out of bounds and a word that no list has are
// refused here, because the ERP cuts, rounds or replaces some of them silently.
package values

// Package transfer brings the rows of a file into a table of an ERP: CSV, NDJSON
// (one JSON object per line), a list in JSON, and worksheets ([Workbook]). [Export]
// writes such files.
//
// # Headings
//
// A heading is the name of a column or its label in the language of the login, in
// any case. Of a reference, Column:By says which column of the other table the
// values are of, such as C_BP_Group_ID:Value. [ImportOptions.Map] gives headings another
// meaning, or none. "id" and "uid" are the number and the UUID of the record;
// "model-name" and "import_error" are ignored.
//
// # Values
//
// Values are converted by the type of their column, and nothing is guessed: dates
// are YYYY-MM-DD, numbers have a point and no thousands separators, unless the
// options say otherwise. Yes-No takes true, false, Y, N, yes, no, 1 and 0; a list
// its value or its label; a reference the number of the record, its UUID, or what
// the record is called (Value, DocumentNo, Name), as long as one record is called so.
// Digits are always a number: write Column:Value for search keys of digits.
//
// A cell without text, or null, has no value: it clears the column of a record that
// is changed. A mandatory column gets its default in a new record. With
// [ImportOptions.SkipEmpty] such cells count as not being there. The ERP makes no
// difference between no value and a text without characters.
//
// # Worksheets
//
// A worksheet is read row by row with the standard library alone, bounded in what is
// unpacked and held: only the texts that cells share are in memory. Numbers are read as
// a spreadsheet shows them, in at most 17 digits; dates by the format of their cells; of
// a formula the value that was saved with it counts. The first row with a value has the
// headings. Merged cells are refused, because all but the first of them are empty.
//
// # What is written
//
// Without a key each row is a new record. With [ImportOptions.Key] the record of the key
// is changed, in the columns that differ, and made when it is not there.
//
// New records get a UUID that depends on the run and the number of the row. What is
// done is kept in [ImportOptions.Journal] while a run lasts, so that one that was killed,
// wherever, goes on without making anything twice.
//
// Rows that cannot be written are refused alone; see [ImportOptions.Errors]. Two runs at a
// time into one table are two runs: neither knows the keys of the other.
//
// A complete program that is cut off and resumed is examples/bulkload.
package transfer

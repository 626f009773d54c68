// Package xlsx reads a worksheet of a workbook (.xlsx) for the package
// erp/transfer, row by row, and writes one.
//
// It reads the few parts of a workbook that an import needs with the standard
// library alone, bounded in what it unpacks and holds: only the texts that cells
// share are in memory. Libraries for whole workbooks hold all cells, compute
// formulas, and bring a dozen modules along.
//
// Numbers are read as a spreadsheet shows them, in at most 17 digits; dates by the
// format of their cells; of a formula the value that was saved with it counts. The
// first row with a value has the headings. Merged cells are refused, because all but
// the first of them are empty.
package xlsx

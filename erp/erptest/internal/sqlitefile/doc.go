// Package sqlitefile makes SQLite databases from rows that are known beforehand,
// in one go and many times faster than by statements. The bytes are those of a
// database file (https://www.sqlite.org/fileformat2.html): written to a file, or
// loaded into memory, SQLite takes them for its own.
//
// It knows what a fresh database needs and no more: tables with an integer key or
// without one, indexes, views; UTF-8, pages of 4,096 bytes, no free pages.
// It does not check constraints; whoever writes rows that break them gets a
// database that SQLite's integrity check complains about.
package sqlitefile

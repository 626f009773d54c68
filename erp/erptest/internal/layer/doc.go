// Package layer keeps databases that have most of their pages in common. An [Image]
// is a database file that is never written; each [Layer] over it is a database of
// its own, which holds the pages that were changed in it and nothing else. A hundred
// layers cost what was changed in them.
//
// SQLite reads and writes a layer through the virtual file system [VFS]. A reader
// sees the state of the database that was committed when it began, and goes on
// beside the one writer. What a transaction wrote becomes visible as a whole when it
// is committed; of any other nothing remains, however it ended.
package layer

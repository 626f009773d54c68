// Package output writes what a command found in the format that somebody chose:
// a table, JSON, NDJSON, YAML, CSV, names or lines, or what a jq expression or a
// template makes of it. It knows no command; package shell gives it the flags, the
// terminal and the pager.
//
// Commands give two views of the same result: a value, which JSON, NDJSON, YAML, jq
// and templates see, and a [Table], which the formats with rows and columns see.
package output

// Package run is what package aiquery and its databases share: what an engine
// needs of a database, how values and errors of a database become those of a
// response, and what a record of the audit is. It knows no driver.
package run

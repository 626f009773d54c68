// Package deploylog is about deployment runs: which version was built and
// brought to which environment, how far a run is, and how it ended.
//
// The runs are kept in a table of the ERP, XX_Deploy_Log. [Table] is its
// definition; make a plan of it with package dict to bring the table into an
// ERP.
package deploylog

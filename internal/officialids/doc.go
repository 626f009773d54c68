// Package officialids knows the ids that the ERP's own dictionary records have
// in every installation: of tables, columns, elements, processes and references.
// It holds names and numbers, nothing else.
//
// The numbers are those of the development line of release 14. A record that
// an older release does not have yet is known here all the same.
package officialids

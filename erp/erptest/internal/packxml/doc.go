// Package packxml reads package archives (2Pack): the zip within bounds, and
// its dict/PackOut.xml record by record. It knows the form, not what the records
// mean.
package packxml

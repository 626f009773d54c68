// Package adid holds what the numbers of dictionary records mean.
package adid

// MaxOfficial is the highest id of the ERP's own dictionary records; what is
// above it belongs to one installation.
const MaxOfficial = 999_999

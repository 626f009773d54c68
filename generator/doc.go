// Package generator makes the sources of plugins for the ERP, in memory, and
// delivers them.
package generator

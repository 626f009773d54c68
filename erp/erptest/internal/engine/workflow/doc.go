// Package workflow moves the embedded ERP's workflow activities on: what was
// decided is done, and the next activities begin.
package workflow

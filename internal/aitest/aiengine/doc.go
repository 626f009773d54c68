// Package aiengine is the engine for queries on the embedded ERP of package
// aitest, for tests of what stands before it.
package aiengine

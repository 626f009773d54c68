// Package aiengine is the engine for queries on the demo data of the embedded
// ERP, for tests of what stands before it. Package aitest has the data for tests
// of the engine itself, which take longer to make.
package aiengine

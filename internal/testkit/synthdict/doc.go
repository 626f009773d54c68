// Package synthdict makes dictionaries for tests: one of the size of a real
// ERP's, always the same, or one from extracted facts of a real ERP.
//
//	d := synthdict.New(synthdict.Options{})  // 760 tables, 20,000 columns
//	source := d.Source()                     // a registry.Source in memory
//	err := d.Create(ctx, db, synthdict.SQLite) // the same in a database
package synthdict

// Package gogen writes Go types for tables of the dictionary, for the typed
// calls of package erp:
//
//	source, err := gogen.Generate(ctx, registry, gogen.Options{Package: "model", Tables: []string{"C_Order"}})
//
//	for order, err := range erp.RecordsAs[model.COrder](ctx, client, model.TableCOrder, nil) {
//		if order.DocStatus == model.DocumentStatusCompleted { … }
//	}
//
// Each column becomes a field of the type its values have on the wire: exact
// decimals, dates without a zone, references with id and display text. Lists
// become types of their own with a constant for each value. Columns that the
// API never shows, such as buttons with text, are left out, and said so.
//
// What is empty in the ERP is the zero value of the field, or nil where zero is
// a value, too. A zero field is left out when a struct is written, so that
// defaults of the ERP stay in force; to write false, 0 or nothing, send a map.
//
// A complete program with such types is examples/typed.
package gogen

// Package generator makes the sources of plugins for the ERP, in memory, and
// delivers them.
//
//	a, err := generator.Generate(ctx, registry, "process", map[string]any{
//		"artifactId": "com.example.demo", "class": "ImportOrders",
//	})
//	receipt, err := (&generator.Filesystem{Dir: "plugins"}).Deliver(ctx, a, nil)
//
// # Generators
//
// [Generators] lists what can be made: a whole plugin, or a plugin with one
// component. Each has a description and typed options, as values and as JSON
// Schema. [Generate] makes a new plugin; [Add] adds to one that is there and
// changes only what is needed, so that adding twice does nothing the second time.
// Tables, windows and columns are looked up in the dictionary that is given;
// [Generator.Dictionary] reports whether one is needed.
//
// # Artifacts
//
// An [Artifact] is a [Tree] of files in memory. The same dictionary and options
// give the same bytes, those of the zip included.
//
// # Names and texts
//
// Names become folders, identifiers of Java and names of bundles, so they are
// refused rather than repaired; everything wrong with the options is told at
// once, as an [*OptionsError]. Texts are escaped for each file they go into.
//
// # Deliveries
//
// A [Delivery] brings an artifact to where it is wanted. [Filesystem] and
// [Archive] are here; those that link a client of their own have packages below.
package generator

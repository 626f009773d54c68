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
// refused rather than repaired; an [*OptionsError] tells everything that is wrong
// with the options. Texts are escaped for each file they go into.
//
// # Deliveries
//
// A [Delivery] brings an artifact to where it is wanted. [Filesystem] and
// [Archive] are here; those that link a client of their own have packages below.
//
// # Links
//
// A [LinkDelivery] keeps an artifact in an [ArtifactStore] and returns a link for its
// download, which package generator/httpapi serves:
//
//	store, err := generator.OpenArtifactFolder("/var/lib/erphub/artifacts", generator.ArtifactFolderOptions{})
//	delivery, err := generator.NewLinkDelivery(store, "https://hub.example.com", time.Hour)
//	receipt, err := delivery.Deliver(ctx, artifact, nil) // receipt.DownloadURL
//
// The id in a link has 256 random bits. Anyone who has it can download, so it belongs
// in no log; the store keeps its SHA-256 only, and nothing in its folder leads to a
// link. When the time of an artifact is over, opening it is a failure of the kind
// [FailureExpired] for thirty days, and after these it is not known any more.
// [CleanArtifacts] removes what is over.
//
// Everything is in the folder of an [ArtifactFolder], so that a restarted server serves
// the links of the one before, and servers that share the folder serve each other's. An
// artifact is complete before it can be found; what a server left half done when it was
// killed is removed after an hour. Package generator/delivery has a store in a bucket,
// for servers without a folder in common.
package generator

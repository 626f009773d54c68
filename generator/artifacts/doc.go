// Package artifacts keeps generated plugins for download: under links nobody
// can guess, for a limited time.
//
//	store, err := artifacts.OpenDirectory("/var/lib/erphub/artifacts", artifacts.Options{})
//	delivery, err := artifacts.NewDelivery(store, "https://hub.example.com", time.Hour)
//	receipt, err := delivery.Deliver(ctx, artifact, nil) // receipt.DownloadURL
//
// Package generator/httpapi serves the links.
//
// # Links
//
// The id in a link has 256 random bits. Anyone who has it can download, so it belongs
// in no log; the store keeps its SHA-256 only, and nothing in its folder leads
// to a link.
//
// # Time
//
// An artifact can be downloaded until its time is over. From then on it is a
// failure of the kind [generator.FailureExpired], for thirty days, and after these it is
// not known any more. [Clean] removes what is over.
//
// # Restarts and replicas
//
// Everything is in the folder of a [Directory], so that a restarted server serves
// the links of the one before, and servers that share the folder serve each
// other's. An artifact is complete before it can be found; what a server left half
// done when it was killed is removed after an hour. Package generator/delivery has
// a [Store] in a bucket, for servers without a folder in common.
package artifacts

// Package objectstore delivers generated plugins to object storage that speaks
// the S3 protocol, and returns a signed link.
//
//	store, err := objectstore.New(objectstore.Options{
//		Endpoint:    "https://s3.example.com",
//		Bucket:      "plugins",
//		Prefix:      "generated/",
//		Credentials: credentials, // func(context.Context) (objectstore.Credentials, error)
//	})
//	receipt, err := store.Deliver(ctx, artifact, nil)
//
// # Keys
//
// The key is the prefix, the artifact's name, the beginning of the SHA-256 of
// its zip, and the file name. The same artifact delivered twice is the same
// object, and another one never replaces an object that somebody holds a link
// to. The store writes an object as a whole or not at all.
//
// # Links
//
// A link works until [Options.TTL] is over, at most seven days. With temporary
// credentials it ends with them, when that is earlier. Anyone with the link can
// read the object, so it belongs in no log.
//
// # Downloads of several servers
//
// [Artifacts] keeps files for [generator.LinkDelivery] in a bucket: servers
// that use the same bucket and prefix serve each other's links, and need no folder
// that all of them share. Each file is one object, which is named by the end of its
// life and by a digest of its id, so that nothing in the bucket leads to a link.
// Keep the prefix for it alone.
//
// # Hosts
//
// The endpoint is taken to be the operator's choice and may be in a private
// network; set [Options.Untrusted] when somebody else chose it. Redirects are
// not followed.
package objectstore

// Package httpapi generates plugins over HTTP, and serves the links of those
// that are kept for download.
//
//	api, err := httpapi.New(deliveries, verifier, &httpapi.Options{Registry: registry, Artifacts: store})
//	mux.Handle(httpapi.GeneratePrefix+"/", api)
//	mux.Handle(httpapi.ArtifactsPrefix+"/", api)
//
// Package generator makes the plugins, and a delivery, which package
// generator/delivery chooses by the settings, brings them to where they are
// wanted. This package says who may call, bounds what a request may cost, and
// puts receipts and failures into the form that its OpenAPI document describes.
//
// # Requests
//
//	POST /api/generate/plugin          make a plugin and deliver it
//	GET  /api/generate/openapi.yaml    the description of all this
//	GET  /api/artifacts/{id}/download  a plugin that is kept (HEAD and ranges as well)
//
// The first wants Authorization: Bearer with an access token of the ERP, whatever
// its role. A download wants none: the id in its link is a secret that nobody can
// guess, and the response to an expired one is 410.
//
// What is looked up in the dictionary is looked up with the permissions of the
// service, not of the caller.
//
// # Responses
//
// A plugin is sent as its mode has it: the zip itself (archive), or JSON.
// A client that accepts text/event-stream gets events instead: progress, then result or
// error; requests that cannot begin are refused with a status all the same.
// Errors are {"error":{"code","message","hint"},"requestId"}; programs go by
// the status and the code.
//
// When the client goes away the work is stopped and what it has begun is taken
// back.
//
// # Idempotency-Key
//
// A request with this header can be retried: while the first one is worked on
// the same body waits for the same response, and afterwards gets it again for as
// long as download links live. Another body under the same key is refused. What
// failed is not kept, so that a repetition tries again, except when nobody knows
// whether it was delivered. Keys belong to the user. They are kept in the memory
// of the process, the latest 1,000 of a user, 10,000 and 64 MiB of all: a retry
// after a restart, or one that reaches another replica, delivers again. With
// [Options.Keys] several servers share them, archives excepted, whose bytes are the
// same each time; work whose server died is done again.
//
// # Bounds
//
// A body has 256 KiB and 10 s to arrive; a user has 60 requests a minute (429
// with Retry-After beyond), the service works on 8 at a time (503), 4 of them for
// one user (429), five minutes at most on each, and serves 1,024 downloads at
// once. Nothing of a body is read before the token is known to be good.
//
// A complete service that keeps archives on disk is examples/plugins.
package httpapi

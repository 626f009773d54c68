// Package httpserver is the core of this module's HTTP servers: where they
// listen and which names they serve, how they limit, count and log requests, what
// an error response looks like, and how they shut down. It links the standard
// library only; who calls a JSON API is the affair of package access below it.
//
// [Server] is a whole server of a handler. It listens on loopback unless told
// otherwise, serves only Host headers it knows, so that a page elsewhere cannot
// reach it by a name that points here, and exposes /healthz, /readyz and /metrics
// beside its handler. When the context of [Server.Serve] ends it stops listening,
// ends streams and lets other requests finish.
//
// A server whose requests differ, such as the tool server with its sessions or
// the embedded ERP, uses the parts: [Serve] with its [Shutdown], [Readiness],
// [Metrics], [Slots], [Recovered], [ReadBody], [KnownHost].
//
// Error responses have one of two forms. [Problem] is that of RFC 9457. A JSON API
// responds with an [APIError] as {"error":{"code","message","hint","position"},
// "requestId"}; the request id is in the header X-Request-Id, too, and is the key
// to the service's log.
package httpserver

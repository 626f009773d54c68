// Package httpserver is what the servers of this module have in common: where
// they listen, how they bound, count and log requests, whom they answer, and
// how they end.
//
// A server binds to loopback unless told otherwise, answers only to names it
// knows, so that a page elsewhere cannot reach it by a name that points here,
// and exposes /healthz, /readyz and /metrics beside its own handler. When the
// context of [Server.Serve] ends it stops listening, ends streams and lets
// other requests finish.
package httpserver

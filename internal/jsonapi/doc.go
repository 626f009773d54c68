// Package jsonapi is what the JSON APIs of this module have in common: who
// calls, what a request may cost before anything is done for it, and the form of
// refusals.
//
// A refusal is a [Problem] and shows as {"error":{"code","message","hint",
// "position"},"requestId"}. The request id is in the header X-Request-Id, too,
// and is the key to the service's log.
package jsonapi

// Package httpapi serves governed SQL over HTTP: the AI integration API below
// /api/ai.
//
//	verifier, err := tokens.NewSecretVerifier(secret)
//	api, err := httpapi.New(engine, verifier, nil)
//	mux.Handle(httpapi.Prefix+"/", api)
//
// It holds no rule about what a role may see; package aiquery does. It says who
// calls (a bearer token of the ERP), bounds what a request may cost before the
// engine sees it, and puts results and errors into the form that its OpenAPI
// document describes, which it serves at /api/ai/openapi.yaml.
//
// # Requests
//
//	POST /api/ai/query                  run a SELECT with the permissions of a role
//	POST /api/ai/explain                what it reads and returns, without running it
//	GET  /api/ai/roles                  the roles the caller may query with
//	GET  /api/ai/metadata/table/{name}  what a table is
//	GET  /api/ai/metadata/window/{id}   what a window is
//	POST /api/ai/metadata               several tables and windows at once
//	POST /api/ai/context                a live user interface says what it shows
//	GET  /api/ai/context/window/{no}    what it last said about a window
//	GET  /api/ai/context/chart/{id}     … about a chart
//	GET  /api/ai/health                 200 when queries can be run
//	GET  /api/ai/openapi.yaml           the description of all this
//
// All but the last two want Authorization: Bearer with an access token of the
// ERP. The role of a query is in its body; elsewhere it is the parameter or
// member roleId, or else the token's. A role the user does not hold is refused
// in the same words as one there is not.
//
// What a user interface publishes is masked as queries are before it is kept,
// and read by the same user alone. A [ContextStore] that several servers share
// is for the caller to bring: the one that is used otherwise is in memory, as
// are the counts of requests.
//
// All paths are also below /api/ai/v1, which stays as it is when there is another
// version. The header X-Api-Version names the version that responded.
//
// # Responses
//
// Every response has a request id, in the body and as X-Request-Id, which is also
// the key to the service's log. Errors are {"error":{"code","message","hint",
// "position"},"requestId"}; programs go by the status and the code.
//
// # Bounds
//
// A body has 1 MiB and 10 s to arrive; a user has a number of requests a minute
// and of statements among them (429 with Retry-After beyond), the service a number
// at a time (503). Nothing of a body is read before the token is known to be good.
//
// # Records
//
// Each query of a known user has one record in the audit, whatever becomes of it:
// also one whose body is too large, broken or without a role, with what could be
// read of it. Those refused for the user's rate share records, of which there are
// at most two a minute and user, so that nobody can flood the audit. See package
// aiquery for how large records get.
//
// A complete service is examples/queryservice.
package httpapi

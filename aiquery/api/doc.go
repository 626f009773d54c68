// Package api holds the types of the AI API, spelled as in its JSON: the result of
// a statement, or the error in its place ([Error]); how it would be run, the caller's
// roles, what a role may know about tables and windows, what a live user interface
// shows, and the health of the service.
//
// The engine (package aiquery) makes these values, the HTTP handler
// (aiquery/httpapi) writes them and the client (aiquery/aiclient) reads them, so
// that a program that switches between engine and service keeps its types. It links
// the standard library only.
package api

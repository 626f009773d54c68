// Package backend is how the tools reach an ERP: through its REST API, the AI
// API in front of its database, the database itself, or the command line
// program. A [Pool] holds those that are configured and chooses, for every
// piece of work, the first that can do it.
//
// A backend never does more for a caller than the caller may do: the REST and
// AI backends send the caller's own token, the database backend applies the
// permissions of the caller's role. A refusal is therefore final: only a backend
// that cannot be reached, or cannot do the work at all, makes way for the next.
package backend

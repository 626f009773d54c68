// Package boundary stands in front of every tool, whoever calls it and by
// whatever protocol: it decides whether the caller may use the tool, counts
// calls and cost, bounds time and size, catches panics and keeps the audit: a record
// before each change, and one of each call that ended.
//
//	b, err := boundary.New(&boundary.Options{
//		Rules:  []boundary.Rule{{ReadOnly: true, ExceptRoles: []int{0}}},
//		Limits: boundary.Limits{CallsPerMinute: 60, Day: mcp.Cost{Tokens: 1_000_000}},
//	})
//	reply, err := b.Call(ctx, tool, &mcp.Call{Arguments: args, Caller: caller})
//
// # Failures
//
// Each check fails with its own code of package mcp: permission_denied,
// rate_limit_exceeded with the time to wait, cost_limit_exceeded with the time
// to wait when waiting helps. When the store of the limits cannot be reached, the
// code is unreachable and the tool does not run: a limit that cannot be checked
// counts as reached.
//
// # The end
//
// [Boundary.Close] cancels the calls that run, waits for them, and writes which of
// them had begun a change and did not end. Close the [Audit] after it.
//
// # Confirmation
//
// How users are asked before something changes is the affair of who calls:
// [Boundary.Seal] and [Boundary.Unseal] protect a question that travels to the
// user and back through a client.
//
// # Several replicas
//
// Counts are kept in a [Store]. [NewMemory] serves one process; the programs share
// them in Redis, with the key of confirmations, among all that use the same one.
// The limit on calls at the same time is per process.
package boundary

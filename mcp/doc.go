// Package mcp holds what an assistant can do with the ERP: tools, prompts and
// resources as plain Go values, without a protocol around them.
//
// A [Tool] is made from a function with [New]; its schemas come from the types
// of its input and output. The tool server (package mcp/server), the tool set
// of a chat agent and the exported function schemas are views of the same
// values, gathered in a [Catalog].
//
//	hello := mcp.New(mcp.Tool{
//		Name: "greet", Description: "Greets somebody. Returns the greeting.",
//		Sets: []string{"registry"}, Hints: mcp.Hints{ReadOnly: true, Idempotent: true},
//	}, func(ctx context.Context, c *mcp.Call, in struct {
//		Name string `json:"name" jsonschema:"whom to greet, such as Ada"`
//	}) (Greeting, error) {
//		return Greeting{"hello " + in.Name}, nil
//	})
//
// # Arguments
//
// What [New] makes checks arguments before the function runs: unknown, missing
// and wrong ones are an [Error] that names the argument, the valid ones and the
// nearest of them. Harmless variants are taken as what they mean: a number or
// a truth value written as text, and one value where a list is expected.
// Defaults of the schema are filled in.
//
// # Errors
//
// A tool returns an [Error] when it can say what to do next; every other error
// is turned into one by [ErrorOf]. Callers branch on Error.Code.
//
// # Confirmation
//
// A tool that changes something sets Tool.Confirms, and asks a [Question] with
// [Call.Confirmed] first; or it says in Tool.Unasked why it need not ask, and calls
// [Call.Begin]. [New] refuses a tool that does neither, and [Transport] and [Changes]
// refuse what a tool would change before. The creator of the [Call] says how users are
// asked. The function may run twice, with the user's answer only the second time.
//
// # Boundary
//
// A [Boundary] stands in front of every tool, whoever calls it and by whatever
// protocol: it decides whether the caller may use the tool, counts calls and cost,
// bounds time and size, catches panics and keeps the audit: a record before each
// change, and one of each call that ended.
//
//	b, err := mcp.NewBoundary(&mcp.BoundaryOptions{
//		Rules:  []mcp.Rule{{ReadOnly: true, ExceptRoles: []int{0}}},
//		Limits: mcp.Limits{CallsPerMinute: 60, Day: mcp.Cost{Tokens: 1_000_000}},
//	})
//	reply, err := b.Call(ctx, tool, &mcp.Call{Arguments: args, Caller: caller})
//
// Each check fails with its own code: permission_denied, rate_limit_exceeded with the
// time to wait, cost_limit_exceeded with the time to wait when waiting helps. When the
// store of the limits cannot be reached, the code is unreachable and the tool does not
// run: a limit that cannot be checked counts as reached.
//
// [Boundary.Close] cancels the calls that run, waits for them, and writes which of
// them had begun a change and did not end. Close the [Audit] after it.
//
// How users are asked before something changes is the affair of who calls:
// [Boundary.Seal] and [Boundary.Unseal] protect a question that travels to the user
// and back through a client.
//
// Counts are kept in a [LimitStore]. [NewMemoryStore] serves one process; the programs
// share them in Redis, with the key of confirmations, among all that use the same one.
// The limit on calls at the same time is per process.
package mcp

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
package mcp

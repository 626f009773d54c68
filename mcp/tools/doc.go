// Package tools are the tools of the hub: what an assistant can do with an ERP,
// as values that the tool server serves, the command line calls and chat agents
// get as function schemas. A tool is short: it calls a backend (package
// mcp/backend) or one of the module's packages, and returns the result in few
// words.
//
// Lists come in pages: a response that leaves something out says so in
// "truncated" and carries "nextCursor", which the same call takes as "cursor".
package tools

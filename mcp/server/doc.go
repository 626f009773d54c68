// Package server serves tools, prompts and resources of package mcp by the
// Model Context Protocol: over streamable HTTP at /mcp in both eras of the
// protocol (sessions up to revision 2025-11-25, none from 2026-07-28 on), over
// HTTP with server-sent events at /mcp/sse, and over standard input and output.
//
//	s, err := server.New(server.Options{
//		Catalog: catalog, Boundary: limits, Verifier: verifier, Name: "erphub", Version: "1.2.3",
//	})
//	ln, err := net.Listen("tcp", "127.0.0.1:8765")
//	err = s.Serve(ctx, ln)
//
// # Who calls
//
// Every HTTP request carries a bearer token, which the [Verifier] checks before
// anything else is looked at. A session belongs to the user, role and
// organization whose token opened it; nobody else can use it. A tool gets the
// token of its own call and no other.
//
// # Which tools
//
// What a session is offered follows from its caller, and from the tool sets that each
// request selects or the session switched on, within what the boundary permits. A
// tool that is not offered is not listed, no text names it, and a call of it is
// refused. Clients are notified when their list changes.
//
// # Changes
//
// A tool that sets mcp.Tool.Confirms has the user's agreement before it changes
// anything: the client asks, by elicitation where there are sessions, else by an
// input request, and nothing it sends along counts without the seal of the
// question. When the question has changed by then, the change is refused, and the
// refusal tells the model what changed. A client that cannot ask is refused; [ConfirmClient] takes its call
// for the agreement.
//
// # Replicas
//
// With Options.Sessions several servers serve the same sessions of /mcp, in any
// order: what a client said at initialize is kept in the store, and responses to
// questions reach the server that asks, whichever server they are sent to. When
// a server ends, calls that run there fail, and their clients go on at the
// others without initialize. A connection of /mcp/sse is one server's.
//
// With Options.Stateless no state is kept between requests, not even there;
// questions to the user travel as sealed tokens then (see [mcp.Boundary.Seal]), to
// clients of revisions without sessions only, and there is no /mcp/sse.
//
// This is the only package that imports the protocol's SDK, whose types stay
// out of its API.
//
// A complete server, with a tool and a metric of its own, is examples/owntool.
package server

// Command erphub-mcp serves the tools for assistants by the Model Context
// Protocol: it is `erphub server mcp` as a program of its own, with the same
// flags and settings.
//
//	erphub-mcp                 listens on 127.0.0.1:8765: /mcp and /mcp/sse
//	erphub-mcp --stdio         serves the one client that started it
//
// Over HTTP every client sends its own bearer token of the ERP; with --stdio
// the login of the program is used, and nothing but the protocol is written to
// standard output.
//
// Exit codes: 0 done, 1 the operation failed, 2 wrong usage, 3 not authorised
// or not logged in, 4 the server could not be reached, 130 interrupted.
package main

import (
	"context"
	"os"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/toolserver"
)

func main() {
	ctx, stop := shell.WithSignals(context.Background())
	code := shell.Run(ctx, os.Args, os.Environ(), shell.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, toolserver.Program)
	stop()
	os.Exit(code)
}

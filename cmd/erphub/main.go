// Command erphub works with an ERP of the iDempiere family from a terminal or
// a build server: it adds tables to the Application Dictionary, reads and
// writes records, runs processes, and serves an embedded ERP for those who
// have none at hand. `erphub help` lists the commands, `erphub demo` shows
// what it is about.
//
// Exit codes: 0 done, 1 the operation failed, 2 wrong usage, 3 not authorised
// or not logged in, 4 the server could not be reached, 5 `erphub dict diff`
// found the ERP to differ from the definitions, 130 interrupted.
package main

import (
	"context"
	"os"

	"github.com/erphub/erphub/cmd/internal/shell"
)

func main() {
	ctx, stop := shell.WithSignals(context.Background())
	code := execute(ctx, os.Args, os.Environ(), shell.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

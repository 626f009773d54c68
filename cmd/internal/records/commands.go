// Package records has the commands that read, write and run what an ERP holds:
// record, process, workflow, cache, server and open.
package records

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family. The command server has the
// subcommands serving, too, which other families bring.
func Commands(sh *shell.Shell, serving ...*cli.Command) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{
		a.recordCommand(), a.processCommand(), a.workflowCommand(), a.cacheCommand(), a.serverCommand(serving), a.openCommand(),
	}
}

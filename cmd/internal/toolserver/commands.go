// Package toolserver has the commands about the tools for assistants: tools, mcp
// and server mcp, and the program erphub-mcp.
package toolserver

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{a.toolsCommand(), a.mcpCommand()}
}

// ServerCommand is the subcommand mcp of the command server.
func ServerCommand(sh *shell.Shell) *cli.Command { return (&app{sh}).serverMCPCommand() }

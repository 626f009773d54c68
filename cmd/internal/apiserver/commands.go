// Package apiserver has the command server api: the AI API, the generator and the
// deployment board behind one address.
package apiserver

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the command runs in.
type app struct{ *shell.Shell }

// ServerCommand is the subcommand api of the command server.
func ServerCommand(sh *shell.Shell) *cli.Command { return (&app{sh}).serverAPICommand() }

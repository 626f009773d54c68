// Package sandbox has the commands with an ERP of their own: sandbox and demo.
package sandbox

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{a.demoCommand(), a.sandboxCommand()}
}

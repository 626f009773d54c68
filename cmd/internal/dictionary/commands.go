// Package dictionary has the commands that change the Application Dictionary, or are made of it: add, dict, sync and generate.
package dictionary

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{a.addCommand(), a.dictCommand(), a.syncCommand(), a.generateCommand()}
}

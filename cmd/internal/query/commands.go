// Package query has the commands query and metrics, which send SQL to an AI API.
package query

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{a.queryCommand(), a.metricsCommand()}
}

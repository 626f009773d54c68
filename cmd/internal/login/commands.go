// Package login has the commands about logins and settings: auth, profile, config and doctor.
package login

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// app is the shell that the commands run in.
type app struct{ *shell.Shell }

// Commands are the commands of this family.
func Commands(sh *shell.Shell) []*cli.Command {
	a := &app{sh}
	return []*cli.Command{a.authCommand(), a.profileCommand(), a.configCommand(), a.doctorCommand()}
}

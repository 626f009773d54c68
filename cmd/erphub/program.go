package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/apiserver"
	"github.com/erphub/erphub/cmd/internal/deploy"
	"github.com/erphub/erphub/cmd/internal/dictionary"
	"github.com/erphub/erphub/cmd/internal/login"
	"github.com/erphub/erphub/cmd/internal/query"
	"github.com/erphub/erphub/cmd/internal/rawapi"
	"github.com/erphub/erphub/cmd/internal/records"
	"github.com/erphub/erphub/cmd/internal/sandbox"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/toolserver"
)

// helpOrder is how the commands follow each other in help.
var helpOrder = strings.Fields("demo sandbox add dict sync gen generate record query metrics chart open api process workflow cache server tools mcp menu " +
	"env auth config doctor version completion help")

// execute runs the program: args as in os.Args, environ as from os.Environ. It
// returns the exit code.
func execute(ctx context.Context, args, environ []string, streams shell.Streams) int {
	return shell.Run(ctx, args, environ, streams, newProgram)
}

// newProgram is erphub with the commands of all families.
func newProgram(sh *shell.Shell) *cli.App {
	commands := slices.Concat(
		sandbox.Commands(sh),
		dictionary.Commands(sh),
		records.Commands(sh, apiserver.ServerCommand(sh), toolserver.ServerCommand(sh)),
		query.Commands(sh),
		rawapi.Commands(sh),
		toolserver.Commands(sh),
		deploy.Commands(sh),
		login.Commands(sh),
		[]*cli.Command{sh.VersionCommand(), sh.CompletionCommand(newProgram), shell.HelpCommand()},
	)
	slices.SortStableFunc(commands, func(a, b *cli.Command) int {
		return slices.Index(helpOrder, a.Name) - slices.Index(helpOrder, b.Name)
	})
	c := sh.Program(commands...)
	c.Action = toolserver.Root(sh)
	return c
}

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/apiserver"
	"github.com/erphub/erphub/cmd/internal/complete"
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

// groups are how help shows the commands.
var groups = []struct{ title, commands string }{
	{"Start", "demo sandbox"},
	{"Dictionary", "dict add sync generate"},
	{"Data", "record query metrics process workflow open api"},
	{"Assistants", "tools mcp"},
	{"Deployments", "env"},
	{"Servers", "server cache"},
	{"Setup", "auth profile config doctor completion man version help"},
}

// execute runs the program: args as in os.Args, environ as from os.Environ. It
// returns the exit code. Under the name erphub-mcp, which releases have as a link,
// it is the tool server alone.
func execute(ctx context.Context, args, environ []string, streams shell.Streams) int {
	build := newProgram
	if len(args) > 0 && calledToolServer(args[0]) {
		build = toolserver.Program
	}
	return shell.Run(ctx, args, environ, streams, build)
}

// calledToolServer reports whether a program was started by the name erphub-mcp.
func calledToolServer(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(name), ".exe") == "erphub-mcp"
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
		complete.Commands(sh),
		[]*cli.Command{sh.ManCommand(), sh.VersionCommand(), sh.HelpCommand()},
	)
	arrange(commands)
	c := sh.Program(commands...)
	c.Action = toolserver.Root(sh)
	return c
}

// arrange brings commands into the order of groups, and tells each its group.
func arrange(commands []*cli.Command) {
	place := map[string]int{}
	for _, g := range groups {
		for name := range strings.FieldsSeq(g.commands) {
			place[name] = len(place)
			for _, c := range commands {
				if c.Name == name {
					c.Category = g.title
				}
			}
		}
	}
	slices.SortStableFunc(commands, func(a, b *cli.Command) int { return place[a.Name] - place[b.Name] })
}

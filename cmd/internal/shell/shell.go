package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/erphub/erphub/internal/nearest"
)

// Streams are the program's input and outputs. Results go to Out, everything
// else to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Shell is one run of a program.
type Shell struct {
	Env     map[string]string
	Streams Streams
	Log     *slog.Logger
	used    *Setup // whose login was used last; nil: none

	refreshes refreshes
}

// Run runs the program that build makes of its commands: args as in os.Args,
// environ as from os.Environ. It returns the exit code and never ends the process
// itself. When ctx ends, which [WithSignals] makes a signal do, so does the run; a
// token refresh under way is waited for, 10 seconds at most.
func Run(ctx context.Context, args, environ []string, streams Streams, build func(*Shell) *cli.App) int {
	out := &results{to: streams.Out}
	streams.Out = out
	sh := &Shell{Env: map[string]string{}, Streams: streams, Log: slog.New(slog.DiscardHandler)}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			sh.Env[name] = value
		}
	}
	shareFlags()
	c := build(sh)
	finish := func() { sh.refreshes.finish(sh.Note) }
	beforeExit(ctx, finish)
	err := c.RunContext(ctx, interspersed(c, versionAsked(args)))
	if err != nil && !errors.Is(err, ErrReported) {
		err = sh.loginHint(ctx, err)
	}
	finish()
	err = out.finish(err)
	if err == nil {
		return ExitDone
	}
	if ctx.Err() != nil {
		err = interruptedErr{err}
	}
	if !errors.Is(err, ErrReported) {
		sh.printError(err)
	}
	return ExitCode(err)
}

// Program is a program of these commands, with what all programs have in common.
// Nothing here names a command, so that a program links those it has and no others.
func (sh *Shell) Program(commands ...*cli.Command) *cli.App {
	prepare(commands)
	return &cli.App{
		Name:  "erphub",
		Usage: "work with an ERP of the iDempiere family: its dictionary, its records, its processes",
		Description: "Settings come from flags, then the environment (ERP_URL, ERP_TOKEN, ...), then the chosen profile\n" +
			"of the configuration file. `erphub demo` shows what this is about, without any of them.",
		Version:              fmt.Sprintf("%s (%s, %s/%s)", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH),
		HideVersion:          true, // the flag would take those of commands, see versionAsked
		HideHelpCommand:      true, // HelpCommand is ours
		EnableBashCompletion: true,
		Reader:               sh.Streams.In,
		Writer:               sh.Streams.Out,
		ErrWriter:            sh.Streams.Err,
		ExitErrHandler:       func(*cli.Context, error) {}, // Run maps errors to codes
		OnUsageError:         usageError,
		Flags:                globalFlags(),
		Before:               sh.before,
		Commands:             commands,
	}
}

// usual are the names by which people look for a command, beside its own.
var usual = map[string][]string{
	"list": {"ls"}, "delete": {"rm", "remove"}, "discard": {"rm"}, "get": {"show"}, "show": {"get"}, "info": {"show"}, "create": {"new"},
}

// prepare makes every command report wrong usage in the same way, and gives it
// the usual aliases that no other command of its group has.
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		for _, alias := range usual[c.Name] {
			if find(commands, alias) == nil {
				c.Aliases = append(c.Aliases, alias)
			}
		}
		c.OnUsageError = usageError
		c.HideHelpCommand = true
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = Group
			}
			prepare(c.Subcommands)
		}
	}
}

func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "url", Usage: "address of the ERP, such as https://erp.example.com (ERP_URL)"},
		&cli.StringFlag{Name: "token-file", Usage: "file that holds the bearer token (ERP_TOKEN holds one, too)", TakesFile: true},
		&cli.StringFlag{Name: "profile", Usage: "profile of the configuration file to use (ERPHUB_PROFILE)"},
		&cli.StringFlag{Name: "config", Usage: "configuration file (ERPHUB_CONFIG)", TakesFile: true},
		&cli.StringFlag{Name: "locale", Usage: "language of texts in responses, such as es_CO"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON value on standard output and nothing else"},
		&cli.BoolFlag{Name: "debug", Usage: "log requests to standard error"},
		cli.HelpFlag, // the library leaves it out where there is a help command
	}
}

func (sh *Shell) before(c *cli.Context) error {
	if c.Bool("debug") {
		sh.Log = slog.New(slog.NewTextHandler(sh.Streams.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return nil
}

// Group is the action of a command that only has subcommands: called alone it
// explains itself, called with a word it does not know it says so.
func Group(c *cli.Context) error {
	if word := c.Args().First(); word != "" && word != "help" {
		hint := ""
		if s := nearest.Name(word, commandNames(c)); s != "" {
			hint = fmt.Sprintf("; did you mean %q?", s)
		}
		return Usagef("no command %q%s (see %s help)", word, hint, strings.TrimSpace(c.App.Name))
	}
	if err := showHelp(c); err != nil {
		return err
	}
	return nil
}

// HelpCommand explains the program or a command of it. The library's own is one
// value that all runs in a process would write to.
func HelpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "show help for the program, or for one command", ArgsUsage: "[command ...]",
		Action: func(c *cli.Context) error {
			return c.App.RunContext(c.Context, slices.Concat([]string{c.App.Name}, c.Args().Slice(), []string{"--help"}))
		},
	}
}

func showHelp(c *cli.Context) error {
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != c.App.Name {
		return cli.ShowSubcommandHelp(c)
	}
	return cli.ShowAppHelp(c)
}

func commandNames(c *cli.Context) []string {
	var names []string
	commands := c.App.Commands
	if c.Command != nil && len(c.Command.Subcommands) > 0 {
		commands = c.Command.Subcommands
	}
	for _, cmd := range commands {
		if !cmd.Hidden {
			names = append(names, cmd.Names()...)
		}
	}
	return names
}

// Terminal tells whether the stream is a terminal a person looks at.
func Terminal(w any) bool {
	f, ok := FileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}

package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/internal/keyring"
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
	Args    []string // as in os.Args
	Env     map[string]string
	Streams Streams
	Log     *slog.Logger
	colour  string // what --color says; empty is auto
	used    *Setup // whose login was used last; nil: none
	keyring *keyring.Keyring
	noInput bool         // nobody is asked anything
	bars    atomic.Int64 // that are shown

	refreshes refreshes
}

// Run runs the program that build makes of its commands: args as in os.Args,
// environ as from os.Environ. It returns the exit code and never ends the process
// itself. When ctx ends, which [WithSignals] makes a signal do, so does the run; a
// token refresh under way is waited for, 10 seconds at most.
func Run(ctx context.Context, args, environ []string, streams Streams, build func(*Shell) *cli.App) int {
	out := &results{to: streams.Out}
	streams.Out = out
	sh := &Shell{Args: args, Env: map[string]string{}, Streams: streams, Log: slog.New(slog.DiscardHandler)}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			sh.Env[name] = value
		}
	}
	c := build(sh)
	finish := func() { sh.refreshes.finish(sh.Note) }
	beforeExit(ctx, finish)
	err := sh.run(ctx, c, versionAsked(args))
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

// run runs the command of the line, or explains it.
func (sh *Shell) run(ctx context.Context, c *cli.App, args []string) error {
	if len(args) == 0 {
		args = []string{c.Name}
	}
	line := ParseLine(c, args[1:])
	if line.Help {
		words := line.Words
		if n := len(line.Chain); n > 0 && len(line.Chain[n-1].Subcommands) == 0 {
			words = nil // arguments of the command
		}
		return sh.explain(c, line.Chain, words)
	}
	if commands := line.commands(c); len(commands) > 0 && len(line.Words) > 0 && len(line.Unknown) > 0 &&
		slices.Index(args, line.Words[0]) < slices.Index(args, line.Unknown[0]) {
		return noCommand(c, line.Chain, commands, line.Words[0]) // whose flags cannot be known
	}
	if line.Awaits != nil {
		return Usagef("%s needs a value", dashed(line.Awaits.Names()[0]))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return c.RunContext(sh.sayWaiting(ctx, line.Chain), line.interspersed(args[0]))
}

// Program is a program of these commands, with what all programs have in common.
// Nothing here names a command, so that a program links those it has and no others.
func (sh *Shell) Program(commands ...*cli.Command) *cli.App {
	sh.prepare(commands)
	return &cli.App{
		Name:  "erphub",
		Usage: "work with an ERP of the iDempiere family: its dictionary, its records, its processes",
		Description: "Settings come from flags, then the environment (ERP_URL, ERP_TOKEN, ...), then the chosen profile " +
			"of the configuration file. `erphub demo` shows what this is about, without any of them.",
		Version:        fmt.Sprintf("%s (%s, %s/%s)", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH),
		HideVersion:    true, // the flag would take those of commands, see versionAsked
		HideHelp:       true, // run and HelpCommand show our own pages
		Reader:         sh.Streams.In,
		Writer:         sh.Streams.Out,
		ErrWriter:      sh.Streams.Err,
		ExitErrHandler: func(*cli.Context, error) {}, // Run maps errors to codes
		OnUsageError:   usageError,
		Flags:          globalFlags(),
		Before:         sh.before,
		Commands:       commands,
	}
}

// elsewhereCalled are the commands that people look for by a name of other programs.
var elsewhereCalled = map[string][]string{
	"ls": {"list"}, "rm": {"delete", "remove"}, "remove": {"delete"}, "get": {"show"}, "show": {"get", "info", "list"}, "new": {"create", "add"},
	"list": {"history"}, "log": {"history"},
}

// prepare makes every command report wrong usage in the same way and before it does
// anything.
func (sh *Shell) prepare(commands []*cli.Command) {
	for _, c := range commands {
		if action := c.Action; action != nil && hasOutput(c.Flags) {
			c.Action = func(c *cli.Context) error {
				if _, err := sh.Choice(c, ""); err != nil {
					return err
				}
				return action(c)
			}
		}
		c.OnUsageError = usageError
		c.HideHelp = true
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = sh.Group
			}
			sh.prepare(c.Subcommands)
		}
	}
}

func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "url", Usage: "address of the ERP (ERP_URL)"},
		&cli.StringFlag{Name: "token-file", Usage: "file that holds the bearer token (or ERP_TOKEN)", TakesFile: true},
		&cli.StringFlag{Name: "profile", Usage: "profile of the configuration file (ERPHUB_PROFILE)"},
		&cli.StringFlag{Name: "config", Usage: "configuration file (ERPHUB_CONFIG)", TakesFile: true},
		&cli.StringFlag{Name: "locale", Usage: "language of texts in responses, such as es_CO"},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON value and nothing else"},
		&cli.StringFlag{Name: "color", Usage: "`WHEN`: auto, always or never (NO_COLOR, CLICOLOR, CLICOLOR_FORCE)", DefaultText: "auto"},
		&cli.BoolFlag{Name: "no-pager", Usage: "print long results without the pager (ERPHUB_PAGER, PAGER)"},
		&cli.BoolFlag{Name: "no-formulas", Usage: "in CSV, put ' before text that a spreadsheet would take for a formula"},
		&cli.BoolFlag{Name: "no-input", Usage: "never ask; fail if something is missing"},
		&cli.BoolFlag{Name: "debug", Usage: "log requests to standard error"},
		&cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "explain the program or a command"},
	}
}

func (sh *Shell) before(c *cli.Context) error {
	switch c.String("color") {
	case "", output.ColourAuto, output.ColourAlways, output.ColourNever:
		sh.colour = c.String("color")
	default:
		return Usagef("--color takes auto, always or never, not %q", c.String("color"))
	}
	sh.noInput = c.Bool("no-input")
	if c.Bool("debug") {
		sh.Log = slog.New(slog.NewTextHandler(sh.Streams.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return nil
}

// Group is the action of a command that only has subcommands: called alone it
// explains itself, the program in short; called with a word it does not know it says so.
func (sh *Shell) Group(c *cli.Context) error {
	chain, _ := help.Find(c.App, strings.Fields(CommandPath(c)))
	words := c.Args().Slice()
	if len(words) > 0 && words[0] == "help" {
		words = words[1:]
	}
	if len(chain) == 0 && len(words) == 0 {
		return help.Of(c.App, nil).Short().WriteText(sh.Streams.Out, sh.width())
	}
	return sh.explain(c.App, chain, words)
}

// HelpCommand explains the program, a command of it, or a topic.
func (sh *Shell) HelpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain the program, a command, or a topic", ArgsUsage: "[COMMAND... | TOPIC]",
		Action: func(c *cli.Context) error { return sh.explain(c.App, nil, c.Args().Slice()) },
	}
}

// explain shows the page of the command that words name, from that of chain on,
// or of the topic.
func (sh *Shell) explain(a *cli.App, chain []*cli.Command, words []string) error {
	if topic, ok := help.Topic(words); ok && len(chain) == 0 {
		return topic.WriteText(sh.Streams.Out, sh.width())
	}
	for len(words) > 0 {
		commands := (&Line{Chain: chain}).commands(a)
		next := help.Command(commands, words[0])
		if next == nil {
			return noCommand(a, chain, commands, words[0])
		}
		chain, words = append(chain, next), words[1:]
	}
	return help.Of(a, chain).WriteText(sh.Streams.Out, sh.width())
}

// noCommand is the error about a word that is not a command.
func noCommand(a *cli.App, chain []*cli.Command, commands []*cli.Command, word string) error {
	name := a.Name
	for _, c := range chain {
		name += " " + c.Name
	}
	hint := ""
	names := commandNames(commands)
	i := slices.IndexFunc(elsewhereCalled[word], func(n string) bool { return slices.Contains(names, n) })
	if i >= 0 {
		hint = fmt.Sprintf("; did you mean %q?", elsewhereCalled[word][i])
	} else if s := nearest.Name(word, names); s != "" {
		hint = fmt.Sprintf("; did you mean %q?", s)
	} else if found := elsewhere(a.Commands, a.Name, word); len(found) > 0 && len(found) <= 3 {
		hint = "; did you mean `" + strings.Join(found, "`, or `") + "`?"
	}
	return Usagef("no command %q%s (see %s --help)", word, hint, name)
}

// elsewhere are the commands below others that have exactly this name.
func elsewhere(commands []*cli.Command, above, word string) []string {
	var found []string
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		if path := above + " " + c.Name; c.HasName(word) {
			found = append(found, path)
		} else {
			found = append(found, elsewhere(c.Subcommands, path, word)...)
		}
	}
	return found
}

// width is that of the terminal, 0 where there is none.
func (sh *Shell) width() int {
	f, ok := FileOf(sh.Streams.Out)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func commandNames(commands []*cli.Command) []string {
	var names []string
	for _, cmd := range commands {
		if !cmd.Hidden {
			names = append(names, cmd.Name)
		}
	}
	return names
}

// Piped reports whether the stream is a pipe or a socket to another program.
func Piped(stream any) bool {
	f, ok := FileOf(stream)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// Terminal reports whether the stream is a terminal a person looks at.
func Terminal(w any) bool {
	f, ok := FileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}

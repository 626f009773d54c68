package complete

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
)

//go:embed scripts/*
var scripts embed.FS

// variable holds the words for a shell that cannot pass them as arguments, one
// per line.
const variable = "ERPHUB_COMPLETE"

// Commands are completion, which prints the scripts, and what they call.
func Commands(sh *shell.Shell) []*cli.Command {
	return []*cli.Command{
		{
			Name: "completion", Usage: "print the script that completes commands in your shell", ArgsUsage: "SHELL",
			Description: "SHELL is bash, zsh, fish or powershell. The scripts ask the program for commands, flags, their values, and for tables, columns, " +
				"processes and windows of the ERP in use. Those are read from the dictionary that `erphub dict list` and others keep in the user's cache folder; " +
				"the ERP is not asked.",
			Action: shell.TextOnly(shell.Takes(func(c *cli.Context) error {
				text, err := scripts.ReadFile("scripts/" + c.Args().First())
				if err != nil {
					return shell.Usagef("there is no script for %q: bash, zsh, fish or powershell", c.Args().First())
				}
				_, err = sh.Streams.Out.Write(text)
				return err
			}, "a shell: bash, zsh, fish or powershell")),
		},
		{
			Name: "__complete", Hidden: true, Usage: "print what a command line can go on with", ArgsUsage: "SHELL -- WORD...", SkipFlagParsing: true,
			Action: func(c *cli.Context) error { return run(sh, c) },
		},
	}
}

// run prints how the words go on: a line that says what the shell completes, then
// a line per candidate, with its description behind a tab. Failures are silent, as
// there is nobody to tell.
func run(sh *shell.Shell, c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return shell.Usagef("__complete is what the scripts of `erphub completion` call")
	}
	words := args[1:]
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if text := sh.Getenv(variable); text != "" && len(words) == 0 {
		words = strings.Split(text, "\n")
	}
	if len(words) == 0 {
		words = []string{""}
	}
	raw := args[0] == "bash" || args[0] == "fish"
	last := len(words) - 1
	for i, w := range words {
		if args[0] == "bash" || raw && i == last {
			words[i] = unquoted(w)
		}
	}
	r := &request{app: c.App, line: shell.ParseLine(c.App, words[:last]), word: words[last]}
	if global, err := globalContext(c, r.line); err == nil {
		r.names = &erpNames{sh: sh, c: global}
	}
	return r.complete().write(sh.Streams.Out)
}

// write prints the result for the scripts. A candidate that holds a control
// character would be two lines, or something that a terminal obeys.
func (res result) write(to io.Writer) error {
	var b strings.Builder
	b.WriteString(string(res.mode))
	if res.nospace {
		b.WriteString(" nospace")
	}
	b.WriteByte('\n')
	for _, c := range res.candidates {
		if c.Value == "" || strings.ContainsFunc(c.Value, func(r rune) bool { return r < ' ' || r == 0x7f }) || shell.Printable(c.Value) != c.Value {
			continue
		}
		b.WriteString(c.Value)
		if c.About != "" {
			b.WriteString("\t" + shell.Printable(short(c.About)))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// globalContext is a context whose global flags are those of the line.
func globalContext(c *cli.Context, line *shell.Line) (*cli.Context, error) {
	set := flag.NewFlagSet(c.App.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range c.App.Flags {
		if err := f.Apply(set); err != nil {
			return nil, fmt.Errorf("global flags: %w", err)
		}
	}
	if err := set.Parse(line.Global()); err != nil {
		return nil, errors.Join(errors.New("global flags"), err)
	}
	return cli.NewContext(c.App, set, c), nil
}

// unquoted is a word as the shell would read it, without carrying out anything:
// quotes and backslashes are removed, and a quote may be open.
func unquoted(word string) string {
	if !strings.ContainsAny(word, `'"\`) {
		return word
	}
	var b strings.Builder
	quote, escaped := byte(0), false
	for i := range len(word) {
		switch c := word[i]; {
		case escaped:
			b.WriteByte(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

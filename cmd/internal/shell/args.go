package shell

import (
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/help"
	"github.com/erphub/erphub/internal/text"
)

// Line is a command line in its parts.
type Line struct {
	Chain  []*cli.Command // the command, from the program downwards
	Words  []string       // its arguments
	Help   bool           // --help is among the flags
	Awaits cli.Flag       // a flag at the end whose value is missing
	Only   bool           // everything behind "--" is an argument

	Unknown []string // flags that neither the command nor the program has

	global, local []string // flags with their values
	tail          []string // "--" and what is behind it
}

// isFlag reports whether an argument is a flag. SQL that begins with a comment is none; a
// flag and its value that were quoted together are one, so that they are refused.
func isFlag(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return strings.HasPrefix(arg, "-") && arg != "-" && !strings.HasPrefix(name, "-- ") && !strings.Contains(name, "\n")
}

// ParseLine takes a command line apart, without the program's name. Flags may
// stand anywhere behind their command, global ones anywhere at all.
func ParseLine(a *cli.App, args []string) *Line {
	l := &Line{}
	commands, flags := a.Commands, []cli.Flag(nil)
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			l.Only, l.tail = true, args[i:]
			break
		}
		if !isFlag(arg) {
			if cmd := help.Command(commands, arg); cmd != nil && len(l.Words) == 0 {
				l.Chain = append(l.Chain, cmd)
				l.local = append(l.local, arg)
				commands, flags = cmd.Subcommands, append(flags[:len(flags):len(flags)], cmd.Flags...)
				if cmd.SkipFlagParsing {
					l.Words = args[i+1:]
					break
				}
				continue
			}
			l.Words = append(l.Words, arg)
			continue
		}
		i += l.takeFlag(a.Flags, flags, arg, args[i+1:])
	}
	return l
}

// takeFlag takes a flag, and returns 1 when its value is the next argument. Flags of
// the command come before global ones of the same name.
func (l *Line) takeFlag(global, local []cli.Flag, arg string, next []string) int {
	name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	flag, to := lookup(local, name), &l.local
	if flag == nil {
		if flag = lookup(global, name); flag != nil {
			to = &l.global
		}
	}
	if isHelp(name) && (flag == nil || to == &l.global) {
		l.Help = true
		return 0
	}
	*to = append(*to, arg)
	switch {
	case flag == nil:
		l.Unknown = append(l.Unknown, arg)
	case inline || !TakesValue(flag):
	case len(next) == 0:
		l.Awaits = flag
	default:
		*to = append(*to, next[0])
		return 1
	}
	return 0
}

// commands are those that may follow in the line.
func (l *Line) commands(a *cli.App) []*cli.Command {
	if len(l.Chain) == 0 {
		return a.Commands
	}
	return l.Chain[len(l.Chain)-1].Subcommands
}

// Flag is the flag of the line's command, or of the program, that has the name.
func (l *Line) Flag(a *cli.App, name string) cli.Flag {
	if len(l.Chain) > 0 {
		if f := lookup(l.Chain[len(l.Chain)-1].Flags, name); f != nil {
			return f
		}
	}
	return lookup(a.Flags, name)
}

// Given reports whether the flag is on the line.
func (l *Line) Given(f cli.Flag) bool {
	for _, arg := range slices.Concat(l.global, l.local) {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && slices.Contains(f.Names(), name) {
			return true
		}
	}
	return false
}

// Value is what the line gives the flag of that name, "" for nothing.
func (l *Line) Value(name string) string {
	for i, arg := range l.local {
		given, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-") || given != name:
		case inline:
			return value
		case i+1 < len(l.local):
			return l.local[i+1]
		}
	}
	return ""
}

// Global are the global flags with their values.
func (l *Line) Global() []string {
	if last := len(l.global) - 1; l.Awaits != nil && last >= 0 && slices.Contains(l.Awaits.Names(), strings.TrimLeft(l.global[last], "-")) {
		return l.global[:last] // its value is not there yet
	}
	return l.global
}

// interspersed is the line in the order that the library reads: it stops at "--", and
// at the first argument that is not a flag. Everything behind "--" stays as it is.
func (l *Line) interspersed(program string) []string {
	words := slices.Concat(l.Words, l.tail)
	if len(l.Words) > 0 && strings.HasPrefix(l.Words[0], "-") && l.Words[0] != "-" {
		words = slices.Concat([]string{"--"}, l.Words, l.tail[min(1, len(l.tail)):])
	}
	return slices.Concat([]string{program}, l.global, l.local, words)
}

func isHelp(name string) bool { return name == "help" || name == "h" }

func lookup(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

// TakesValue reports whether a flag is given with a value.
func TakesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// ParseMoment reads a day, a time, or an age, which a flag was given.
func ParseMoment(flag, value string, now time.Time) (time.Time, error) {
	at, err := text.Moment(value, now, time.Local)
	if err != nil {
		return at, Usagef("%s: %w", flag, err)
	}
	return at, nil
}

// Takes is an action that is called with exactly these arguments, which ArgsUsage
// names.
func Takes(action cli.ActionFunc, names ...string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := Arguments(c, names...); err != nil {
			return err
		}
		return action(c)
	}
}

// Arguments checks that there are exactly the arguments that ArgsUsage names. What
// stands there may be a password with a space: it is not shown.
func Arguments(c *cli.Context, names ...string) error {
	if c.NArg() == len(names) {
		return nil
	}
	what := "no arguments"
	switch {
	case len(names) > 0:
		what = strings.Join(names, " and ")
	case slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == "id" }):
		what += " (an id is given with --id)"
	}
	return Usagef("%s takes %s, got %s (see %s --help)", CommandPath(c), what, Count(c.NArg(), "argument", "arguments"), c.Command.HelpName)
}

// CommandPath names the command without the program: record list.
func CommandPath(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
}

// CommaList splits a list such as that of --select.
func CommaList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

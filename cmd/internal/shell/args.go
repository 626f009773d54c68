package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// interspersed reorders arguments so that flags may stand anywhere behind
// their command, also after its arguments: the parser underneath stops at the
// first argument that is no flag. Global flags are accepted at any place, too.
// Everything behind "--" stays as it is.
func interspersed(a *cli.App, args []string) []string {
	if len(args) == 0 || args[len(args)-1] == "--generate-bash-completion" {
		return args
	}
	out := []string{args[0]}
	var global, local, words []string
	commands, flags := a.Commands, []cli.Flag(nil)
	onlyWords := false
	var tail []string
	rest := args[1:]
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		if arg == "--" {
			tail = rest[i:]
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if cmd := find(commands, arg); cmd != nil && !onlyWords {
				local = append(local, arg)
				commands, flags = cmd.Subcommands, append(flags[:len(flags):len(flags)], cmd.Flags...)
				continue
			}
			onlyWords = true
			words = append(words, arg)
			continue
		}
		name, _, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag, isGlobal := lookup(flags, name), false
		if flag == nil {
			if flag = lookup(a.Flags, name); flag != nil {
				isGlobal = !isHelp(name) // every command explains itself
			}
		}
		taken := []string{arg}
		if flag != nil && !inline && takesValue(flag) && i+1 < len(rest) {
			i++
			taken = append(taken, rest[i])
		}
		if isGlobal {
			global = append(global, taken...)
		} else {
			local = append(local, taken...)
		}
	}
	out = append(out, global...)
	out = append(out, local...)
	out = append(out, words...)
	return append(out, tail...)
}

func isHelp(name string) bool { return slices.Contains(cli.HelpFlag.Names(), name) }

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

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

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}

// ParseMoment reads a day, a time, or an age, which a flag was given.
func ParseMoment(flag, text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	return time.Time{}, Usagef("%s takes a day (2026-03-09), a time in RFC 3339, or an age (7d, 12h), not %q", flag, text)
}

// Arguments checks that there are exactly the arguments that ArgsUsage names.
func Arguments(c *cli.Context, names ...string) error {
	if c.NArg() == len(names) {
		return nil
	}
	what := "no arguments"
	if len(names) > 0 {
		what = strings.Join(names, " and ")
	}
	got := fmt.Sprintf("%d arguments", c.NArg())
	if c.NArg() == 1 {
		got = "1 argument"
	}
	return Usagef("%s takes %s, got %s", CommandPath(c), what, got)
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

package app

import (
	"slices"
	"strings"

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

package dictionary

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
)

func (a *app) generateCommand() *cli.Command {
	var commands []*cli.Command
	for _, g := range generator.Generators() {
		flags := append(append(optionFlags(&g), outputFlags()...), generateFlags()...)
		usage, description := "make "+g.Title, g.Description
		if g.Addable {
			usage += ", in a plugin of its own or in one that is there"
			description += "\n\nWith --plugin it goes into a plugin that is there: only what is needed is changed, and adding the same again changes nothing."
			flags = append([]cli.Flag{&cli.StringFlag{Name: "plugin", Usage: "add it to the plugin in or around this folder, such as --plugin ., instead of making one", TakesFile: true}}, flags...)
		}
		commands = append(commands, &cli.Command{
			Name: g.Name, Usage: usage, ArgsUsage: argumentOf(&g),
			Description: description + "\n\nOn a terminal it asks for missing options. Existing files are not overwritten without --force. " +
				"Names of tables and windows are looked up in the ERP, where one is named.",
			Flags:  flags,
			Action: func(c *cli.Context) error { return a.generate(c, &g) },
		})
	}
	return &cli.Command{
		Name: "generate", Usage: "generate plugins, components of plugins, and Go types",
		Description: "Components come in a plugin of their own; with --plugin they are added to one that is there.",
		Subcommands: append(commands, a.generateGoCommand(), a.generateCheckCommand()),
	}
}

// mainOption is the option that may be given without a flag, as the argument.
func mainOption(g *generator.Generator) *generator.Option {
	for _, name := range []string{"class", "tables", "artifactId"} {
		if o, ok := g.Option(name); ok && (o.Required || name == "artifactId") {
			return o
		}
	}
	return nil
}

func argumentOf(g *generator.Generator) string {
	o := mainOption(g)
	switch {
	case o == nil:
		return ""
	case o.Type == generator.TypeStrings:
		return "[" + strings.ToUpper(strings.TrimSuffix(o.Name, "s")) + "...]"
	}
	return "[" + strings.ToUpper(o.Flag()) + "]"
}

// optionFlag is the name of an option's flag; --help is taken.
func optionFlag(o *generator.Option) string {
	if o.Flag() == "help" {
		return "help-text"
	}
	return o.Flag()
}

// optionFlags makes a flag of each option.
func optionFlags(g *generator.Generator) []cli.Flag {
	var flags []cli.Flag
	for i := range g.Options {
		o := &g.Options[i]
		usage := strings.TrimSuffix(o.Description, ".")
		if !strings.HasPrefix(usage, "Java ") && !strings.HasPrefix(usage, "Maven") { // names
			usage = strings.ToLower(usage[:1]) + usage[1:]
		}
		if len(o.Choices) > 0 {
			usage += "; one of " + strings.Join(o.Choices, ", ")
		}
		switch d := o.Default.(type) {
		case nil:
		case []string:
			usage += " (default: " + strings.Join(d, ", ") + ")"
		default:
			usage += fmt.Sprintf(" (default: %v)", d)
		}
		switch o.Type {
		case generator.TypeBoolean:
			flags = append(flags, &cli.BoolFlag{Name: optionFlag(o), Usage: usage, DisableDefaultText: true})
		case generator.TypeStrings:
			flags = append(flags, &cli.GenericFlag{Name: optionFlag(o), Usage: usage + "; separated by commas, or given several times", Value: &shell.Texts{}})
		default:
			flags = append(flags, &cli.StringFlag{Name: optionFlag(o), Usage: usage})
		}
	}
	return flags
}

// outputFlags say where a new plugin goes.
func outputFlags() []cli.Flag {
	modes := make([]string, 0, len(generator.Modes()))
	for _, m := range generator.Modes() {
		modes = append(modes, string(m))
	}
	return []cli.Flag{
		&cli.StringFlag{Name: "deliver", Usage: "how to deliver it: " + strings.Join(modes, ", ") + " (GENERATOR_OUTPUT_MODE; default: filesystem)"},
		&cli.StringFlag{Name: "email", Usage: "address that --deliver email sends it to"},
		&cli.StringFlag{Name: "dir", Usage: "folder that the plugin's folder or archive goes into (default: the working directory); - writes an archive to standard output", TakesFile: true},
	}
}

// generateFlags are about how a generator runs.
func generateFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.BoolFlag{Name: "dry-run", Usage: "list the files, and write nothing"},
		&cli.BoolFlag{Name: "diff", Usage: "show what would change, and write nothing"},
		&cli.BoolFlag{Name: "force", Usage: "overwrite existing files that have other content"},
		&cli.BoolFlag{Name: "offline", Usage: "look nothing up in the ERP; names are taken as they are"},
	}, shell.DatabaseFlags()...)
}

package dictionary

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
)

func (a *app) generateCommand() *cli.Command {
	commands := []*cli.Command{
		{Name: "list", Usage: "list the generators", Flags: shell.OutputFlags(), Action: a.generateList},
		{
			Name: "info", Usage: "explain a generator and its options", ArgsUsage: "GENERATOR", Flags: shell.ValueFlags(), Action: a.generateInfo,
		},
	}
	for _, g := range generator.Generators() {
		commands = append(commands, &cli.Command{
			Name: g.Name, Usage: "make " + g.Title + generateUsage(&g), ArgsUsage: argumentOf(&g),
			Description: g.Description + "\n\nOn a terminal it asks for missing options. Existing files are not overwritten without --force. " +
				"Names of tables and windows are looked up in the ERP, where one is named.",
			Flags:  append(optionFlags(&g, false), append(outputFlags(), sharedGenerateFlags()...)...),
			Action: func(c *cli.Context) error { return a.generate(c, &g) },
		})
	}
	commands = append(commands, a.generateGoCommand())
	return &cli.Command{
		Name: "generate", Aliases: []string{"gen"}, Usage: "generate plugins, components in a plugin of their own, and Go types",
		Description: "`erphub generate list` shows what plugins can be made of; `erphub add` adds to an existing plugin.",
		Subcommands: commands,
	}
}

func generateUsage(g *generator.Generator) string {
	if g.Addable {
		return ", in a plugin of its own"
	}
	return ""
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
func optionFlags(g *generator.Generator, adding bool) []cli.Flag {
	var flags []cli.Flag
	for i := range g.Options {
		o := &g.Options[i]
		if adding && o.NewOnly {
			continue
		}
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
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Hidden: true, Usage: "the former name of --deliver"},
		&cli.StringFlag{Name: "email", Usage: "address that --deliver email sends it to"},
		&cli.StringFlag{Name: "dir", Usage: "folder that the plugin's folder or archive goes into (default: the working directory); - writes an archive to standard output", TakesFile: true},
	}
}

// sharedGenerateFlags are those of generate and add.
func sharedGenerateFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.GenericFlag{Name: "option", Usage: "an option by its name in requests, as name=value; may be given several times", Value: &shell.Texts{}},
		&cli.BoolFlag{Name: "dry-run", Usage: "list the files, and write nothing"},
		&cli.BoolFlag{Name: "diff", Usage: "show what would change, and write nothing"},
		&cli.BoolFlag{Name: "force", Usage: "overwrite existing files that have other content"},
		&cli.BoolFlag{Name: "offline", Usage: "look nothing up in the ERP; names are taken as they are"},
	}, shell.DatabaseFlags()...)
}

// generatorReport is a generator for a machine.
type generatorReport struct {
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Addable     bool               `json:"addable"`
	Options     []generator.Option `json:"options,omitempty"`
	Schema      map[string]any     `json:"schema,omitempty"`
}

func (a *app) generateList(c *cli.Context) error {
	if c.NArg() > 0 {
		return shell.Usagef("generate list takes no arguments; `erphub generate info %s` explains a generator", c.Args().First())
	}
	var list []generatorReport
	var rows [][]string
	for _, g := range generator.Generators() {
		list = append(list, generatorReport{Name: g.Name, Title: g.Title, Description: g.Description, Addable: g.Addable})
		adds := ""
		if g.Addable {
			adds = "erphub add " + g.Name
		}
		rows = append(rows, []string{g.Name, g.Title, adds})
	}
	return a.Print(c, list, output.Table{Columns: output.Columns("generator=name", "makes=title", "to an existing plugin=addable"), Rows: rows})
}

func (a *app) generateInfo(c *cli.Context) error {
	if err := shell.Arguments(c, "a generator such as process"); err != nil {
		return err
	}
	g, err := generator.Find(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	var rows [][]string
	for i := range g.Options {
		o := &g.Options[i]
		state := ""
		switch {
		case o.Required:
			state = "required"
		case o.Default != nil:
			state = fmt.Sprint(o.Default)
		}
		rows = append(rows, []string{"--" + optionFlag(o), o.Name, string(o.Type), state, cmp.Or(strings.Join(o.Choices, ", "), o.Example)})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n\n", g.Name, g.Title, g.Description)
	b.WriteString(a.TableText(c, output.Table{Columns: output.Columns("flag", "option", "type", "default", "values, or an example"), Rows: rows}) + "\n")
	for i := range g.Options {
		fmt.Fprintf(&b, "%s: %s\n", g.Options[i].Name, g.Options[i].Description)
	}
	return a.Print(c, generatorReport{g.Name, g.Title, g.Description, g.Addable, g.Options, g.Schema(false)}, output.Table{Below: b.String()})
}

package dictionary

import (
	"bytes"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/diagram"
	"github.com/erphub/erphub/dict/gogen"
	"github.com/erphub/erphub/dict/registry"
)

func (a *app) genCommand() *cli.Command {
	return &cli.Command{
		Name: "gen", Usage: "generate code from the dictionary",
		Subcommands: []*cli.Command{{
			Name: "go", Usage: "write Go types for tables, for the SDK's typed calls",
			Description: "Writes a struct per table, constants for the tables' names, and a type with constants for every list.",
			Flags: []cli.Flag{
				&cli.StringSliceFlag{Name: "table", Aliases: []string{"t"}, Usage: "table to write types for, such as C_Order; may be given several times"},
				&cli.StringFlag{Name: "package", Value: "model", Usage: "name of the package"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file to write to instead of standard output", TakesFile: true},
			},
			Action: a.genGo,
		}},
	}
}

func (a *app) genGo(c *cli.Context) error {
	if c.NArg() > 0 {
		return shell.Usagef("gen go takes no arguments; name tables with --table")
	}
	tables := c.StringSlice("table")
	if len(tables) == 0 {
		return shell.Usagef("no tables: name them with --table, such as --table C_Order")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	reg, err := a.part(c.Context, client, registry.Scope{Tables: tables})
	if err != nil {
		return err
	}
	text, err := gogen.Generate(c.Context, reg, gogen.Options{Package: c.String("package"), Tables: tables})
	if errors.Is(err, gogen.ErrPackage) {
		return shell.Usage(err)
	}
	if err != nil {
		return err
	}
	return a.WriteOutput(c, text)
}

func (a *app) dictDiagramCommand() *cli.Command {
	return &cli.Command{
		Name: "diagram", Usage: "draw tables and how they refer to each other", ArgsUsage: "TABLE...",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "mermaid", Usage: "mermaid or svg"},
			&cli.BoolFlag{Name: "all-columns", Usage: "show the columns that every table has, too"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file to write to instead of standard output", TakesFile: true},
		},
		Action: a.dictDiagram,
	}
}

func (a *app) dictDiagram(c *cli.Context) error {
	if c.NArg() == 0 {
		return shell.Usagef("dict diagram takes one or more table names such as C_Order")
	}
	format := c.String("format")
	if format != "mermaid" && format != "svg" {
		return shell.Usagef("there is no format %q; use mermaid or svg", format)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	reg, err := a.part(c.Context, client, registry.Scope{Tables: c.Args().Slice()})
	if err != nil {
		return err
	}
	m, err := diagram.New(c.Context, reg, c.Args().Slice(), &diagram.Options{AllColumns: c.Bool("all-columns")})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if format == "svg" {
		err = m.WriteSVG(&b)
	} else {
		err = m.WriteMermaid(&b)
	}
	if err != nil {
		return err
	}
	return a.WriteOutput(c, b.Bytes())
}

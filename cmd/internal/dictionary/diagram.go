package dictionary

import (
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/diagram"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
)

func (a *app) dictDiagramCommand() *cli.Command {
	return &cli.Command{
		Name: "diagram", Usage: "draw tables and how they refer to each other, in the language of Mermaid", ArgsUsage: "TABLE...",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all-columns", Usage: "show the columns that every table has, too"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file to write to instead of standard output", TakesFile: true},
		},
		Action: shell.TextOnly(a.dictDiagram),
	}
}

func (a *app) dictDiagram(c *cli.Context) error {
	if c.NArg() == 0 {
		return shell.Usagef("dict diagram takes one or more table names such as C_Order")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	reg, err := a.part(c.Context, client, registry.Scope{Tables: c.Args().Slice()})
	if err != nil {
		return err
	}
	text, err := diagram.Mermaid(c.Context, reg, c.Args().Slice(), c.Bool("all-columns"))
	if err != nil {
		return err
	}
	return a.WriteOutput(c, text)
}

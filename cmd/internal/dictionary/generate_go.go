package dictionary

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/gogen"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
)

func (a *app) generateGoCommand() *cli.Command {
	return &cli.Command{
		Name: "go", Usage: "write Go types for tables, for the SDK's typed calls", ArgsUsage: "[TABLE...]",
		Description: "Writes a struct per table, constants for the tables' names, and a type with constants for every list.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "table", Aliases: []string{"t"}, Usage: "table to write types for, such as C_Order; repeatable"},
			&cli.StringFlag{Name: "package", Value: "model", Usage: "name of the package"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file to write to instead of standard output", TakesFile: true},
		},
		Action: shell.TextOnly(a.generateGo),
	}
}

func (a *app) generateGo(c *cli.Context) error {
	tables := slices.Concat(c.Args().Slice(), c.StringSlice("table"))
	if len(tables) == 0 {
		return shell.Usagef("no tables: name them, such as generate go C_Order C_OrderLine")
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

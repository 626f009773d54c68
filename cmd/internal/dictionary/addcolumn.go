package dictionary

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

func (a *app) addColumnCommand() *cli.Command {
	return &cli.Command{
		Name: "column", Usage: "add a column to a table of the ERP", ArgsUsage: "TABLE XX_COLUMN",
		Description: "Creates the AD_Column record, with its element where the ERP has none of the name, and the column in the " +
			"database. --field shows it in the windows of the table. On a table of the ERP the name begins with XX_, or with the " +
			"entity type, because an update could bring a column of the same name. Other formats write files.\n" +
			"`erphub dict undo` takes the column back: what that needs is written to " + defaultUndo + " before anything changes.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "type", Value: "String", Usage: "display type: String, Text, Integer, Number, Amount, Date, Date+Time, Yes-No, Table, \"Table Direct\", Search or another"},
			&cli.IntFlag{Name: "length", Usage: "most characters of a text (default: what is usual for the type)"},
			&cli.StringFlag{Name: "label", Usage: "what people read (default: made from the name)"},
			&cli.StringFlag{Name: "description", Usage: "one line about it"},
			&cli.StringFlag{Name: "points-to", Usage: "table that a column of type Table or Search refers to, where its name does not say it"},
			&cli.StringFlag{Name: "default", Usage: "value of new records"},
			&cli.BoolFlag{Name: "mandatory", Usage: "it must have a value; needs --default"},
			&cli.BoolFlag{Name: "field", Usage: "show it in the windows of the table, after their other fields"},
			&cli.StringFlag{Name: "entity-type", Value: dict.DefaultEntityType, Usage: "owner of the dictionary records"},
			&cli.BoolFlag{Name: "no-sync", Usage: "do not change the database"},
			&cli.StringFlag{Name: "format", Usage: "how to bring it into the ERP: rest, pack, migration or sql (default: rest)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and do nothing"},
		}, scriptFlags()...),
		Action: shell.Takes(a.addColumn, "a table", "the name of the column"),
	}
}

// extensionFromFlags is the table with the column that the flags ask for.
func extensionFromFlags(c *cli.Context) (dict.Table, error) {
	t := dict.Table{Name: c.Args().First(), EntityType: c.String("entity-type"), Extends: &dict.Extension{Fields: c.Bool("field")}}
	col := dict.Column{
		Name: c.Args().Get(1), Label: c.String("label"), Description: c.String("description"), Length: c.Int("length"),
		Default: c.String("default"), Mandatory: c.Bool("mandatory"),
	}
	if name, _, typed := strings.Cut(col.Name, ":"); typed {
		return t, shell.Usagef("write the column as %s: its type is given by --type, a length by --length", name)
	}
	var err error
	if col.Type, err = displayType(c.String("type")); err != nil {
		return t, err
	}
	if to := c.String("points-to"); to != "" {
		if !col.Type.IsLookup() || col.Type.IsList() || col.Type == dict.TypeTableDir {
			return t, shell.Usagef("--points-to belongs to the types Table and Search, not to %s", col.Type)
		}
		col.Reference = dict.Lookup(t.Name+" "+col.Name, dict.TableLookup{Table: to})
	}
	t.Columns = []dict.Column{col}
	return t, nil
}

func displayType(text string) (dict.DisplayType, error) {
	typ, known := dict.ParseDisplayType(text)
	if !known {
		return typ, shell.Usagef("there is no display type %q; types are String, Text, Integer, Number, Amount, Date, Yes-No, Table Direct and more", text)
	}
	return typ, nil
}

func (a *app) addColumn(c *cli.Context) error {
	format, err := chooseFormat(c)
	if err != nil {
		return err
	}
	if err := a.checkDelivery(c, format); err != nil {
		return err
	}
	wanted, err := extensionFromFlags(c)
	if err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	reg, err := a.part(c.Context, client, diff.Scope(wanted))
	if err != nil {
		return err
	}
	result, plan, err := planColumn(c.Context, client, reg, wanted, c.Bool("no-sync"))
	if err != nil {
		return definitionError(err)
	}
	switch {
	case c.Bool("dry-run"):
		return plans.Show(a.Shell, c, plan)
	case format.onServer():
		return a.runAddition(c, &comparison{client: client, reg: reg, result: result}, &wanted.Columns[0], plan)
	}
	return format.writePlan(a, c, plan, knowledge{reference: ddl.Resolver(c.Context, reg), record: restdict.Identify(c.Context, client)})
}

// planColumn plans what adds the column: nothing when the table has it, in the database as well.
func planColumn(ctx context.Context, client *erp.Client, reg registry.Registry, wanted dict.Table, noSync bool) (*diff.Result, *dict.Plan, error) {
	t, err := reg.Table(ctx, wanted.Name)
	if err != nil {
		return nil, nil, err
	}
	_, has := t.Column(wanted.Columns[0].Name)
	if has { // it is compared as it is
		definition, _, err := diff.Definition(ctx, reg, wanted.Name)
		if err != nil {
			return nil, nil, err
		}
		named := func(c dict.Column) bool { return strings.EqualFold(c.Name, wanted.Columns[0].Name) }
		if i := slices.IndexFunc(definition.Columns, named); i >= 0 {
			wanted.Columns, wanted.Extends = definition.Columns[i:i+1:i+1], &dict.Extension{}
		}
	}
	result, err := diff.Compare(ctx, reg, &dict.Options{NoSync: noSync}, wanted)
	switch {
	case err != nil && has: // one of the ERP's own, which no definition adds
		plan, err := dict.Assemble(t.Name)
		return nil, plan, err
	case err != nil:
		return nil, nil, err
	}
	if err := addBehind(ctx, client, result); err != nil {
		return nil, nil, err
	}
	plan, err := diff.NewPlan(result, nil)
	return result, plan, err
}

// definitionError is wrong usage when it is the definition that is wrong.
func definitionError(err error) error {
	var invalid *dict.ValidationError
	if errors.As(err, &invalid) || errors.Is(err, registry.ErrNotFound) {
		return shell.Usage(err)
	}
	return err
}

// runAddition runs the plan of a column on the server, and says what came of it.
func (a *app) runAddition(c *cli.Context, cmp *comparison, col *dict.Column, plan *dict.Plan) error {
	report := struct {
		Table  string `json:"table"`
		Column string `json:"column"`
		Status string `json:"status"`
		Fields int    `json:"fields"`
		Synced bool   `json:"synced"`
	}{Table: c.Args().First(), Column: col.Name, Status: "exists"}
	if plan.Len() == 0 {
		return a.Print(c, report, output.Table{Below: shell.Printable(fmt.Sprintf("%s has the column %s already; nothing was done", report.Table, col.Name)) + "\n"})
	}
	if err := notInterrupted(defaultCheckpoint); err != nil {
		return err
	}
	var result *restdict.Result
	opts := &restdict.Options{BatchSize: plan.Len()}
	err := undoable(c.Context, cmp, opts, defaultCheckpoint, func() (err error) {
		result, err = plans.Run(c.Context, a.Shell, cmp.client, plan, opts)
		return err
	})
	if err != nil {
		return err
	}
	report.Status, report.Synced = "added", result.Count(restdict.Ran) > 0
	for _, s := range plan.Steps() {
		if r, ok := s.(*dict.RecordStep); ok && r.Table == "AD_Field" {
			report.Fields++
		}
	}
	line := fmt.Sprintf("added the column %s (%s) to %s", col.Name, col.Type, report.Table)
	if report.Fields > 0 {
		line += fmt.Sprintf("; %s it", shell.Count(report.Fields, "tab shows", "tabs show"))
	}
	as := ""
	for _, flag := range []string{"url", "profile"} {
		if value := c.String(flag); value != "" {
			as += " --" + flag + " " + value
		}
	}
	return a.Print(c, report, output.Table{Below: shell.Printable(line) + "\nTo take it back: erphub" + shell.Printable(as) + " dict undo --allow-destructive\n"})
}

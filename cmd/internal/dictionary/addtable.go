package dictionary

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

func (a *app) addCommand() *cli.Command {
	return &cli.Command{
		Name: "add", Usage: "add a table, or a column, to the dictionary and the database",
		Description: "`erphub dict add` is the same command by another name. Components of plugins come from `erphub generate`.",
		Subcommands: []*cli.Command{a.addTableCommand(), a.addColumnCommand()},
	}
}

func (a *app) dictCommand() *cli.Command {
	return &cli.Command{
		Name: "dict", Usage: "work with the dictionary",
		Subcommands: append([]*cli.Command{{
			Name: "add", Hidden: true, Usage: "add to the dictionary, as erphub add does",
			Subcommands: []*cli.Command{a.addTableCommand()},
		}}, slices.Concat(a.dictBrowseCommands(), a.dictCodeCommands())...),
	}
}

func (a *app) addTableCommand() *cli.Command {
	return &cli.Command{
		Name: "table", Usage: "create a table: its record, its columns, and the table in the database", ArgsUsage: "XX_TABLE",
		Description: "Creates the AD_Table record, the nine standard columns and those of the requested templates, and " +
			"synchronises the table with the database. A run that stops early leaves a checkpoint; --resume continues from it. " +
			"Other formats write files: migration scripts for both databases, a package, or plain DDL to look at.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "description", Usage: "description of the table"},
			&cli.StringSliceFlag{Name: "column", Usage: "add a column, as `NAME:TYPE`; the length of a text and mandatory may follow, as in Title:String:40:mandatory; may be given several times"},
			&cli.BoolFlag{Name: "document", Usage: "add the columns of a document: number, type, status, action"},
			&cli.BoolFlag{Name: "accounting", Usage: "add the columns of a posted document"},
			&cli.BoolFlag{Name: "with-name", Usage: "add search key and name"},
			&cli.BoolFlag{Name: "with-description", Usage: "add name, description and help"},
			&cli.BoolFlag{Name: "tree", Usage: "add parent and sequence"},
			&cli.BoolFlag{Name: "changelog", Usage: "keep an audit trail (IsChangeLog)"},
			&cli.BoolFlag{Name: "high-volume", Usage: "search instead of drop-down lists (IsHighVolume)"},
			&cli.BoolFlag{Name: "no-delete", Usage: "records cannot be deleted (IsDeleteable=N)"},
			&cli.BoolFlag{Name: "security", Usage: "records can be secured by role (IsSecurityEnabled)"},
			&cli.BoolFlag{Name: "view", Usage: "it is a database view (IsView=Y, and IsDeleteable=N: its rows cannot be deleted)"},
			&cli.BoolFlag{Name: "partition", Usage: "it is partitioned (IsPartition)"},
			&cli.BoolFlag{Name: "drill", Usage: "offer it in drill-down menus (IsShowInDrillOptions)"},
			&cli.IntFlag{Name: "access-level", Value: 3, Usage: "1 organization, 2 client, 3 client+organization, 4 system, 6 system+client, 7 all"},
			&cli.StringFlag{Name: "entity-type", Value: dict.DefaultEntityType, Usage: "owner of the dictionary records"},
			&cli.StringFlag{Name: "replication", Value: "L", Usage: "replication: L local, M merge, R reference"},
			&cli.BoolFlag{Name: "import", Usage: "create an import table"},
			&cli.StringFlag{Name: "target-table", Usage: "table that the import table feeds; its columns are added"},
			&cli.BoolFlag{Name: "any-prefix", Usage: "allow a name that does not start with XX_"},
			&cli.BoolFlag{Name: "no-standard-columns", Usage: "leave out the nine standard columns"},
			&cli.BoolFlag{Name: "no-sync", Usage: "do not change the database"},
			&cli.BoolFlag{Name: "create-window", Usage: "add a window with a tab and one field per column (Created, Updated and the like are not displayed), its menu entry, and access for the role that is logged in"},
			&cli.StringFlag{Name: "format", Usage: "how to bring it into the ERP: rest, pack, migration or sql (default: rest)"},
			&cli.BoolFlag{Name: "offline", Usage: "write migration scripts; no server is needed"},
			&cli.StringFlag{Name: "plugin", Usage: "write a package into this plugin's folder: META-INF/2Pack_X.Y.Z.zip, the one form of name that the ERP's activators read", TakesFile: true},
			&cli.BoolFlag{Name: "full", Usage: "look up in the ERP's database what foreign keys and terms lead to"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and do nothing"},
			&cli.BoolFlag{Name: "continue-on-error", Usage: "continue with the steps that do not need the failed one"},
			&cli.BoolFlag{Name: "resume", Usage: "continue where an earlier run stopped"},
			&cli.StringFlag{Name: "checkpoint", Usage: "file that keeps the state of the run until it is done (default XX_TABLE.checkpoint.json)", TakesFile: true},
			&cli.IntFlag{Name: "batch", Value: 50, Usage: "records per request, which is one transaction; 1 sends a request per record: table, columns with their elements, then the synchronisation"},
			&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables, where it is not the ERP's own"},
		}, scriptFlags()...),
		Action: a.addTable,
	}
}

func (a *app) addTable(c *cli.Context) error {
	if c.NArg() != 1 {
		return shell.Usagef("add table takes one table name such as XX_Demo, got %d arguments", c.NArg())
	}
	format, err := chooseFormat(c)
	if err != nil {
		return err
	}
	if err := a.checkDelivery(c, format); err != nil {
		return err
	}
	if c.IsSet("target-table") && !c.Bool("import") {
		return shell.Usagef("--target-table belongs to --import")
	}
	run := format.onServer() && !c.Bool("dry-run")
	from, err := a.tableSources(c, run)
	if err != nil {
		return err
	}
	table, err := a.describeTable(c, from, run)
	if err != nil {
		return err
	}
	plan, err := dict.NewPlan(&dict.Options{NoSync: c.Bool("no-sync"), AnyPrefix: c.Bool("any-prefix"), Element: from.element}, table)
	switch {
	case err != nil:
		return shell.Usage(err)
	case c.Bool("dry-run"):
		return a.showPlanAndDDL(c, plan, format.name, from.reference)
	case run:
		return a.runTable(c, from.client, plan, table)
	}
	return format.writePlan(a, c, plan, knowledge{reference: from.reference})
}

// describeTable is the table the flags ask for, with what they take from elsewhere:
// the columns of an import table's target, and for whom a window is.
func (a *app) describeTable(c *cli.Context, from tableSources, run bool) (dict.Table, error) {
	table, err := tableFromFlags(c)
	if err != nil {
		return table, err
	}
	if target := c.String("target-table"); target != "" {
		columns, err := from.targetColumns(c.Context, target)
		if err != nil {
			return table, err
		}
		table = table.ImportInto(target, columns)
	}
	if c.Bool("create-window") {
		w := dict.Window{}
		if run {
			if role, ok := a.currentRole(c); ok {
				w.Roles = []int{role}
			}
		}
		table = table.WithWindow(w)
	}
	return table, nil
}

// runTable runs the plan of a table on the server, and tells what came of it.
func (a *app) runTable(c *cli.Context, client *erp.Client, plan *dict.Plan, table dict.Table) error {
	result, err := plans.Run(c.Context, a.Shell, client, plan, runOptions(c, table.Name+".checkpoint.json"))
	if err != nil {
		return err
	}
	return plans.ReportTable(a.Shell, c, table, plan, result)
}

// tableFromFlags describes the table the flags ask for.
func tableFromFlags(c *cli.Context) (dict.Table, error) {
	t := dict.NewTable(c.Args().First()).
		WithDescription(c.String("description")).
		WithAccessLevel(dict.AccessLevel(strconv.Itoa(c.Int("access-level")))).
		WithEntityType(c.String("entity-type"))
	t.Replication = dict.Replication(c.String("replication"))
	t.ChangeLog, t.HighVolume, t.NotDeleteable = c.Bool("changelog"), c.Bool("high-volume"), c.Bool("no-delete")
	t.Security, t.View, t.Partition, t.Drill = c.Bool("security"), c.Bool("view"), c.Bool("partition"), c.Bool("drill")
	if !c.Bool("no-standard-columns") {
		t = t.With(dict.Standard)
	}
	for _, f := range []struct {
		flag     string
		template dict.Template
	}{
		{"document", dict.Document}, {"accounting", dict.Accounting}, {"with-name", dict.ValueName},
		{"with-description", dict.Description}, {"tree", dict.Tree}, {"import", dict.Import},
	} {
		if c.Bool(f.flag) {
			t = t.With(f.template)
		}
	}
	for _, text := range c.StringSlice("column") {
		col, err := columnFromFlag(text)
		if err != nil {
			return t, err
		}
		t = t.Column(col)
	}
	return t, nil
}

// columnFromFlag reads NAME:TYPE, followed by the length and by mandatory where wanted.
func columnFromFlag(text string) (dict.Column, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		return dict.Column{}, shell.Usagef("--column %q is not of the form NAME:TYPE, such as Title:String or C_BPartner_ID:Search", text)
	}
	typ, err := displayType(parts[1])
	if err != nil {
		return dict.Column{}, err
	}
	col := dict.Column{Name: parts[0], Type: typ}
	for _, part := range parts[2:] {
		if part == "mandatory" {
			col.Mandatory = true
			continue
		}
		if col.Length, err = strconv.Atoi(part); err != nil || col.Length <= 0 {
			return col, shell.Usagef("--column %q has %q where a length or mandatory may follow", text, part)
		}
	}
	return col, nil
}

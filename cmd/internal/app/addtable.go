package app

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
)

func (a *app) addCommand() *cli.Command {
	return &cli.Command{
		Name: "add", Usage: "add a table to the dictionary, or a component to a plugin",
		Subcommands: append([]*cli.Command{a.addTableCommand()}, a.addComponentCommands()...),
	}
}

func (a *app) dictCommand() *cli.Command {
	return &cli.Command{
		Name: "dict", Usage: "work with the dictionary",
		Subcommands: append([]*cli.Command{{
			Name: "add", Usage: "add to the dictionary",
			Subcommands: []*cli.Command{a.addTableCommand()},
		}}, a.dictCodeCommands()...),
	}
}

func (a *app) addTableCommand() *cli.Command {
	return &cli.Command{
		Name: "table", Usage: "make a table: its record, its columns, and the table in the database", ArgsUsage: "XX_TABLE",
		Description: "Makes the AD_Table record, the nine standard columns and those of the templates asked for, and\n" +
			"synchronises the table with the database. A run that breaks off leaves a checkpoint; --resume goes on.\n" +
			"Other formats write files: migration scripts for both databases, a package, or plain DDL to look at.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "description", Usage: "description of the table"},
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
			&cli.BoolFlag{Name: "drill", Usage: "offer it when drilling (IsShowInDrillOptions)"},
			&cli.IntFlag{Name: "access-level", Value: 3, Usage: "1 organization, 2 client, 3 client+organization, 4 system, 6 system+client, 7 all"},
			&cli.StringFlag{Name: "entity-type", Value: dict.DefaultEntityType, Usage: "owner of the dictionary records"},
			&cli.StringFlag{Name: "replication", Value: "L", Usage: "replication: L local, M merge, R reference"},
			&cli.BoolFlag{Name: "import", Usage: "make an import table"},
			&cli.StringFlag{Name: "target-table", Usage: "table that the import table feeds; its columns are added"},
			&cli.BoolFlag{Name: "any-prefix", Usage: "allow a name that does not start with XX_"},
			&cli.BoolFlag{Name: "no-standard-columns", Usage: "leave out the nine standard columns"},
			&cli.BoolFlag{Name: "no-sync", Usage: "leave the database alone"},
			&cli.BoolFlag{Name: "create-window", Usage: "add a window with a tab and one field per column (those that say when and by whom are not displayed), its menu entry, and access for the role that is logged in"},
			&cli.StringFlag{Name: "format", Usage: "how to bring it in: rest, pack, migration or sql (default: rest)"},
			&cli.BoolFlag{Name: "offline", Usage: "write migration scripts; no server is needed"},
			&cli.StringFlag{Name: "plugin", Usage: "write a package into this plugin's folder: META-INF/2Pack_X.Y.Z.zip, the one form of name that the ERP's activators read", TakesFile: true},
			&cli.BoolFlag{Name: "full", Usage: "ask the ERP's database what foreign keys and terms lead to"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and do nothing"},
			&cli.BoolFlag{Name: "continue-on-error", Usage: "go on with the steps that do not need the failed one"},
			&cli.BoolFlag{Name: "resume", Usage: "go on where an earlier run stopped"},
			&cli.StringFlag{Name: "checkpoint", Usage: "file that keeps the state of the run until it is done (default XX_TABLE.checkpoint.json)", TakesFile: true},
			&cli.IntFlag{Name: "batch", Value: 50, Usage: "records per request, which is one transaction; 1 sends a request per record: table, columns with their elements, then the synchronisation"},
			&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables, where it is not the ERP's own"},
		}, scriptFlags()...),
		Action: a.addTable,
	}
}

func (a *app) addTable(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("add table takes one table name such as XX_Demo, got %d arguments", c.NArg())
	}
	format, err := chooseFormat(c)
	if err != nil {
		return err
	}
	if err := a.checkDelivery(c, format); err != nil {
		return err
	}
	if c.IsSet("target-table") && !c.Bool("import") {
		return usagef("--target-table belongs to --import")
	}
	table := tableFromFlags(c)
	opts := &dict.Options{NoSync: c.Bool("no-sync"), AnyPrefix: c.Bool("any-prefix")}
	var resolve func(string) (string, string, bool)
	var catalog *registry.Catalog
	if c.Bool("full") {
		url, err := a.needDatabase(c, "--full")
		if err != nil {
			return err
		}
		if catalog, err = a.databaseCatalog(c, url); err != nil {
			return err
		}
		resolve, opts.Element = ddl.Resolver(c.Context, catalog), officialElement(c.Context, catalog)
	}
	target := c.String("target-table")
	var client *erp.Client
	if format == formatREST && !c.Bool("dry-run") || target != "" && catalog == nil {
		if client, err = a.client(c); err != nil {
			return noServer(err)
		}
	}
	if target != "" {
		columns, err := a.targetColumns(c.Context, client, catalog, target)
		if err != nil {
			return err
		}
		table = table.ImportInto(target, columns)
	}
	if c.Bool("create-window") {
		w := dict.Window{}
		if format == formatREST && !c.Bool("dry-run") {
			if role, ok := a.currentRole(c); ok {
				w.Roles = []int{role}
			}
		}
		table = table.WithWindow(w)
	}
	plan, err := dict.NewPlan(opts, table)
	if err != nil {
		return usageErr{err}
	}
	if c.Bool("dry-run") {
		return a.showPlanAndDDL(c, plan, format, resolve)
	}
	if format != formatREST {
		return a.deliver(c, plan, format, knowledge{reference: resolve})
	}
	checkpoint := c.String("checkpoint")
	if checkpoint == "" {
		checkpoint = table.Name + ".checkpoint.json"
	}
	run := &restdict.Options{
		ContinueOnError: c.Bool("continue-on-error"),
		Checkpoint:      checkpoint,
		Resume:          c.Bool("resume"),
		BatchSize:       c.Int("batch"),
	}
	if p := c.String("sync-process"); p != "" {
		run.Processes = map[dict.Purpose]string{dict.SyncTable: p}
	}
	result, err := a.runPlan(c.Context, client, plan, run)
	if err != nil {
		return err
	}
	return a.reportTable(c, table, plan, result)
}

// tableFromFlags describes the table the flags ask for.
func tableFromFlags(c *cli.Context) dict.Table {
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
	return t
}

// showPlan prints what a plan would do.
func (a *app) showPlan(c *cli.Context, plan *dict.Plan) error {
	if c.Bool("json") {
		return a.printJSON(map[string]any{"name": plan.Name(), "fingerprint": plan.Fingerprint(), "steps": plan.Rows()})
	}
	var rows [][]string
	for _, r := range plan.Rows() {
		rows = append(rows, []string{strconv.Itoa(r.Number), r.Action, r.Kind, r.Name, r.Detail})
	}
	a.printTable([]string{"#", "action", "what", "name", "detail"}, rows)
	s := plan.Summary()
	_, err := fmt.Fprintf(a.streams.Out, "\n%d columns; nothing was done\n", s.Columns)
	return err
}

// runPlan runs a plan with a progress bar for people.
func (a *app) runPlan(ctx context.Context, client *erp.Client, plan *dict.Plan, opts *restdict.Options) (*restdict.Result, error) {
	if opts.Checkpoint != "" {
		if err := makeFolder(opts.Checkpoint); err != nil {
			return nil, err
		}
	}
	var notes []string
	bar := a.progress(plan.Len(), plan.Name())
	opts.Observe = func(e restdict.Event) {
		switch e.Kind {
		case restdict.StepStarted:
			bar.describe(e.Step.Title())
		case restdict.StepDone, restdict.StepSkipped, restdict.StepFailed, restdict.StepWaiting:
			bar.add()
		case restdict.Note:
			notes = append(notes, e.Text)
		}
	}
	result, err := restdict.Run(ctx, client, plan, opts)
	bar.done()
	for _, n := range notes {
		a.note("%s", n)
	}
	return result, err
}

// tableReport is what add table tells a machine.
type tableReport struct {
	Table    string            `json:"table"`
	ID       string            `json:"id,omitempty"`
	Columns  int               `json:"columns"`
	Made     int               `json:"made"`
	Found    int               `json:"found"`
	Synced   bool              `json:"synced"`
	Messages []string          `json:"messages"`
	Differs  []tableDifference `json:"differs"`
	Millis   int64             `json:"millis"`
}

// tableDifference is a record that was there with another value.
type tableDifference struct {
	Step string `json:"step"`
	restdict.Difference
}

func (a *app) reportTable(c *cli.Context, table dict.Table, plan *dict.Plan, result *restdict.Result) error {
	r := tableReport{
		Table: table.Name, Columns: plan.Summary().Columns, Messages: []string{}, Differs: []tableDifference{},
		Made: result.Count(restdict.Made), Found: result.Count(restdict.Found),
		Synced: result.Count(restdict.Ran) > 0, Millis: result.Took.Milliseconds(),
	}
	for _, s := range result.Steps {
		if step, _ := plan.Step(s.Key); step != nil {
			if rec, ok := step.(*dict.RecordStep); ok && rec.Table == "AD_Table" && rec.Action != dict.Update && rec.Name == table.Name && !s.ID.IsZero() {
				r.ID = s.ID.String()
			}
		}
		if s.Message != "" {
			r.Messages = append(r.Messages, s.Message)
		}
		for _, d := range s.Differences {
			r.Differs = append(r.Differs, tableDifference{s.Title, d})
		}
	}
	if c.Bool("json") {
		return a.printJSON(r)
	}
	fmt.Fprintf(a.streams.Out, "%s: %d columns; %d records made, %d were there already\n", r.Table, r.Columns, r.Made, r.Found)
	for _, d := range r.Differs {
		fmt.Fprintf(a.streams.Out, "  left as it was: %s has %s %q, not %q\n", printable(d.Step), d.Column, printable(d.Has), printable(d.Wanted))
	}
	if r.Synced {
		fmt.Fprintf(a.streams.Out, "the database table is there; read it with `erphub record list %s`\n", table.Name)
	}
	return nil
}

package dictionary

import (
	"cmp"
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/tablefile"
)

// dictCodeCommands are the commands that treat the dictionary as code: table
// definitions in files, compared with an ERP and brought into it.
func (a *app) dictCodeCommands() []*cli.Command {
	files := &cli.StringSliceFlag{Name: "file", Aliases: []string{"f"}, Usage: "file or directory with table definitions; may be given several times", TakesFile: true}
	anyPrefix := &cli.BoolFlag{Name: "any-prefix", Usage: "accept tables whose names do not start with XX_"}
	compare := []cli.Flag{files, anyPrefix}
	checkpoint := &cli.StringFlag{Name: "checkpoint", Value: defaultCheckpoint, Usage: "file that keeps the state of a run of dict apply until it is done", TakesFile: true}
	output := &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file to write to instead of standard output", TakesFile: true}
	run := []cli.Flag{
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
		&cli.BoolFlag{Name: "dry-run", Usage: "show the plan and do nothing, as dict plan"},
		&cli.BoolFlag{Name: "allow-destructive", Usage: "allow changes that can lose content or remove something"},
		checkpoint,
		&cli.IntFlag{Name: "batch", Value: 25, Usage: "records per request; 1 sends each on its own"},
		&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables, where it is not the ERP's own"},
	}
	return []*cli.Command{
		{
			Name: "inspect", Usage: "write the definition of tables that the ERP has, as YAML", ArgsUsage: "[TABLE | PATTERN]...", Action: a.dictInspect,
			Description: "Names and patterns, such as 'XX_*' (in quotes). What is left out has its default; comparing the definition with the ERP finds no difference. Into a folder\n" +
				"(--output tables/), each table is written to a file of its own.",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "all", Usage: "every active table of the ERP, in place of names"},
				&cli.StringFlag{Name: "entity-type", Usage: "only tables that belong to this entity type, such as U"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file or folder to write to instead of standard output; a folder ends in / or is there already", TakesFile: true},
			},
		},
		{
			Name: "diff", Usage: "compare definitions with the ERP; exit code 5 when they differ", ArgsUsage: "[PATH...]",
			Flags:  slices.Concat(compare, []cli.Flag{checkpoint}, shell.DatabaseFlags(), shell.ValueFlags()),
			Action: a.dictDiff,
			Description: "Changes nothing. The exit code is 0 when the ERP is as the files say, and 5 when it is not, so that a " +
				"build server can watch for drift. A table that the ERP cannot read, because its dictionary is ahead of its database, is drift. A run of dict apply that did not come to its end, whose checkpoint is in\n" +
				"the working directory, is drift as well. With --database, the tables of the database are compared with the " +
				"dictionary, too: columns, their types, defaults and nullability, and foreign keys.",
		},
		{
			Name: "plan", Usage: "show what apply would do", ArgsUsage: "[PATH...]", Action: a.dictPlan,
			Description: "Changes nothing. --out saves the plan: `erphub dict apply FILE` carries out this plan and no other, and refuses when\n" +
				"the ERP was changed in the meantime. What `erphub dict lint` finds is shown below the changes.",
			Flags: slices.Concat([]cli.Flag{
				&cli.BoolFlag{Name: "steps", Usage: "show the single steps, too"},
				&cli.StringFlag{Name: "out", Usage: "file to save the plan to, for dict apply", TakesFile: true},
				&cli.BoolFlag{Name: "exit-code", Usage: "exit with 5 when there are changes"},
				&cli.StringFlag{Name: "comment", Usage: "file for a comment on a merge request, in Markdown; - is standard output, instead of the plan", TakesFile: true},
			}, compare, shell.DatabaseFlags(), shell.ValueFlags()),
		},
		{
			Name: "apply", Usage: "change the ERP to match the definitions", ArgsUsage: "[PATH... | PLAN.json]", Action: a.dictApply,
			Description: "Shows the changes, and what `erphub dict lint` finds, and asks before anything is done; without a terminal --yes is needed.\n" +
				"What cannot succeed over the rows there are is refused. Columns of a table that the ERP refuses to synchronise are taken back.\n" +
				"What was removed from a file is deactivated (IsActive=N), not deleted. A run that stops early leaves a checkpoint;\n" + "--resume continues from it.\n" +
				"Other formats write files with the changes and leave the ERP as it is, unless --apply is given.\n\n" +
				"--rehearse carries the changes out on a fresh copy of a twin (see `erphub sandbox clone`), with the rows there are, " +
				"and says what became of them. The ERP itself is left alone, and no login is needed. The exit code is 1 when the ERP " +
				"would refuse a change, and when the twin lacks the rows that it depends on.",
			Flags: append([]cli.Flag{
				&cli.BoolFlag{Name: "sync-all", Usage: "synchronise every table with the database, including those without changes"},
				&cli.StringFlag{Name: "format", Usage: "how to bring them into the ERP: rest, pack, migration or sql (default: rest); all but rest write files"},
				&cli.StringFlag{Name: "plugin", Usage: "write a package into this plugin's folder", TakesFile: true},
				&cli.BoolFlag{Name: "resume", Usage: "continue where an earlier run stopped"},
				&cli.StringFlag{Name: "rehearse", Usage: "folder of a twin: apply to a copy of it that is removed afterwards, and leave the ERP alone", TakesFile: true},
				&cli.BoolFlag{Name: "continue-on-error", Usage: "continue with the steps that do not need the failed one"},
			}, slices.Concat(run, scriptFlags(), compare)...),
		},
		a.dictUndoCommand(run),
		a.dictLintCommand(compare),
		a.dictDiagramCommand(),
		{Name: "schema", Usage: "print the JSON Schema of definition files", Flags: []cli.Flag{output}, Action: a.dictSchema},
	}
}

// catalog reads the whole dictionary of the ERP.
func (a *app) catalog(ctx context.Context, client *erp.Client) (*registry.Catalog, error) {
	return registry.LoadCatalog(ctx, a.source(client))
}

// manyTables is from how many tables on reading the whole dictionary takes less
// than reading what concerns them.
const manyTables = 150

// part reads what concerns a scope from the dictionary of the ERP.
func (a *app) part(ctx context.Context, client *erp.Client, scope registry.Scope) (*registry.Catalog, error) {
	if len(scope.Tables) > manyTables {
		return a.catalog(ctx, client)
	}
	return registry.LoadScope(ctx, a.source(client), scope)
}

func (a *app) source(client *erp.Client) registry.Source {
	return restdict.NewSource(client, &restdict.SourceOptions{Logger: a.Log})
}

func (a *app) dictSchema(c *cli.Context) error { return a.WriteOutput(c, tablefile.Schema()) }

// comparison is what diff, plan and apply begin with.
type comparison struct {
	client *erp.Client
	reg    registry.Registry
	set    *tablefile.Set
	tables []dict.Table
	result *diff.Result
}

// definitions reads the files and folders that are named.
func definitions(c *cli.Context) (*tablefile.Set, error) {
	paths := append(c.StringSlice("file"), c.Args().Slice()...)
	if len(paths) == 0 {
		return nil, shell.Usagef("no definitions: name a file or a folder, such as `erphub dict %s tables/`", c.Command.Name)
	}
	for _, path := range paths {
		if isPlanFile(path) {
			return nil, shell.Usagef("%s is not a definition: a saved plan goes to dict apply, alone", path)
		}
	}
	set, err := tablefile.Load(paths...)
	return set, shell.Usage(err)
}

// compared reads the files, checks them, and compares them with the ERP.
func (a *app) compared(c *cli.Context) (*comparison, error) {
	return a.comparedWith(c, func() (*erp.Client, error) { return a.Client(c) })
}

// comparedWith compares them with the ERP that a client is connected to. What is wrong
// with the definitions alone is the error only if the ERP cannot be read: the ERP may
// know the tables as they are.
func (a *app) comparedWith(c *cli.Context, connect func() (*erp.Client, error)) (*comparison, error) {
	set, err := definitions(c)
	if err != nil {
		return nil, err
	}
	opts := &dict.Options{AnyPrefix: c.Bool("any-prefix")}
	imports := slices.ContainsFunc(set.Tables(), wantsColumns)
	var wrong error
	if !imports {
		wrong = set.Validate(opts)
	}
	client, err := connect()
	if err != nil {
		return nil, orWrong(wrong, err)
	}
	if imports {
		if set, err = importTargets(c.Context, client, set); err != nil {
			return nil, err
		}
		wrong = set.Validate(opts)
	}
	tables := set.Tables()
	reg, err := a.part(c.Context, client, diff.Scope(tables...))
	if err != nil {
		return nil, orWrong(wrong, err)
	}
	if wrong != nil {
		known := *opts
		known.Known = diff.Known(c.Context, reg)
		if err := set.Validate(&known); err != nil {
			return nil, shell.Usage(err)
		}
	}
	result, err := diff.Compare(c.Context, reg, opts, tables...)
	if err != nil {
		return nil, definitionError(set.Locate(err))
	}
	return &comparison{client, reg, set, tables, result}, addBehind(c.Context, client, result)
}

// orWrong returns what is wrong with the definitions, if anything is, else what failed.
func orWrong(wrong, err error) error {
	if wrong != nil {
		return shell.Usage(wrong)
	}
	return err
}

// wantsColumns reports whether a table imports into one whose columns it does not name.
func wantsColumns(t dict.Table) bool { return t.Target != nil && len(t.Target.Columns) == 0 }

// importTargets adds the columns of the tables that import tables feed.
func importTargets(ctx context.Context, client *erp.Client, set *tablefile.Set) (*tablefile.Set, error) {
	tables := set.Tables()
	for i, t := range tables {
		if !wantsColumns(t) {
			continue
		}
		columns, err := restdict.ReadColumns(ctx, client, t.Target.Table)
		if err != nil {
			return nil, err
		}
		tables[i].Target = &dict.ImportTarget{Table: t.Target.Table, Columns: columns}
	}
	return set.Replace(tables), nil
}

// defaultCheckpoint is where dict apply keeps the state of a run.
const defaultCheckpoint = "dict-apply.checkpoint.json"

// runOptions are how a plan is run, as the flags say; checkpoint is the file without one.
func runOptions(c *cli.Context, checkpoint string) *restdict.Options {
	opts := &restdict.Options{
		ContinueOnError: c.Bool("continue-on-error"),
		Checkpoint:      cmp.Or(c.String("checkpoint"), checkpoint),
		Resume:          c.Bool("resume"),
		BatchSize:       c.Int("batch"),
	}
	if p := c.String("sync-process"); p != "" {
		opts.Processes = map[dict.Purpose]string{dict.SyncTable: p}
	}
	return opts
}

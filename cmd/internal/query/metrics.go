package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
)

func (a *app) metricsCommand() *cli.Command {
	folder := &cli.StringFlag{Name: "metrics", Usage: "folder with definitions of your own, which replace built-in ones of the same name", TakesFile: true}
	return &cli.Command{
		Name: "metrics", Usage: "compute numbers with a definition: receivables, revenue, orders, stock, cash",
		Description: "A metric is defined once, in words and SQL: what counts, by which date, in which currency. It is computed by the AI " +
			"integration API (see `erphub query`) from the records your role sees. docs/metrics.md tells how to define your own.",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the metrics", Flags: append(shell.OutputFlags(), folder), Action: shell.Takes(a.metricsList)},
			{Name: "show", Usage: "show what a metric counts, by what it can be divided and filtered, and its SQL", ArgsUsage: "NAME", Flags: append(shell.ValueFlags(), folder), Action: shell.Takes(a.metricsShow, "NAME")},
			{
				Name: "query", Usage: "compute a metric", ArgsUsage: "NAME",
				Flags: append(shell.OutputFlags(),
					folder,
					&cli.StringSliceFlag{Name: "by", Usage: "dimension to divide by; repeatable"},
					&cli.GenericFlag{Name: "filter", Usage: "NAME=VALUE: count only these; % in a text is a wildcard, NAME== compares exactly, repeated values of a name are alternatives", Value: &shell.Texts{}},
					&cli.StringFlag{Name: "from", Usage: "`DAY` on which the period begins: 2026-01-01"},
					&cli.StringFlag{Name: "to", Usage: "`DAY` on which it ends"},
					&cli.StringFlag{Name: "as-of", Usage: "`DAY` at whose end a state is asked for", DefaultText: "today"},
					&cli.StringFlag{Name: "currency", Usage: "ISO code of the currency of amounts", DefaultText: "that of the accounting schema"},
					&cli.StringFlag{Name: "rate-date", Usage: "day whose rates convert amounts: document, asOf or a day", DefaultText: "document: the day of each record"},
					&cli.IntFlag{Name: "top", Usage: "how many rows at most, the greatest first", DefaultText: "100"},
					&cli.StringSliceFlag{Name: "order", Usage: "column to sort by, with - in front for descending; repeatable"},
					&cli.BoolFlag{Name: "rows", Usage: "list the records behind the number"},
					&cli.BoolFlag{Name: "sql", Usage: "print the statement to standard error, too"},
					&cli.IntFlag{Name: "role", Aliases: []string{"ai-role-id"}, DefaultText: "that of the login", Usage: "number of the role to query with (" + aiclient.EnvRole + ")"},
					&cli.StringFlag{Name: "ai-api-url", Usage: "address of the AI API, with or without /api/ai (" + aiclient.EnvURL + ")"},
				),
				Action: shell.Takes(a.metricsQuery, "NAME"),
			},
			{
				Name: "check", Usage: "check definitions: names, members, SQL", ArgsUsage: "[DIR]",
				Description: "Checks the definitions of a folder, without one the built-in ones. That needs no ERP. --online has the AI API check " +
					"each statement besides, without running it: whether tables and columns are there, and your role may read them.",
				Flags: append(shell.ValueFlags(),
					&cli.BoolFlag{Name: "online", Usage: "have the AI API check the statements, too"},
					&cli.IntFlag{Name: "role", Aliases: []string{"ai-role-id"}, DefaultText: "that of the login", Usage: "--online: number of the role (" + aiclient.EnvRole + ")"},
					&cli.StringFlag{Name: "ai-api-url", Usage: "--online: address of the AI API (" + aiclient.EnvURL + ")"},
				),
				Action: a.metricsCheck,
			},
		},
	}
}

// metricSet are the built-in definitions with those of a folder.
func metricSet(folder string) (*metrics.Set, error) {
	if folder == "" {
		return metrics.Load(nil)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, shell.Usagef("%s is not a folder: name one with .yaml files of metrics", folder)
	}
	set, err := metrics.Load(os.DirFS(folder))
	return set, shell.Usage(err)
}

func (a *app) metricsList(c *cli.Context) error {
	set, err := metricSet(c.String("metrics"))
	if err != nil {
		return err
	}
	type line struct {
		Name     string `json:"name"`
		Title    string `json:"title"`
		Builtin  bool   `json:"builtin"`
		Approval string `json:"approval"`
	}
	var lines []line
	var rows [][]string
	for _, d := range set.Definitions() {
		lines = append(lines, line{d.Name, d.Title, d.Source().Builtin, d.Approval.String()})
		from := "built in"
		if !d.Source().Builtin {
			from = d.Source().String()
		}
		rows = append(rows, []string{d.Name, d.Title, d.Approval.String(), from})
	}
	return a.Print(c, lines, output.Table{Columns: []output.Column{{Name: "metric", Key: "name"}, {Name: "title"}, {Name: "approval"}, {Name: "defined"}}, Rows: rows})
}

// metricText is a definition for people.
func metricText(d *metrics.Definition) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n\napproval: %s\ndates: %s\n", d.Name, d.Title, d.About, d.Approval, d.Date.About)
	if d.Currency != nil {
		fmt.Fprintf(&b, "currency: %s\n", d.Currency.About)
	}
	b.WriteString("\nmeasures:\n")
	for _, m := range d.Measures {
		fmt.Fprintf(&b, "  %-26s %s (%s)\n", m.Name, m.Title, m.Unit)
	}
	b.WriteString("dimensions, which are filters, too:\n")
	for _, dim := range d.AllDimensions() {
		fmt.Fprintf(&b, "  %-26s %s\n", dim.Name, dim.Title)
	}
	if len(d.Filters) > 0 {
		b.WriteString("filters:\n")
	}
	for _, f := range d.Filters {
		fmt.Fprintf(&b, "  %-26s %s %s\n", f.Name, f.Title, strings.Join(f.Values, ", "))
	}
	fmt.Fprintf(&b, "\ntables: %s\ndefined in: %s\n\n%s", strings.Join(d.Tables, ", "), d.Source(), d.SQL)
	if d.Where != "" {
		fmt.Fprintf(&b, "-- of these: %s\n", d.Where)
	}
	return b.String()
}

func (a *app) metricsShow(c *cli.Context) error {
	set, err := metricSet(c.String("metrics"))
	if err != nil {
		return err
	}
	d, err := set.Find(c.Args().First())
	if err != nil {
		return shell.Usage(err)
	}
	whole := *d
	whole.Dimensions, whole.Filters = d.AllDimensions(), d.AllFilters()
	return a.Print(c, whole, output.Table{Below: shell.Printable(metricText(d))})
}

// overClient runs the statements of a metric.
type overClient struct{ *aiclient.Client }

func (o overClient) Query(ctx context.Context, sql string, params []json.RawMessage, rows int) (*api.Result, error) {
	return o.Client.Query(ctx, clientQuery(sql, params, rows))
}

func clientQuery(sql string, params []json.RawMessage, rows int) aiclient.Query {
	q := aiclient.Query{SQL: sql, MaxRows: rows}
	for _, p := range params {
		q.Params = append(q.Params, p)
	}
	return q
}

// roleClient is the AI API with a role.
func (a *app) roleClient(c *cli.Context) (*aiclient.Client, error) {
	client, err := a.aiClient(c)
	if err != nil {
		return nil, err
	}
	if _, ok := client.Role(); !ok {
		return nil, shell.Usagef("which role? The login names none: give --role or set %s or ERP_ROLE_ID; `erphub query --roles` lists yours", aiclient.EnvRole)
	}
	return client, nil
}

func (a *app) metricsQuery(c *cli.Context) error {
	set, err := metricSet(c.String("metrics"))
	if err != nil {
		return err
	}
	q := metrics.Query{
		Metric: c.Args().First(), Dimensions: c.StringSlice("by"), From: c.String("from"), To: c.String("to"), AsOf: c.String("as-of"),
		Currency: c.String("currency"), RateDate: c.String("rate-date"), Top: c.Int("top"), Order: c.StringSlice("order"), Records: c.Bool("rows"), Filters: map[string][]string{},
	}
	for _, given := range shell.Given(c, "filter") {
		name, value, ok := strings.Cut(given, "=")
		if !ok {
			return shell.Usagef("--filter takes NAME=VALUE, not %q", given)
		}
		q.Filters[name] = append(q.Filters[name], value)
	}
	d, err := set.Find(q.Metric)
	if err != nil {
		return shell.Usage(err)
	}
	client, err := a.roleClient(c)
	if err == nil {
		err = a.metricCodes(c, d, q.Filters)
	}
	if err != nil {
		return err
	}
	r, err := metrics.NewEngine(set, overClient{client}, nil).Query(c.Context, q)
	var wrong *metrics.Error
	if errors.As(err, &wrong) {
		return shell.Usage(err)
	}
	if err != nil {
		return aiInput(err)
	}
	if c.Bool("sql") {
		fmt.Fprintln(a.Streams.Err, r.SQL)
	}
	return a.printMetric(c, r)
}

// metricCodes writes the codes of lists into filters where they have labels, as the tools
// of assistants do, and says so. Without the dictionary of an ERP they stay as they are:
// the AI API alone knows what a number is made of.
func (a *app) metricCodes(c *cli.Context, d *metrics.Definition, filters map[string][]string) error {
	for _, f := range d.AllFilters() {
		if f.List == "" || len(filters[f.Name]) == 0 {
			continue
		}
		client, err := a.Client(c)
		if err != nil {
			return nil //nolint:nilerr // the AI API may be all there is
		}
		r, err := values.New(client, values.NewDictionary(restdict.NewSource(client, nil)), values.Options{Inactive: true})
		if err != nil {
			return err
		}
		codes, notes, err := r.ListCodes(c.Context, f.List, filters[f.Name])
		var wrong *values.Error
		switch {
		case errors.As(err, &wrong):
			return shell.Input(fmt.Errorf("filter %s: %w", f.Name, err))
		case err != nil:
			a.Note("the values of filters are sent as they are: %v", err)
			return nil
		}
		for _, note := range notes {
			a.Note("%s %s", f.Name, note)
		}
		filters[f.Name] = codes
	}
	return nil
}

func (a *app) printMetric(c *cli.Context, r *metrics.Result) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	plain := &api.Result{Rows: r.Rows, RowCount: len(r.Rows)}
	for _, col := range r.Columns {
		plain.Columns = append(plain.Columns, api.Column{Name: col.Name})
	}
	at, err := chosenColumns(choice, plain.Columns)
	if err != nil {
		return err
	}
	columns := r.Columns
	if at != nil {
		columns, plain.Columns, plain.Rows = pickOf(columns, at), pickOf(plain.Columns, at), pickRows(r.Rows, at)
	}
	if choice.Format != output.FormatJSON && choice.Format != output.FormatYAML { // which say so themselves
		plain.Notes = r.Notes
		for i, line := range r.Counted.Lines() {
			if i == 0 {
				title := r.Definition.Title
				if !r.Definition.Source().Builtin { // the others are certified, all alike
					title += " (" + r.Definition.Approval.String() + ")"
				}
				line = title + ": " + line
			}
			a.Note("%s", line)
		}
	}
	err = a.printRows(c, choice, map[string]any{
		"metric": r.Definition.Name, "about": r.Definition.About, "approval": r.Definition.Approval.String(), "columns": columns, "rows": plain.Rows, "truncated": r.Truncated, "counted": r.Counted,
		"sql": r.SQL, "params": r.Params, "notes": append([]string{}, r.Notes...),
	}, plain)
	if err == nil && r.Truncated && choice.Format != output.FormatJSON && choice.Format != output.FormatYAML {
		a.Note("there are more rows than the %d shown: request more with --top (at most 1000), filter, or group by fewer dimensions", len(r.Rows))
	}
	return err
}

func (a *app) metricsCheck(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("metrics check takes one folder, got %s", shell.Count(c.NArg(), "argument", "arguments"))
	}
	set, err := metricSet(c.Args().First())
	if err != nil {
		return err
	}
	if c.NArg() > 0 {
		set = set.Own()
	}
	problems, err := set.Check(c.Context, nil)
	if err != nil {
		return err
	}
	if c.Bool("online") && len(problems) == 0 {
		client, err := a.roleClient(c)
		if err != nil {
			return err
		}
		if problems, err = onlineProblems(c.Context, client, set); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(shell.Printable(p.String()) + "\n")
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	if len(problems) == 0 && choice.ForPeople() {
		a.Note("%s checked, no problems", shell.Count(len(set.Definitions()), "definition", "definitions"))
	}
	if err := a.PrintAs(c, choice, append([]metrics.Problem{}, problems...), output.Table{Below: b.String()}); err != nil {
		return err
	}
	if len(problems) > 0 {
		return shell.ErrReported
	}
	return nil
}

// onlineProblems are what the AI API refuses of the statements of definitions.
func onlineProblems(ctx context.Context, client *aiclient.Client, set *metrics.Set) ([]metrics.Problem, error) {
	var problems []metrics.Problem
	for _, d := range set.Definitions() {
		q := metrics.Query{Currency: "EUR"}
		if d.Date.Kind == metrics.AsOf {
			q.AsOf = "2026-01-31"
		}
		for _, dim := range d.AllDimensions() {
			q.Dimensions = append(q.Dimensions, dim.Name)
		}
		s, err := metrics.Compile(d, q)
		if err != nil {
			return nil, err
		}
		_, err = client.Explain(ctx, clientQuery(s.SQL, s.Params, 0))
		var refused *api.Error
		switch {
		case err == nil:
		case errors.As(err, &refused) && refused.Code.Status() < 500 && refused.Code != api.CodeUnauthenticated:
			problems = append(problems, metrics.Problem{Where: d.Source().String(), Metric: d.Name, Message: refused.Message, Hint: refused.Hint})
		default:
			return nil, err
		}
	}
	return problems, nil
}

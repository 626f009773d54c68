package deploy

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
)

func (a *app) deployCompareCommand() *cli.Command {
	return &cli.Command{
		Name: "compare", Usage: "compare what runs in two environments, and what a promotion would bring", ArgsUsage: "TO FROM",
		Description: "Shows the versions and components that run in both, since when, and the runs that bringing the version of " +
			"FROM to TO would bring, as in `erphub env deploy compare PROD STAGING`. Components are those that runs were " +
			"recorded with (--components); a component without a version has that of its run.",
		Flags: append(shell.OutputFlags(),
			clientFlag(),
			&cli.IntFlag{Name: "depth", Value: 300, Usage: "how many runs of each environment to look at"},
			&cli.BoolFlag{Name: "all", Usage: "components that are the same in both, too"},
		),
		Action: a.deployCompare,
	}
}

func (a *app) deployCompare(c *cli.Context) error {
	if c.NArg() != 2 {
		return shell.Usagef("compare which environments? name two, such as erphub env deploy compare PROD STAGING")
	}
	q := deploylog.CompareQuery{Depth: c.Int("depth")}
	var err error
	for i, into := range []*deploylog.Environment{&q.To, &q.From} {
		if *into, err = deploylog.ParseEnvironment(c.Args().Get(i)); err != nil {
			return shell.Usage(err)
		}
	}
	if q.Depth < 1 {
		return shell.Usagef("--depth is a number of runs, 1 or more, not %d", q.Depth)
	}
	if q.Client, err = clientID(c); err != nil {
		return err
	}
	log, err := a.deployLog(c)
	if err != nil {
		return err
	}
	list, err := log.Compare(c.Context, q)
	if err != nil {
		return deployError(err)
	}
	rows := [][]string{}
	var below strings.Builder
	for _, cmp := range list {
		rows = append(rows, compareRows(&cmp, c.Bool("all"))...)
		writePromotion(&below, &cmp, len(list) > 1)
	}
	if len(list) > 0 { // by their codes
		q.To, q.From = list[0].To.Environment, list[0].From.Environment
	}
	columns := output.Columns("differs", "client", "component", string(q.To), string(q.To)+" since", string(q.From), string(q.From)+" since")
	columns[1].Wide = len(list) < 2
	return a.Print(c, map[string]any{"comparisons": list}, output.Table{
		Columns: columns, Rows: rows, List: "comparisons", Below: below.String(),
		Empty: fmt.Sprintf("no run has ended in %s or %s yet", q.To, q.From),
	})
}

// compareRows are the version and the components of a tenant; what differs is
// marked.
func compareRows(c *deploylog.Comparison, all bool) [][]string {
	rows := [][]string{{mark(c.To.Version != c.From.Version), c.Client.Identifier, "(version)", shell.OrDash(c.To.Version), moment(c.To.Since), shell.OrDash(c.From.Version), moment(c.From.Since)}}
	for _, d := range c.Rows {
		if !d.Differs && !all {
			continue
		}
		row := []string{mark(d.Differs), c.Client.Identifier, d.Name, "-", "-", "-", "-"}
		for i, in := range []*deploylog.InstalledComponent{d.To, d.From} {
			if in != nil {
				row[3+2*i], row[4+2*i] = in.Version, moment(in.Since)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func mark(differs bool) string {
	if differs {
		return "*"
	}
	return ""
}

// writePromotion says what a promotion would bring, run by run.
func writePromotion(b *strings.Builder, c *deploylog.Comparison, tenants bool) {
	p := &c.Promotion
	b.WriteString("\n")
	if tenants {
		fmt.Fprintf(b, "%s: ", shell.Printable(c.Client.Identifier))
	}
	b.WriteString(shell.Printable(describePromotion(c)) + "\n")
	for _, run := range p.Runs {
		fmt.Fprintf(b, "  %s  run %s  %s  %s\n", moment(run.DateCompleted), run.ID, shell.Printable(shell.OrDash(run.Version)), shell.Printable(run.By()))
		for line := range strings.Lines(run.Changes) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintf(b, "      %s\n", shell.Printable(line))
			}
		}
	}
	if !p.Complete {
		b.WriteString("  and perhaps older ones; --depth looks at more\n")
	}
}

func describePromotion(c *deploylog.Comparison) string {
	p := &c.Promotion
	switch {
	case p.Relation == deploylog.Same:
		return fmt.Sprintf("%s and %s run the same version", p.To, p.From)
	case c.From.Version == "":
		return fmt.Sprintf("nothing runs in %s that could be promoted", p.From)
	case p.Relation == deploylog.Behind:
		return fmt.Sprintf("%s is behind: %s had %s before", p.From, p.To, c.From.Version)
	case p.Relation == deploylog.Unclear:
		return fmt.Sprintf("%s never ran in %s; runs there since %s got it (%s):", shell.OrDash(c.To.Version), p.From, p.To, shell.Count(len(p.Runs), "run", "runs"))
	}
	return fmt.Sprintf("bringing %s to %s would bring %s:", c.From.Version, p.To, shell.Count(len(p.Runs), "run", "runs"))
}

package dictionary

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/restcount"
	"github.com/erphub/erphub/cmd/internal/review"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/tablefile"
)

func (a *app) dictLintCommand(compare []cli.Flag) *cli.Command {
	return &cli.Command{
		Name: "lint", Usage: "check what definitions would lose, what the ERP would refuse, and what looks like a mistake", ArgsUsage: "[PATH...]", Action: a.dictLint,
		Description: "Changes nothing. The exit code is 1 when there is an error, with --strict also for a warning. Rows are counted over REST, which " +
			"sees those of the login's tenant; --database counts all of them. --rules lists the rules.",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "offline", Usage: "check the files alone, without an ERP"},
			&cli.StringSliceFlag{Name: "allow", Usage: "accept a finding: RULE, or RULE:XX_TABLE.COLUMN; may be given several times"},
			&cli.BoolFlag{Name: "strict", Usage: "fail for warnings, too"},
			&cli.BoolFlag{Name: "rules", Usage: "list the rules"},
		}, compare, shell.DatabaseFlags(), shell.OutputFlags()),
	}
}

// placed is a finding with its place in the definitions.
type placed struct {
	*tablefile.Position
	review.Finding
}

// lintReport is what lint tells a machine.
type lintReport struct {
	Findings []placed `json:"findings"`
	Errors   int      `json:"errors"`
	Warnings int      `json:"warnings"`
}

func (a *app) dictLint(c *cli.Context) error {
	if c.Bool("rules") {
		return a.lintRules(c)
	}
	for _, allow := range c.StringSlice("allow") {
		rule, _, _ := strings.Cut(allow, ":")
		if review.Rules()[strings.ToLower(rule)] == "" {
			return shell.Usagef("--allow %s: there is no rule %q; `erphub dict lint --rules` lists them", allow, rule)
		}
	}
	set, findings, err := a.lint(c)
	if err != nil {
		return err
	}
	r := lintReport{Findings: []placed{}}
	for _, f := range review.Without(findings, c.StringSlice("allow")...) {
		p := placed{Finding: f}
		if at, ok := set.Position(f.Where); ok {
			p.Position = &at
		}
		r.Findings = append(r.Findings, p)
		switch f.Severity {
		case review.Error:
			r.Errors++
		case review.Warning:
			r.Warnings++
		}
	}
	if err := a.printLint(c, r); err != nil {
		return err
	}
	if r.Errors > 0 || c.Bool("strict") && r.Warnings > 0 {
		return fmt.Errorf("lint found %d errors and %d warnings; --allow RULE:WHERE accepts one", r.Errors, r.Warnings)
	}
	return nil
}

// lint is the definitions, and what is found about them.
func (a *app) lint(c *cli.Context) (*tablefile.Set, []review.Finding, error) {
	if c.Bool("offline") {
		set, err := definitions(c)
		if err != nil {
			return nil, nil, err
		}
		if err := set.Validate(&dict.Options{AnyPrefix: c.Bool("any-prefix")}); err != nil {
			return nil, nil, shell.Usage(err)
		}
		return set, review.Definitions(set.Tables()...), nil
	}
	cmp, err := a.compared(c)
	if err != nil {
		return nil, nil, err
	}
	findings, err := a.review(c, cmp)
	return cmp.set, findings, err
}

// review reviews a comparison, and counts rows: in the database that --database names,
// else over REST.
func (a *app) review(c *cli.Context, cmp *comparison) (findings []review.Finding, err error) {
	opts := &review.Options{Content: restcount.New(cmp.client), Registry: cmp.reg}
	url := ""
	if c.String("database") != "" { // not the environment's: a plan is asked for often
		if url, err = a.databaseURL(c); err != nil {
			return nil, err
		}
	}
	if url == "" {
		return review.Check(c.Context, cmp.result, cmp.tables, opts)
	}
	err = a.withDatabase(c.Context, url, func(db *sql.DB) error {
		opts.Content = review.Database(db, a.Schema(c))
		findings, err = review.Check(c.Context, cmp.result, cmp.tables, opts)
		return err
	})
	return findings, err
}

// findingsText is findings below a plan.
func findingsText(findings []review.Finding) string {
	var b strings.Builder
	for i, f := range findings {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintln(&b, shell.Printable(f.String()))
	}
	return b.String()
}

// printLint prints findings: as lines for people, which editors and build servers
// read, too.
func (a *app) printLint(c *cli.Context, r lintReport) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	out := output.Table{List: "findings"}
	var b strings.Builder
	if len(r.Findings) == 0 {
		b.WriteString("No findings.\n")
	}
	for _, f := range r.Findings {
		at := ""
		if f.Position != nil {
			at = f.Position.String()
		}
		out.Rows = append(out.Rows, []string{at, string(f.Severity), f.Rule, f.Where, f.Message, f.Advice})
		fmt.Fprintln(&b, shell.Printable(strings.TrimPrefix(at+": "+f.Finding.String(), ": ")))
	}
	if choice.Format == output.FormatTable && choice.File == "" {
		return a.PrintAs(c, choice, r, output.Table{Below: b.String()})
	}
	out.Columns = output.Columns("at=file", "severity", "rule", "where", "message", "advice")
	return a.PrintAs(c, choice, r, out)
}

func (a *app) lintRules(c *cli.Context) error {
	about := review.Rules()
	var rows [][]string
	for rule, text := range about {
		rows = append(rows, []string{rule, text})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return a.Print(c, about, output.Table{Columns: output.Columns("rule", "about"), Rows: rows})
}

// writeComment writes the comment for a merge request to the file that --comment names.
func (a *app) writeComment(c *cli.Context, cmp *comparison, findings []review.Finding) (err error) {
	path := c.String("comment")
	if path == "" {
		return nil
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	if path == "-" && !choice.ForPeople() {
		return shell.Usagef("--comment - and the plan as %s both want standard output; give the comment a file", choice.Format)
	}
	var b strings.Builder
	if err := review.WriteComment(&b, cmp.result, findings, &review.CommentOptions{Server: cmp.client.BaseURL()}); err != nil {
		return err
	}
	if path == "-" {
		_, err = a.Streams.Out.Write([]byte(b.String()))
		return err
	}
	return shell.WriteFile(path, []byte(b.String()))
}

package dictionary

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/plans"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/tokens"
)

// tableSources are where add table finds out what its flags do not say. Each part
// may be missing.
type tableSources struct {
	client    *erp.Client
	catalog   *registry.Catalog // of the ERP's database
	reference func(string) (table, column string, ok bool)
	element   func(string) (int, bool)
}

// tableSources opens what the flags need: the database with --full, the server to
// run the plan, or to read the target of an import table.
func (a *app) tableSources(c *cli.Context, run bool) (s tableSources, err error) {
	if c.Bool("full") {
		url, err := a.needDatabase(c, "--full")
		if err != nil {
			return s, err
		}
		if s.catalog, err = a.databaseCatalog(c, url, nil); err != nil {
			return s, err
		}
		s.reference, s.element = ddl.Resolver(c.Context, s.catalog), officialElement(c.Context, s.catalog)
	}
	if run || c.String("target-table") != "" && s.catalog == nil {
		if s.client, err = a.Client(c); err != nil {
			return s, noServer(err)
		}
	}
	return s, nil
}

// noServer adds to the error of a missing address what works without one.
func noServer(err error) error {
	if shell.ExitCode(err) == shell.ExitUsage && strings.Contains(err.Error(), "no address of an ERP") {
		return shell.Usage(fmt.Errorf("%w; --offline writes migration scripts without one", err))
	}
	return err
}

// officialElement finds the official id of a column's term in a dictionary.
func officialElement(ctx context.Context, reg registry.Registry) func(string) (int, bool) {
	return func(column string) (int, bool) {
		e, err := reg.Element(ctx, column)
		return e.ID, err == nil && strings.EqualFold(e.Name, column) && adid.Official(e.ID)
	}
}

// targetColumns are the columns of a table that an import table feeds, from the
// server or from the database's dictionary.
func (s *tableSources) targetColumns(ctx context.Context, target string) ([]dict.Column, error) {
	if s.catalog == nil {
		return restdict.ReadColumns(ctx, s.client, target)
	}
	t, _, err := diff.Definition(ctx, s.catalog, target)
	if err != nil {
		return nil, err
	}
	return t.AllColumns(), nil
}

// currentRole is the role of the token that requests carry, if the token tells.
func (a *app) currentRole(c *cli.Context) (int, bool) {
	s, err := a.Setup(c)
	if err != nil {
		return 0, false
	}
	source, err := a.Source(s)
	if err != nil || source == nil {
		return 0, false
	}
	token, err := source.Token(c.Context)
	if err != nil {
		return 0, false
	}
	claims, err := tokens.UnverifiedClaims(token)
	return claims.RoleID, err == nil && claims.Complete
}

// showPlanAndDDL prints the steps of a plan and what they mean for the database.
func (a *app) showPlanAndDDL(c *cli.Context, plan *dict.Plan, format string, resolve func(string) (string, string, bool)) error {
	list, err := dialects(c, formatSQL)
	if err != nil {
		return err
	}
	type section struct {
		Dialect    dict.Dialect `json:"dialect"`
		Statements []string     `json:"statements"`
	}
	var sections []section
	for _, d := range list {
		statements, err := ddl.Statements(plan, d, &ddl.Options{Resolve: resolve})
		if err != nil {
			return err
		}
		s := section{Dialect: d, Statements: []string{}}
		for _, st := range statements {
			text := st.Text
			if st.Comment {
				text = "-- " + text
			}
			s.Statements = append(s.Statements, text)
		}
		sections = append(sections, s)
	}
	t := plans.Steps(plan)
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "\n-- %s\n", s.Dialect)
		for _, text := range s.Statements {
			if !strings.HasPrefix(text, "--") {
				text += ";"
			}
			b.WriteString(shell.Printable(text) + "\n")
		}
	}
	fmt.Fprintf(&b, "\n%s, format %s; nothing was done\n", shell.Count(plan.Summary().Columns, "column", "columns"), format)
	t.Below = b.String()
	return a.Print(c, map[string]any{"name": plan.Name(), "fingerprint": plan.Fingerprint(), "format": format, "steps": plan.Rows(), "ddl": sections}, t)
}

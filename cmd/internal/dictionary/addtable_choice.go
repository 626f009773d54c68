package dictionary

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

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

// chooseFormat is how a plan gets into the ERP: what --format says, else a
// package for a plugin, else scripts without a server, else REST.
func chooseFormat(c *cli.Context) (string, error) {
	format, offline, plugin := c.String("format"), c.Bool("offline"), c.String("plugin")
	switch format {
	case "", formatREST, formatPack, formatMigration, formatSQL:
	default:
		return "", shell.Usagef("there is no format %q; use rest, pack, migration or sql", format)
	}
	if plugin != "" && format != "" && format != formatPack {
		return "", shell.Usagef("--plugin writes a package and does not go with --format %s", format)
	}
	if offline && format == formatREST {
		return "", shell.Usagef("--offline does not go with --format rest, which needs a server")
	}
	switch {
	case format != "":
		return format, nil
	case plugin != "":
		return formatPack, nil
	case offline:
		return formatMigration, nil
	}
	return formatREST, nil
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
func (a *app) targetColumns(ctx context.Context, client *erp.Client, catalog *registry.Catalog, target string) ([]dict.Column, error) {
	if catalog == nil {
		return restdict.ReadColumns(ctx, client, target)
	}
	t, _, err := diff.Definition(ctx, catalog, target)
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
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"name": plan.Name(), "fingerprint": plan.Fingerprint(), "format": format, "steps": plan.Rows(), "ddl": sections})
	}
	var rows [][]string
	for _, r := range plan.Rows() {
		rows = append(rows, []string{strconv.Itoa(r.Number), r.Action, r.Kind, r.Name, r.Detail})
	}
	a.PrintTable([]string{"#", "action", "what", "name", "detail"}, rows)
	for _, s := range sections {
		fmt.Fprintf(a.Streams.Out, "\n-- %s\n", s.Dialect)
		for _, text := range s.Statements {
			if !strings.HasPrefix(text, "--") {
				text += ";"
			}
			fmt.Fprintln(a.Streams.Out, shell.Printable(text))
		}
	}
	_, err = fmt.Fprintf(a.Streams.Out, "\n%d columns, format %s; nothing was done\n", plan.Summary().Columns, format)
	return err
}

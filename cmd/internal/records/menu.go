package records

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// standardMenu is the AD_Tree_ID of the menu every installation has.
const standardMenu = 10

func (a *app) menuCommand() *cli.Command {
	return &cli.Command{
		Name: "menu", Usage: "show the menu as the role sees it",
		Description: "The tree is that of the role, else that of the tenant, else the ERP's own.",
		Flags: append(shell.ValueFlags(),
			&cli.StringFlag{Name: "tree", Usage: "id or UUID of another tree"},
			&cli.IntFlag{Name: "depth", Usage: "how many levels to show; 0 is all"},
			&cli.StringFlag{Name: "search", Usage: "only entries with this text in their name, with the folders they are in"},
		),
		Action: a.menu,
	}
}

func (a *app) menu(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	if c.Int("depth") < 0 {
		return shell.Usagef("--depth must be 0 or more")
	}
	s, err := a.Setup(c)
	if err != nil {
		return err
	}
	client, err := a.ClientFor(c, s)
	if err != nil {
		return err
	}
	var tree erp.ID
	if given := c.String("tree"); given != "" {
		if tree, err = erp.ParseID(given); err != nil {
			return shell.Usage(err)
		}
	} else if tree, err = a.ownMenu(c.Context, s, client); err != nil {
		return err
	}
	menu, err := client.MenuTree(c.Context, tree)
	if err != nil {
		return shell.Input(err)
	}
	if search := c.String("search"); search != "" {
		menu.Entries = searchMenu(menu.Entries, strings.ToLower(search))
	}
	if depth := c.Int("depth"); depth > 0 {
		cutMenu(menu.Entries, depth)
	}
	var b strings.Builder
	fmt.Fprintln(&b, shell.Short(menu.Name, 100))
	for depth, e := range menu.All() {
		b.WriteString(strings.Repeat("  ", depth+1) + shell.Short(e.Name, 100))
		if kind := opens(e); kind != "" {
			b.WriteString("  (" + kind + ")")
		}
		b.WriteByte('\n')
	}
	return a.Print(c, menu, output.Table{Below: shell.Printable(b.String())})
}

// opens says what an entry opens, "" for folders.
func opens(e *erp.MenuEntry) string {
	for _, r := range []struct {
		kind string
		ref  erp.Ref
	}{
		{"window", e.Window}, {"process", e.Process}, {"form", e.Form}, {"info", e.InfoWindow}, {"workflow", e.Workflow}, {"task", e.Task},
	} {
		if !r.ref.ID.IsZero() {
			return fmt.Sprintf("%s %s", r.kind, r.ref.ID)
		}
	}
	return ""
}

// searchMenu keeps the entries whose name holds the text, and their folders.
func searchMenu(entries []erp.MenuEntry, search string) []erp.MenuEntry {
	kept := []erp.MenuEntry{}
	for _, e := range entries {
		if strings.Contains(strings.ToLower(e.Name), search) {
			kept = append(kept, e)
			continue
		}
		if e.Entries = searchMenu(e.Entries, search); len(e.Entries) > 0 {
			kept = append(kept, e)
		}
	}
	return kept
}

// cutMenu removes what is deeper than depth levels.
func cutMenu(entries []erp.MenuEntry, depth int) {
	for i := range entries {
		if depth == 1 {
			entries[i].Entries = nil
		} else {
			cutMenu(entries[i].Entries, depth-1)
		}
	}
}

// ownMenu finds the menu of the role that the token names. The response to a
// login says it, but a stored token comes without that response; the ERP finds it
// this way itself.
func (a *app) ownMenu(ctx context.Context, s *shell.Setup, client *erp.Client) (erp.ID, error) {
	standard := erp.IntID(standardMenu)
	source, err := a.Source(s)
	if err != nil || source == nil {
		return standard, err
	}
	token, err := source.Token(ctx)
	if err != nil {
		return standard, err
	}
	claims, err := tokens.UnverifiedClaims(token)
	if err != nil || !claims.Complete {
		return standard, nil // the server has the last word on such a token
	}
	for _, from := range []struct {
		table string
		q     erp.Query
	}{
		{"AD_Role", erp.Query{Filter: erp.Eq("AD_Role_ID", claims.RoleID)}},
		{"AD_ClientInfo", erp.Query{Filter: erp.Eq("AD_Client_ID", claims.ClientID)}},
	} {
		from.q.Select, from.q.Top = []string{"AD_Tree_Menu_ID"}, 1
		page, err := client.Query(ctx, from.table, &from.q)
		switch {
		case errors.Is(err, erp.ErrForbidden), errors.Is(err, erp.ErrNotFound), errors.Is(err, erp.ErrValidation):
			continue // the role may not know
		case err != nil:
			return standard, err
		case len(page.Records) == 1:
			if ref, ok := page.Records[0].Ref("AD_Tree_Menu_ID"); ok {
				return ref.ID, nil
			}
		}
	}
	return standard, nil
}

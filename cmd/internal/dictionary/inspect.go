package dictionary

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/tablefile"
)

func (a *app) dictInspect(c *cli.Context) error {
	names := c.Args().Slice()
	if named := len(names) > 0; named && c.Bool("all") || !named && !c.Bool("all") && c.String("entity-type") == "" {
		return shell.Usagef("dict inspect takes table names such as XX_Demo, patterns such as 'XX_*', --entity-type, or --all")
	}
	tables, err := a.inspected(c, names)
	if err != nil {
		return err
	}
	if folder := c.String("output"); isFolder(folder) {
		return a.writeTables(c, folder, tables)
	}
	text, err := tablefile.Marshal(tables...)
	if err != nil {
		return err
	}
	if c.Bool("json") && c.String("output") == "" {
		return a.PrintJSON(map[string]any{"yaml": string(text)})
	}
	return a.WriteOutput(c, text)
}

// inspected returns the definitions of tables. It reports what they cannot express of
// tables that are named, and counts it for those that a pattern finds.
func (a *app) inspected(c *cli.Context, names []string) ([]dict.Table, error) {
	several := c.Bool("all") || c.String("entity-type") != "" || slices.ContainsFunc(names, isPattern)
	reg, err := a.inspectedDictionary(c, several, names)
	if err != nil {
		return nil, err
	}
	if several {
		if names, err = tablesNamed(c.Context, reg, names, c.String("entity-type")); err != nil {
			return nil, err
		}
	}
	var tables []dict.Table
	remarks, remarked := 0, 0
	for _, name := range names {
		t, notes, err := diff.Definition(c.Context, reg, name)
		if err != nil {
			return nil, searchHint(err)
		}
		tables = append(tables, t)
		if several {
			remarks, remarked = remarks+len(notes), remarked+min(len(notes), 1)
			continue
		}
		for _, n := range notes {
			a.Note("%s", n)
		}
	}
	if remarks > 0 {
		a.Note("definitions cannot express %s of %s; inspect a table by its name to see them", shell.Count(remarks, "thing", "things"), shell.Count(remarked, "table", "tables"))
	}
	return tables, nil
}

// inspectedDictionary is what is needed of the dictionary: all of it for patterns.
func (a *app) inspectedDictionary(c *cli.Context, several bool, names []string) (*registry.Catalog, error) {
	if several {
		return a.dictionary(c)
	}
	client, err := a.Client(c)
	if err != nil {
		return nil, err
	}
	return a.part(c.Context, client, diff.DefinitionScope(names...))
}

// isPattern tells a pattern for names from a name.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

// tablesNamed are the tables that names and patterns mean, each once; without any, all.
// An entity type narrows them down.
func tablesNamed(ctx context.Context, reg *registry.Catalog, names []string, entityType string) ([]string, error) {
	if len(names) == 0 {
		names = []string{"*"}
	}
	var found []string
	for _, name := range names {
		like := nameLike(name)
		if !isPattern(name) {
			t, err := reg.Table(ctx, name, registry.WithoutColumns)
			if err != nil {
				return nil, searchHint(err)
			}
			like = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(t.Name)
		}
		list, err := reg.Tables(ctx, registry.ListQuery{Pattern: like, EntityType: entityType})
		if err != nil {
			return nil, err
		}
		if len(list.Items) == 0 {
			what := "no table is called " + name
			if entityType != "" {
				what += " and belongs to the entity type " + entityType
			}
			return nil, fmt.Errorf("%s; `erphub dict list` lists tables", what)
		}
		for _, t := range list.Items {
			if !slices.Contains(found, t.Name) {
				found = append(found, t.Name)
			}
		}
	}
	return found, nil
}

// isFolder reports whether an output is a folder: by its name, or because it is one.
func isFolder(path string) bool {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return true
	}
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// writeTables writes each table to a file of its own, which has its name.
func (a *app) writeTables(c *cli.Context, folder string, tables []dict.Table) error {
	for _, t := range tables {
		text, err := tablefile.Marshal(t)
		if err != nil {
			return err
		}
		if err := shell.WriteFile(filepath.Join(folder, t.Name+".yaml"), text); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return a.PrintJSON(map[string]any{"folder": folder, "tables": len(tables)})
	}
	_, err := fmt.Fprintf(a.Streams.Out, "Wrote %s to %s.\n", shell.Count(len(tables), "definition", "definitions"), shell.Printable(folder))
	return err
}

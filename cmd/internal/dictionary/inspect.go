package dictionary

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/tablefile"
	"github.com/erphub/erphub/erp"
)

func (a *app) dictInspect(c *cli.Context) error {
	names := c.Args().Slice()
	if (len(names) == 0) != c.Bool("all") {
		return shell.Usagef("dict inspect takes one or more table names such as XX_Demo, or --all")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	read := a.catalog
	if !c.Bool("all") {
		read = func(ctx context.Context, client *erp.Client) (*registry.Catalog, error) {
			return a.part(ctx, client, diff.DefinitionScope(names...))
		}
	}
	reg, err := read(c.Context, client)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		list, err := reg.Tables(c.Context, registry.ListQuery{})
		if err != nil {
			return err
		}
		for _, t := range list.Items {
			names = append(names, t.Name)
		}
	}
	var tables []dict.Table
	remarks, remarked := 0, 0
	for _, name := range names {
		t, notes, err := diff.Definition(c.Context, reg, name)
		if err != nil {
			return err
		}
		tables = append(tables, t)
		if c.Bool("all") {
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

// isFolder tells whether an output is a folder: by its name, or because it is one.
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

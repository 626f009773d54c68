// Command upstream compares checkouts of the ERP and of its REST plugin with what this
// module knows, and prints what is new there and what is gone, for a person to decide
// what to do about it:
//
//	go run ./internal/upstream -plugin ../idempiere-rest -erp ../idempiere
//
// Of the plugin it reads routes and their query parameters, held against erp/contract;
// of both the tables and columns of the model interfaces, held against the dictionary
// of the embedded ERP. Nothing is written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("upstream", flag.ContinueOnError)
	plugin := flags.String("plugin", "", "folder with the sources of the REST plugin")
	erp := flags.String("erp", "", "folder with the sources of the ERP")
	contract := flags.String("contract", "erp/contract/current/openapi.yaml", "our contract")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *plugin == "" && *erp == "" {
		return errors.New("name the folder of a checkout: -plugin FOLDER, -erp FOLDER or both")
	}
	theirs := map[string]bool{} // tables
	if *plugin != "" {
		sources, err := javaSources(*plugin)
		if err != nil {
			return err
		}
		routes := pluginRoutes(sources)
		if len(routes) == 0 {
			return fmt.Errorf("there are no routes below %s; it should be a checkout of the REST plugin", *plugin)
		}
		ours, err := contractRoutes(*contract)
		if err != nil {
			return err
		}
		section(out, "routes and query parameters", routes, ours, true)
		addTables(theirs, sources)
	}
	if *erp != "" {
		sources, err := javaSources(*erp)
		if err != nil {
			return err
		}
		if !addTables(theirs, sources) {
			return fmt.Errorf("there are no model interfaces below %s; it should be a checkout of the ERP", *erp)
		}
	}
	ours, err := embeddedTables(ctx)
	if err != nil {
		return err
	}
	section(out, "tables and columns", theirs, ours, *plugin != "" && *erp != "") // one may have what the other lacks
	return nil
}

// section prints what is new with them, and when they are whole what is gone. What lies
// in something that is new or gone itself, as a column in a table, is not named.
func section(out io.Writer, what string, theirs, ours map[string]bool, whole bool) {
	only := func(title string, a, b map[string]bool) {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if outer, _, inside := strings.Cut(name, within); !b[name] && (!inside || b[outer]) {
				names = append(names, "  "+strings.Replace(name, within, " ", 1)+"\n")
			}
		}
		fmt.Fprintf(out, "%s: %d %s\n%s", title, len(names), what, strings.Join(names, ""))
	}
	only("new", theirs, ours)
	if whole {
		only("gone", ours, theirs)
	}
}

// within separates what contains something from what is in it.
const within = "\x00"

// javaSources are the texts of a folder's Java files that are not tests, without
// comments.
func javaSources(folder string) ([]string, error) {
	var sources []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || strings.Contains(d.Name(), ".test")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".java"):
			return nil
		}
		text, err := os.ReadFile(path)
		sources = append(sources, javaComment().ReplaceAllString(string(text), " $1"))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the sources: %w", err)
	}
	return sources, nil
}

package docsearch

import (
	"context"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/text"
)

// Dictionary are the help texts of a dictionary: of tables, columns, windows
// and processes that say more than their name. Columns of several tables with
// the same words are one passage.
func Dictionary(ctx context.Context, reg registry.Registry) ([]Passage, error) {
	var out []Passage
	add := func(kind, name, label, description, help string) {
		words := description
		if help != "" && help != description {
			words = strings.TrimSpace(words + "\n" + help)
		}
		if words == "" {
			return
		}
		title := kind + " " + name
		if label != "" && label != name {
			title += " (" + label + ")"
		}
		out = append(out, Passage{Title: title, Text: text.FirstBytes(words, mostPassage), Source: "dictionary, " + kind + " " + name, Kind: KindDictionary})
	}
	tables, err := reg.Tables(ctx, registry.ListQuery{})
	if err != nil {
		return nil, err
	}
	for _, t := range tables.Items {
		add("table", t.Name, t.Label, t.Description, t.Help)
	}
	columns, err := reg.Columns(ctx, "", registry.ListQuery{})
	if err != nil {
		return nil, err
	}
	seen := map[[3]string]bool{}
	for _, c := range columns.Items {
		if key := [3]string{c.Name, c.Description, c.Help}; !seen[key] {
			seen[key] = true
			add("column", c.Name, c.Label, c.Description, c.Help)
		}
	}
	windows, err := reg.Windows(ctx, registry.ListQuery{})
	if err != nil {
		return nil, err
	}
	for _, w := range windows.Items {
		add("window", w.Name, "", w.Description, w.Help)
	}
	processes, err := reg.Processes(ctx, registry.ListQuery{})
	if err != nil {
		return nil, err
	}
	for _, p := range processes.Items {
		add("process", p.Value, p.Name, p.Description, p.Help)
	}
	return out, nil
}

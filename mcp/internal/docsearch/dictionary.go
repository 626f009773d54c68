package docsearch

import (
	"context"
	"errors"
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
	seen := map[[3]string]bool{}
	columns := func(ctx context.Context, q registry.ListQuery) (registry.Listing[registry.Column], error) {
		return reg.Columns(ctx, "", q)
	}
	err := errors.Join(
		visit(ctx, reg.Tables, func(t *registry.Table) { add("table", t.Name, t.Label, t.Description, t.Help) }),
		visit(ctx, columns, func(c *registry.Column) {
			if key := [3]string{c.Name, c.Description, c.Help}; !seen[key] {
				seen[key] = true
				add("column", c.Name, c.Label, c.Description, c.Help)
			}
		}),
		visit(ctx, reg.Windows, func(w *registry.Window) { add("window", w.Name, "", w.Description, w.Help) }),
		visit(ctx, reg.Processes, func(p *registry.Process) { add("process", p.Value, p.Name, p.Description, p.Help) }),
	)
	return out, err
}

// visit visits all that a dictionary has of one kind.
func visit[T any](ctx context.Context, list func(context.Context, registry.ListQuery) (registry.Listing[T], error), f func(*T)) error {
	all, err := list(ctx, registry.ListQuery{})
	for i := range all.Items {
		f(&all.Items[i])
	}
	return err
}

package generator

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

func calloutGenerator() Generator {
	return Generator{
		Name: "callout", Title: "a callout", Addable: true,
		Description: "A class that reacts when a user changes a field, and its registration. It needs no dictionary records.",
		Options: join([]Option{
			classOption("OrderLineCallout", "Name of the class."),
			{Name: "columns", Type: TypeStrings, Required: true, Example: "C_OrderLine.QtyEntered,C_OrderLine.QtyOrdered", check: checkTarget,
				Description: "Columns as Table.Column; * stands for all tables, or for all columns of a table."},
		}, pluginOptions()),
		build: func(ctx context.Context, p *project, v values) error { return p.main.callout(ctx, v) },
	}
}

func checkTarget(text string) string {
	table, column, ok := strings.Cut(text, ".")
	switch {
	case !ok:
		return "is not of the form Table.Column"
	case table == "*" && column == "*":
		return "stands for every column of every table, which the ERP drops silently"
	}
	for _, name := range []string{table, column} {
		if name == "*" {
			continue
		}
		if why := checkDictionaryName(name); why != "" {
			return "has the part " + quote(name) + ", which " + why
		}
	}
	return ""
}

// calloutTarget is one annotation: columns of a table.
type calloutTarget struct {
	Table   string
	Columns []string
}

func (b *bundle) callout(ctx context.Context, v values) error {
	var targets []calloutTarget
	for _, text := range v.list("columns") {
		table, column, _ := strings.Cut(text, ".")
		table, column, err := b.spelled(ctx, table, column)
		if err != nil {
			return fmt.Errorf("a callout for %s: %w", text, err)
		}
		found := false
		for i := range targets {
			if targets[i].Table == table {
				targets[i].Columns = append(targets[i].Columns, column)
				found = true
			}
		}
		if !found {
			targets = append(targets, calloutTarget{table, []string{column}})
		}
	}
	class, pkg := v.text("class"), b.sub(calloutKind.sub)
	what := make([]string, len(targets))
	for i, t := range targets {
		what[i] = strings.ReplaceAll(t.Table+"."+strings.Join(t.Columns, ", "+t.Table+"."), "*", "any")
	}
	source, err := render("Callout.java", map[string]any{"Package": pkg, "Class": class, "Targets": targets, "What": strings.Join(what, ", ")})
	if err != nil {
		return err
	}
	b.class(pkg, class, source)
	b.titles = append(b.titles, "callout `"+pkg+"."+class+"`")
	// GridTab and GridField are in the base bundle.
	return b.register(&calloutKind, pkg)
}

// spelled gives a table and column as the dictionary spells them; annotations
// are compared with case. Without a registry they stay as they are.
func (b *bundle) spelled(ctx context.Context, table, column string) (string, string, error) {
	if b.reg == nil || table == "*" {
		return table, column, nil
	}
	t, err := b.reg.Table(ctx, table)
	if err != nil {
		return "", "", err
	}
	if column == "" || column == "*" {
		return t.Name, column, nil
	}
	c, ok := t.Column(column)
	if !ok {
		return "", "", &registry.NotFoundError{Kind: "column", Name: t.Name + "." + column}
	}
	return t.Name, c.Name, nil
}

// tableOrEmpty is a registry's spelling of a table, the text itself when there
// is no registry.
func (b *bundle) tableOrEmpty(ctx context.Context, table string) (string, error) {
	if table == "" {
		return "", nil
	}
	name, _, err := b.spelled(ctx, table, "")
	return name, err
}

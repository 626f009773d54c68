package tools

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
)

// mostCompletions is how many values are offered.
const mostCompletions = 100

// completed are the names that begin with what was typed, then those that
// contain it, then those that resemble it; case does not matter.
func completed(typed string, names []string) mcp.Completion {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begins, contains []string
	for _, name := range names {
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, typed):
			begins = append(begins, name)
		case strings.Contains(lower, typed):
			contains = append(contains, name)
		}
	}
	values := append(begins, contains...)
	if len(values) == 0 {
		values = nearest.Names(typed, names, 10)
	}
	return mcp.Completion{Values: values[:min(len(values), mostCompletions)], Total: len(values)}
}

// completeTable offers names of tables.
func (b *Toolbox) completeTable(ctx context.Context, c *mcp.Call, typed string, _ map[string]string) (mcp.Completion, error) {
	return b.completeFrom(ctx, c, typed, func(reg registry.Registry) ([]string, error) {
		list, err := reg.Tables(ctx, registry.ListQuery{})
		return mapped(list.Items, func(t *registry.Table) string { return t.Name }), err
	})
}

// completeFrom offers names of the dictionary, none where no backend in use has one.
func (b *Toolbox) completeFrom(ctx context.Context, c *mcp.Call, typed string, list func(registry.Registry) ([]string, error)) (mcp.Completion, error) {
	reg, err := b.registry(ctx, c)
	if errors.Is(err, errors.ErrUnsupported) {
		return mcp.Completion{}, nil
	}
	if err != nil {
		return mcp.Completion{}, err
	}
	names, err := list(reg)
	if err != nil {
		return mcp.Completion{}, err
	}
	return completed(typed, names), nil
}

// completeTables offers names for the last of several tables.
func (b *Toolbox) completeTables(ctx context.Context, c *mcp.Call, typed string, others map[string]string) (mcp.Completion, error) {
	i := strings.LastIndexByte(typed, ',') + 1
	before := typed[:i]
	got, err := b.completeTable(ctx, c, typed[i:], others)
	if err != nil || before == "" {
		return got, err
	}
	got.Values = slices.Clone(got.Values)
	for i, name := range got.Values {
		got.Values[i] = before + " " + name
	}
	return got, nil
}

// completeColumn offers names of columns: of the table in the argument "table",
// or of all tables without one.
func (b *Toolbox) completeColumn(ctx context.Context, c *mcp.Call, typed string, others map[string]string) (mcp.Completion, error) {
	return b.completeFrom(ctx, c, typed, func(reg registry.Registry) ([]string, error) {
		list, err := reg.Columns(ctx, strings.TrimSpace(others["table"]), registry.ListQuery{})
		if errors.Is(err, registry.ErrNotFound) {
			return nil, nil // the table is not typed to its end yet
		}
		return distinct(mapped(list.Items, columnName)), err
	})
}

func completeTemplate(_ context.Context, _ *mcp.Call, typed string, _ map[string]string) (mcp.Completion, error) {
	return completed(typed, templateNames()), nil
}

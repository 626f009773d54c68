package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/recordinput"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/erp"
)

// record is what is written, as the ERP takes it.
type record struct {
	table  string // as the dictionary spells it
	values map[string]any
}

// given reads --data and the arguments behind the first skip.
func (a *app) given(c *cli.Context, skip int) (map[string]any, error) {
	given, err := recordinput.Values(c.String("data"), c.Args().Slice()[skip:], a.Streams.In)
	return given, shell.Usage(err)
}

// read reads values by the types of their columns, as imports and the tools of
// assistants do, and those of records of child tables as well. What is sent as it is,
// and what only the API knows (doc-action), stays as given. A role that does not see the
// table in the dictionary leaves the values to the ERP.
func (a *app) read(c *cli.Context, client *erp.Client, table string, given map[string]any) (*record, error) {
	dictionary := values.NewDictionary(restdict.NewSource(client, nil))
	t, err := dictionary.Table(c.Context, table)
	switch {
	case errors.Is(err, registry.ErrNotFound): // the ERP says which tables there are
		return &record{table: table, values: given}, nil
	case errors.Is(err, erp.ErrForbidden):
		a.Note("the role may not read the dictionary, so the ERP alone checks the values")
		return &record{table: table, values: given}, nil
	case err != nil:
		return nil, err
	}
	reader, err := values.New(client, dictionary, values.Options{})
	if err != nil {
		return nil, err
	}
	out, problems, err := (&recordReader{reader, dictionary}).read(c.Context, &t, given)
	if err != nil {
		return nil, err
	}
	for i := range problems {
		problems[i] = shell.Usage(problems[i])
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("nothing was written: %w", errors.Join(problems...))
	}
	return out, nil
}

// recordReader reads records with those of child tables.
type recordReader struct {
	*values.Reader
	dictionary values.Dictionary
}

// read reads the values of a record of a table. The problems are what is wrong with them.
func (r *recordReader) read(ctx context.Context, t *registry.Table, given map[string]any) (*record, []error, error) {
	out := &record{table: t.Name, values: map[string]any{}}
	cells, err := out.sort(values.NewColumns(t), given)
	if err != nil {
		return nil, nil, err
	}
	read, problems, err := r.Record(ctx, t, cells)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range read {
		if _, twice := out.values[w.Column.Name]; twice {
			problems = append(problems, fmt.Errorf("%s is given twice", w.Column.Name))
		}
		out.values[w.Column.Name] = w.Send
	}
	for _, name := range slices.Sorted(maps.Keys(out.values)) {
		lines, ok := out.values[name].([]any)
		if !ok {
			continue
		}
		more, err := r.children(ctx, name, lines)
		if err != nil {
			return nil, nil, err
		}
		problems = append(problems, more...)
	}
	return out, problems, nil
}

// children reads records of a child table in their places. Those of a table that the role
// does not see in the dictionary are left to the ERP.
func (r *recordReader) children(ctx context.Context, name string, lines []any) (problems []error, err error) {
	t, err := r.dictionary.Table(ctx, name)
	if errors.Is(err, registry.ErrNotFound) || errors.Is(err, erp.ErrForbidden) {
		return nil, nil
	}
	for i, line := range lines {
		given, ok := line.(map[string]any)
		if err != nil || !ok {
			continue
		}
		which := map[string]any{}
		for _, key := range []string{"id", "uid", "model-name"} { // what the ERP says of a record that is there
			if value, ok := given[key]; ok {
				which[key] = value
				delete(given, key)
			}
		}
		var child *record
		var wrong []error
		if child, wrong, err = r.read(ctx, &t, given); err == nil {
			lines[i] = child.values
			maps.Copy(child.values, which)
		}
		for _, problem := range wrong {
			problems = append(problems, fmt.Errorf("%s %d: %w", name, i+1, problem))
		}
	}
	return problems, err
}

// sort takes over what is sent as it is, and returns what is to be read.
func (r *record) sort(columns *values.Columns, given map[string]any) (map[string]json.RawMessage, error) {
	cells := map[string]json.RawMessage{}
	for name, value := range given {
		if _, _, err := columns.Target("DocAction"); err != nil && strings.EqualFold(name, "doc-action") {
			return nil, shell.Usagef("nothing was written: records of %s are no documents, so there is no action on them", r.table)
		}
		_, isJSON := value.(json.RawMessage)
		col, _, err := columns.Target(name)
		switch {
		case isJSON && err == nil:
			r.values[col.Name] = value
		case isJSON, err != nil && outside(name, value):
			r.values[name] = value
		default:
			if cells[name], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
	}
	return cells, nil
}

// outside reports whether the API takes a member that is not a column: an action on a
// document, or a list of records of a child table.
func outside(name string, value any) bool {
	_, list := value.([]any)
	return list || strings.EqualFold(name, "doc-action")
}

package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/values"
	"github.com/erphub/erphub/mcp"
)

// valueReader reads what an assistant writes for columns and parameters, with the
// permissions of the caller.
type valueReader struct {
	*values.Reader
	ctx context.Context // of the client; look records up with it
}

// callerDictionary is the dictionary of a call, which is read with the context of
// the call and not with that of the client.
type callerDictionary struct {
	registry.Registry
	ctx context.Context
}

func (d callerDictionary) Table(_ context.Context, name string, with ...registry.Detail) (registry.Table, error) {
	return d.Registry.Table(d.ctx, name, with...)
}

func (d callerDictionary) Reference(_ context.Context, name string, with ...registry.Detail) (registry.Reference, error) {
	return d.Registry.Reference(d.ctx, name, with...)
}

// valueReader is a reader of values that looks records up by name.
func (b *Toolbox) valueReader(ctx context.Context, c *mcp.Call, o values.Options) (*valueReader, error) {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	asks, client, err := b.connect(ctx, c, "look records up by name")
	if errors.Is(err, errors.ErrUnsupported) { // the ERP looks by itself
		asks, client, err = ctx, nil, nil
	}
	if err != nil {
		return nil, err
	}
	o.Secret = aiquery.RedactsByName
	r, err := values.New(client, callerDictionary{reg, ctx}, o)
	return &valueReader{r, asks}, err
}

// labels is a reader that turns labels of lists into codes. It takes values that are
// deactivated: records may still have them.
func labels(ctx context.Context, reg registry.Registry) (*values.Reader, error) {
	return values.New(nil, callerDictionary{reg, ctx}, values.Options{Inactive: true})
}

// problem is what is wrong with one value.
func problem(name, hint, format string, args ...any) error {
	return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: name + ": " + fmt.Sprintf(format, args...), Hint: hint}
}

// textOf is the content of a JSON text.
func textOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}

// shownAs is how a question shows a value that does not say by itself what it means;
// nil: it does.
func shownAs(v *values.Value) any {
	switch {
	case v.Name != "":
		return mcp.Ref{ID: mcp.Name(v.Plain), Name: v.Name}
	case v.IsNumber():
		return mcp.Name(v.Plain)
	case v.Empty && v.Send != nil:
		return mcp.Name("nothing")
	}
	return nil
}

// earlier finds the record that an earlier operation of the same call makes: what a
// column refers to with @ before the name of the operation.
type earlier func(t values.Target, name string) (value, shown any, err error)

// writing is what is written to a record.
type writing struct {
	table   string // as the dictionary spells it
	values  map[string]any
	shown   map[string]any // values as a question shows them that do not say what they mean, by column
	hasUUID bool           // records of the table have a UUID, as nearly all do
}

// writable reads the values of a record, and spells table and columns as the
// dictionary does. Its error names all that is wrong.
func (b *Toolbox) writable(ctx context.Context, c *mcp.Call, table string, given map[string]json.RawMessage, made earlier) (*writing, error) {
	t, err := b.table(ctx, c, table)
	if err != nil {
		return nil, err
	}
	w := &writing{table: table, values: make(map[string]any, len(given)+1), shown: map[string]any{}, hasUUID: true}
	if t == nil { // no dictionary at hand: the ERP checks
		for column, value := range given {
			w.values[column] = value
		}
		return w, nil
	}
	if t.View {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: t.Name + " is a view: nothing can be written to it", Hint: "describeTable and searchRegistry find the table behind it"}
	}
	w.table = t.Name
	_, w.hasUUID = t.Column(t.Name + "_UU")
	given, problems := w.settle(t, maps.Clone(given), made)
	r, err := b.valueReader(ctx, c, values.Options{})
	if err != nil {
		return nil, err
	}
	read, more, err := r.Record(r.ctx, t, given)
	if err != nil {
		return nil, err
	}
	for _, problem := range more {
		problems = append(problems, clip(problem.Error(), 800))
	}
	if len(problems) > 0 {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("nothing was written", problems), Hint: "describeTable shows the columns; searchRecords finds the records that references point to; processDocument changes the status of documents"}
	}
	for i := range read {
		w.set(read[i].Column.Name, &read[i].Value)
	}
	return w, nil
}

// set notes a value.
func (w *writing) set(column string, v *values.Value) {
	w.values[column] = v.Send
	if s := shownAs(v); s != nil {
		w.shown[column] = s
	}
}

// settle takes the columns out of what is given that tools write in another way, and
// the references to records of earlier operations.
func (w *writing) settle(t *registry.Table, given map[string]json.RawMessage, made earlier) (left map[string]json.RawMessage, problems []string) {
	columns := values.NewColumns(t)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		col, target, err := columns.Target(name)
		if err != nil {
			continue
		}
		text, isText := textOf(given[name])
		switch {
		case strings.EqualFold(col.Name, t.Name+"_UU"):
			problems = append(problems, col.Name+" is the UUID: createRecord takes it as uuid, and it does not change")
		case made != nil && isText && strings.HasPrefix(text, "@") && target.Foreign != "":
			value, show, err := made(target, text)
			if err != nil {
				problems = append(problems, err.Error())
			}
			w.values[col.Name], w.shown[col.Name] = value, show
		default:
			continue
		}
		delete(given, name)
	}
	return given, problems
}

// valueProblem is what is wrong with a value.
func valueProblem(name string, err error) error {
	var wrong *values.Error
	if errors.As(err, &wrong) {
		return problem(name, "", "%s", clip(wrong.Problem, 800))
	}
	return err
}

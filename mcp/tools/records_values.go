package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/mcp"
)

// writing is what is written to a record.
type writing struct {
	table   string // as the dictionary spells it
	values  map[string]any
	shown   map[string]any // values as a question shows them that do not say what they mean, by column
	hasUUID bool           // records of the table have a UUID, as nearly all do
}

// writable checks the columns of a table and spells table and columns as the
// dictionary does; references, lists and booleans become what the ERP stores. All
// that is wrong is told at once.
func (b *Toolbox) writable(ctx context.Context, r *resolver, table string, given map[string]json.RawMessage) (*writing, error) {
	c := r.c
	t, err := b.table(ctx, c, table)
	if err != nil {
		return nil, err
	}
	values := make(map[string]any, len(given)+1)
	if t == nil { // no dictionary at hand: the ERP checks
		for column, value := range given {
			values[column] = value
		}
		return &writing{table: table, values: values, hasUUID: true}, nil
	}
	if t.View {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: t.Name + " is a view: nothing can be written to it", Hint: "describeTable and searchRegistry find the table behind it"}
	}
	_, document := t.Column("DocAction")
	var problems []string
	for _, column := range slices.Sorted(maps.Keys(given)) {
		col, ok := t.Column(column)
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s has no column %q; %s", t.Name, clip(column, 80), hintColumn(t, column)))
		case col.Virtual():
			problems = append(problems, col.Name+" is computed: it cannot be written")
		case col.Key:
			problems = append(problems, col.Name+" is the key: the ERP gives it")
		case strings.EqualFold(col.Name, t.Name+"_UU"):
			problems = append(problems, col.Name+" is the UUID: createRecord takes it as uuid, and it does not change")
		case document && (col.Name == "DocStatus" || col.Name == "DocAction"):
			problems = append(problems, col.Name+" is changed by processing the document, never by writing it")
		case values[col.Name] != nil:
			problems = append(problems, col.Name+" is given twice")
		default:
			values[col.Name] = given[column]
		}
	}
	if r.reg, err = b.registry(ctx, c); err != nil {
		return nil, err
	}
	shown, more, err := r.resolveAll(ctx, t, values)
	if err != nil {
		return nil, err
	}
	problems = append(problems, more...)
	if len(problems) > 0 {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("nothing was written", problems), Hint: "describeTable shows the columns; searchRecords finds the records that references point to; processDocument changes the status of documents"}
	}
	_, hasUUID := t.Column(t.Name + "_UU")
	return &writing{t.Name, values, shown, hasUUID}, nil
}

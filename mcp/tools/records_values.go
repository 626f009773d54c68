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
	table    string // as the dictionary spells it
	values   map[string]any
	meanings map[string]string // what values mean that do not say so, by column
	hasUUID  bool              // records of the table have a UUID, as nearly all do
}

// writable checks the columns of a table and spells table and columns as the
// dictionary does; references, lists and booleans become what the ERP stores. All
// that is wrong is told at once. For earlier see resolver.
func (b *Toolbox) writable(ctx context.Context, c *mcp.Call, table string, given map[string]json.RawMessage, earlier func(valueTarget, string) (resolved, error)) (*writing, error) {
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
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil, err
	}
	meanings, more, err := (&resolver{b: b, c: c, reg: reg, earlier: earlier}).resolveAll(ctx, t, values)
	if err != nil {
		return nil, err
	}
	problems = append(problems, more...)
	if len(problems) > 0 {
		return nil, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: listed("nothing was written", problems), Hint: "describeTable shows the columns; searchRecords finds the records that references point to; processDocument changes the status of documents"}
	}
	_, hasUUID := t.Column(t.Name + "_UU")
	return &writing{t.Name, values, meanings, hasUUID}, nil
}

// describe writes a line for each column: what it will have, and what it has where
// somebody tells that.
func (w *writing) describe(b *strings.Builder, has func(column string) string) {
	const most = 20
	columns := slices.Sorted(maps.Keys(w.values))
	for i, column := range columns {
		if i == most {
			fmt.Fprintf(b, "\nand %d more columns: %s", len(columns)-most, strings.Join(columns[most:], ", "))
			break
		}
		now := w.inWords(column)
		if has == nil {
			fmt.Fprintf(b, "\n%s: %s", column, now)
		} else {
			fmt.Fprintf(b, "\n%s: from %s to %s", column, has(column), now)
		}
	}
}

// inWords is what a column will have. A question has to be the same when the call is
// made again, so a UUID that was made up is not in it.
func (w *writing) inWords(column string) string {
	meaning := w.meanings[column]
	raw, err := json.Marshal(w.values[column])
	switch {
	case err != nil || string(raw) == "null":
		return "nothing"
	case meaning == "":
		return clip(string(raw), 200)
	case meaning == "nothing" || raw[0] == '{':
		return meaning
	}
	return fmt.Sprintf("%s (%s)", clip(string(raw), 200), meaning)
}

package query

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
)

func (a *app) queryRoles(c *cli.Context, client *aiclient.Client) error {
	roles, err := client.Roles(c.Context)
	if err != nil {
		return err
	}
	t := output.Table{Columns: []output.Column{
		{Name: "role", Key: "id", Right: true}, {Name: "name"}, {Name: "client", Key: "clientId", Right: true},
		{Name: "client name", Key: "clientName"}, {Name: "level", Key: "userLevel"},
	}}
	for _, r := range roles {
		t.Rows = append(t.Rows, []string{strconv.Itoa(r.ID), r.Name, strconv.Itoa(r.ClientID), r.ClientName, r.UserLevel})
	}
	return a.Print(c, append([]api.RoleInfo{}, roles...), t)
}

// printResult shows the result of a query.
func (a *app) printResult(c *cli.Context, r *api.Result) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	return a.printChosen(c, choice, r)
}

// printChosen is printResult with a choice that was made already.
func (a *app) printChosen(c *cli.Context, choice *output.Choice, r *api.Result) error {
	at, err := chosenColumns(choice, r.Columns)
	if err != nil {
		return err
	}
	if at != nil {
		r = &api.Result{Columns: pickOf(r.Columns, at), Rows: pickRows(r.Rows, at), RowCount: r.RowCount, Truncated: r.Truncated, Notes: r.Notes}
	}
	if err := a.printRows(c, choice, r, r); err != nil {
		return err
	}
	if r.Truncated {
		a.Note("there are more rows than the %d shown: narrow the statement, aggregate, or request more with --max-rows (at most 1000)", r.RowCount)
	}
	return nil
}

// printRows shows rows; value is all of them as JSON has it.
func (a *app) printRows(c *cli.Context, choice *output.Choice, value any, r *api.Result) error {
	for _, note := range r.Notes {
		a.Note("%s", note)
	}
	if choice.Format == output.FormatNDJSON {
		objects, err := rowObjects(r)
		if err != nil {
			return err
		}
		value = objects
	}
	return a.PrintAs(c, choice, value, resultTable(r))
}

// resultTable is the result of a query as a table.
func resultTable(r *api.Result) output.Table {
	t := output.Table{Rows: make([][]string, len(r.Rows)), Empty: "no rows", Null: func(row, column int) bool { return r.Rows[row][column] == nil }}
	for i, col := range r.Columns {
		t.Columns = append(t.Columns, output.Column{Name: col.Name, Max: 60, Right: numeric(r.Rows, i)})
	}
	for i, row := range r.Rows {
		t.Rows[i] = make([]string, len(row))
		for j, value := range row {
			t.Rows[i][j] = valueText(value)
		}
	}
	return t
}

// numeric reports whether a column has numbers and nothing else.
func numeric(rows [][]any, column int) bool {
	some := false
	for _, row := range rows {
		switch row[column].(type) {
		case nil:
		case json.Number:
			some = true
		default:
			return false
		}
	}
	return some
}

// rowObjects are the rows as JSON objects. Of columns with one name the later ones
// get a number behind it.
func rowObjects(r *api.Result) (objects []json.RawMessage, err error) {
	names, seen := make([]string, len(r.Columns)), map[string]bool{}
	for i, col := range r.Columns {
		names[i] = col.Name
		for n := 2; seen[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s_%d", col.Name, n)
		}
		seen[names[i]] = true
	}
	objects = make([]json.RawMessage, len(r.Rows))
	for i, row := range r.Rows {
		values := map[string]any{}
		for j, name := range names {
			values[name] = row[j]
		}
		if objects[i], err = output.Object(names, values); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// chosenColumns are those that --columns names, nil for all.
func chosenColumns(choice *output.Choice, columns []api.Column) ([]int, error) {
	if len(choice.Columns) == 0 {
		return nil, nil
	}
	t := output.Table{}
	for _, col := range columns {
		t.Columns = append(t.Columns, output.Column{Name: col.Name})
	}
	at, err := t.Indexes(choice.Columns)
	if err != nil {
		return nil, shell.Usage(err)
	}
	choice.Columns = nil // they are chosen
	return at, nil
}

// pickOf are the elements with these indexes.
func pickOf[T any](all []T, at []int) []T {
	some := make([]T, len(at))
	for i, from := range at {
		some[i] = all[from]
	}
	return some
}

// pickRows is pickOf for each row.
func pickRows(rows [][]any, at []int) [][]any {
	some := make([][]any, len(rows))
	for i, row := range rows {
		some[i] = pickOf(row, at)
	}
	return some
}

// valueText is a value of a result in one piece of text.
func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// printExplanation shows what a statement reads and returns.
func (a *app) printExplanation(c *cli.Context, e *api.Explanation) error {
	var b strings.Builder
	line := func(label string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s%s\n", label, shell.Printable(strings.Join(list, ", ")))
		}
	}
	for _, read := range e.Reads {
		line("reads ", []string{read.Table})
		line("  compared, can use an index: ", read.Compared)
		line("  computed for each row:      ", read.Computed)
	}
	line("may fail for some row: ", e.Failing)
	columns := make([]string, len(e.Columns))
	for i, col := range e.Columns {
		columns[i] = col.Name + " " + col.Type
	}
	line("returns ", columns)
	return a.Print(c, e, output.Table{Below: b.String()})
}

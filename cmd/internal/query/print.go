package query

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/cmd/internal/shell"
)

func (a *app) queryRoles(c *cli.Context, client *aiclient.Client) error {
	roles, err := client.Roles(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(append([]aiclient.RoleInfo{}, roles...))
	}
	rows := make([][]string, len(roles))
	for i, r := range roles {
		rows[i] = []string{strconv.Itoa(r.ID), r.Name, strconv.Itoa(r.ClientID), r.ClientName, r.UserLevel}
	}
	a.PrintTable([]string{"role", "name", "client", "client name", "level"}, rows)
	return nil
}

// printResult shows the result of a query.
func (a *app) printResult(c *cli.Context, r *aiclient.Result) error {
	for _, note := range r.Notes {
		a.Note("%s", note)
	}
	switch {
	case c.Bool("json"):
		return a.PrintJSON(r)
	case c.Bool("csv"):
		end := "\r\n"
		if shell.Terminal(a.Streams.Out) {
			end = "\n" // the other is not shown there
		}
		if err := writeCSV(a.Data(), r, end); err != nil {
			return err
		}
	default:
		headings, rows := make([]string, len(r.Columns)), make([][]string, len(r.Rows))
		for i, col := range r.Columns {
			headings[i] = shell.Printable(col.Name)
		}
		for i, row := range r.Rows {
			rows[i] = make([]string, len(row))
			for j, value := range row {
				rows[i][j] = shell.Short(valueText(value), 60)
			}
		}
		if len(rows) == 0 {
			a.Note("no rows")
		} else {
			a.PrintTable(headings, rows)
		}
	}
	if r.Truncated {
		a.Note("there is more than these %d rows: narrow the statement, aggregate, or request more with --max-rows (at most 1000)", r.RowCount)
	}
	return nil
}

// writeCSV writes the result of a query as RFC 4180 has it, and so that nothing
// is lost: line breaks within a text stay as they are, which encoding/csv would
// change, and an empty text differs from NULL, but in a result with a single
// column, where readers skip an empty line.
func writeCSV(to io.Writer, r *aiclient.Result, end string) error {
	w := bufio.NewWriter(to)
	line := func(cells int, cell func(int) (text string, null bool)) {
		for i := range cells {
			if i > 0 {
				_ = w.WriteByte(',') // Flush tells
			}
			text, null := cell(i)
			if null && cells > 1 {
				continue
			}
			if text == "" || strings.ContainsAny(text, "\",\r\n") || strings.TrimSpace(text) != text {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			_, _ = w.WriteString(text)
		}
		_, _ = w.WriteString(end)
	}
	line(len(r.Columns), func(i int) (string, bool) { return r.Columns[i].Name, false })
	for _, row := range r.Rows {
		line(len(row), func(i int) (string, bool) { return valueText(row[i]), row[i] == nil })
	}
	return w.Flush()
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

// printExplanation shows how a statement would be run.
func (a *app) printExplanation(c *cli.Context, e *aiclient.Explanation) error {
	if c.Bool("json") {
		return a.PrintJSON(e)
	}
	var b strings.Builder
	var show func(n aiclient.PlanNode, depth int)
	show = func(n aiclient.PlanNode, depth int) {
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), shell.Printable(n.Node))
		if n.TotalCost > 0 {
			fmt.Fprintf(&b, "  (cost %.2f..%.2f)", n.StartupCost, n.TotalCost)
		}
		b.WriteByte('\n')
		for _, inner := range n.Plans {
			show(inner, depth+1)
		}
	}
	show(e.Plan, 0)
	fmt.Fprintf(&b, "reads: %s\n", shell.Printable(strings.Join(e.Tables, ", ")))
	_, err := io.WriteString(a.Streams.Out, b.String())
	return err
}

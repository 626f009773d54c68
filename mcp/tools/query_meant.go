package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/erphub/erphub/aiquery/answer"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// notAvailable is how a name is refused that is not there, or not for the role:
// in the same words.
var notAvailable = regexp.MustCompile(`\b(table|column) "((?:[^"]|"")+)" is not available`)

// ofMoney is how functions of the ERP are refused whose figures templates
// compute.
var ofMoney = regexp.MustCompile(`\bfunction (?:\w+\.)?(?:invoice(?:open|paid)\w*|currency(?:convert|rate)\w*|paymentterm\w+) is not available`)

// relation is a name behind FROM, JOIN or a comma between tables.
var relation = regexp.MustCompile(`(?i)\b(?:from|join)\s+([a-z_][a-z0-9_$.]*(?:(?:\s+(?:as\s+)?[a-z_][a-z0-9_]*)?\s*,\s*[a-z_][a-z0-9_$.]*)*)`)

// meant adds to the refusal of a name the names that may have been meant. Only
// tables and columns that the role may ask for are suggested, whatever the
// dictionary has.
func (b *Toolbox) meant(ctx context.Context, c *mcp.Call, in questionIn, err error) error {
	var e *mcp.Error
	if !errors.As(err, &e) || e.Code != mcp.CodePermissionDenied && e.Code != mcp.CodeInvalidArguments {
		return err
	}
	if m := ofMoney.FindStringSubmatch(e.Message); m != nil {
		return &mcp.Error{
			Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter, Err: e,
			Hint: strings.TrimPrefix(e.Hint+"; getQueryTemplates with the name open-invoices or receivables-aging has SQL that computes it", "; "),
		}
	}
	m := notAvailable.FindStringSubmatch(e.Message)
	if m == nil {
		return err
	}
	kind, full := m[1], strings.ReplaceAll(m[2], `""`, `"`)
	name := full[strings.LastIndexByte(full, '.')+1:]
	d, ok := backend.Find[backend.Describer](b.pool)
	if !ok || ctx.Err() != nil {
		return err
	}
	var near []string
	if kind == "table" {
		near = b.nearTables(ctx, c, d, in.RoleID, name)
	} else {
		near = b.nearColumns(ctx, c, d, in, name)
	}
	hinted := &mcp.Error{Code: e.Code, Message: e.Message, Hint: e.Hint, RetryAfter: e.RetryAfter, Err: e}
	add := "searchRegistry finds tables by what they are about"
	inQuotes := name != strings.ToLower(name) // PostgreSQL makes all others small
	switch {
	case inQuotes && (len(near) > 0 && strings.EqualFold(near[0], full) || kind == "column" && endsWithFold(near, name)):
		add = fmt.Sprintf("a name in quotes keeps its capital letters, which the database does not have: write %s without quotes", strings.ToLower(name))
	case len(near) > 0 && strings.EqualFold(near[0], name):
		add = fmt.Sprintf("write the table's name without a schema: %s", near[0])
	case len(near) > 0:
		add = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	case kind == "column":
		add = "describeTable shows the columns of a table"
	}
	hinted.Hint = strings.TrimPrefix(hinted.Hint+"; "+add, "; ")
	return hinted
}

// endsWithFold tells whether a column is among those near it, each of the form
// table.column, in other letters.
func endsWithFold(near []string, column string) bool {
	return slices.ContainsFunc(near, func(n string) bool { return strings.EqualFold(n[strings.LastIndexByte(n, '.')+1:], column) })
}

// nearTables are at most three tables the role may query whose names resemble
// the word.
func (b *Toolbox) nearTables(ctx context.Context, c *mcp.Call, d backend.Describer, role *int, word string) []string {
	reg, err := b.registry(ctx, c)
	if err != nil {
		return nil
	}
	list, err := reg.Tables(ctx, dict.ListQuery{})
	if err != nil {
		return nil
	}
	names := make([]string, len(list.Items))
	for i, t := range list.Items {
		names[i] = t.Name
	}
	var near []string
	for _, name := range nearest.Names(word, names, 6) {
		if len(near) == 3 {
			break
		}
		// The role learns nothing: what it may not know is left out like what is
		// not there.
		if m, err := d.Describe(ctx, c.Caller, role, name); err == nil && m.Queryable {
			near = append(near, m.Name)
		}
	}
	return near
}

// nearColumns are at most three columns that resemble the word, of the tables
// that the statement names.
func (b *Toolbox) nearColumns(ctx context.Context, c *mcp.Call, d backend.Describer, in questionIn, word string) []string {
	var tables []*answer.TableMetadata
	for _, name := range relations(in.SQL) {
		if len(tables) == 5 {
			break
		}
		if m, err := d.Describe(ctx, c.Caller, in.RoleID, name); err == nil && m.Queryable {
			tables = append(tables, m)
		}
	}
	var names []string
	for _, t := range tables {
		for _, col := range t.Columns {
			if !col.Virtual {
				names = append(names, col.Name)
			}
		}
	}
	near := nearest.Names(word, names, 3)
	for i, name := range near {
		for _, t := range tables {
			if slices.ContainsFunc(t.Columns, func(col answer.ColumnMetadata) bool { return col.Name == name }) {
				near[i] = t.Name + "." + name
				break
			}
		}
	}
	return near
}

// relations are the names of tables in a statement, as far as they can be seen
// without understanding it.
func relations(sql string) []string {
	var names []string
	for _, m := range relation.FindAllStringSubmatch(sql, 20) {
		for part := range strings.SplitSeq(m[1], ",") {
			fields := strings.Fields(part)
			if len(fields) == 0 {
				continue
			}
			name := fields[0][strings.LastIndexByte(fields[0], '.')+1:]
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

package tools

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// tableQuestion is what the user is asked before a table is made. missing are the
// columns that a table which exists lacks; nil: it does not exist.
func tableQuestion(table dict.Table, plan *dict.Plan, missing []string, dictionaryOnly bool) *mcp.Question {
	where := placeOf(dictionaryOnly)
	q := mcp.Ask("Create the table %s with %s columns "+where+"?", mcp.Name(table.Name), plan.Summary().Columns)
	if missing != nil {
		q = mcp.Ask("Complete the table %s "+where+"? It exists and lacks %s of %s columns; what else is named here is made where it is missing.",
			mcp.Name(table.Name), len(missing), plan.Summary().Columns)
	}
	return planned(q, plan, func(column string) bool { return missing == nil || slices.Contains(missing, column) })
}

// placeOf is where something is made.
func placeOf(dictionaryOnly bool) string {
	if dictionaryOnly {
		return "in the dictionary"
	}
	return "in the dictionary and the database"
}

// planned adds what a plan makes: each column with what it is, and the names of the
// other records by kind. Elements and fields have the names of columns.
func planned(q *mcp.Question, plan *dict.Plan, made func(column string) bool) *mcp.Question {
	names := map[string][]string{}
	var columns []string
	fields, elements := map[string]bool{}, false
	for _, row := range plan.Rows() {
		_, column, _ := strings.Cut(row.Name, ".")
		switch row.Kind {
		case "AD_Table":
			if row.Detail != "" {
				q.Fact("table", row.Detail)
			}
		case "AD_Element":
			elements = true
		case "AD_Column":
			columns = append(columns, column)
			if made(column) {
				q.Say("column %s: %s", mcp.Name(column), row.Detail)
			}
		case "AD_Field":
			fields[column] = true
		case "AD_Ref_List":
			names[row.Kind] = append(names[row.Kind], strings.TrimSuffix(row.Name+" ("+row.Detail+")", " ()"))
		default:
			names[row.Kind] = append(names[row.Kind], row.Name)
		}
	}
	if elements {
		q.Say("AD_Element: one for each column whose name is new")
	}
	without := slices.DeleteFunc(columns, func(column string) bool { return fields[column] })
	switch {
	case len(fields) > 0 && len(without) > 0:
		q.Say("AD_Field: one for each column but %s", without)
	case len(fields) > 0:
		q.Say("AD_Field: one for each column")
	}
	for _, kind := range slices.Sorted(maps.Keys(names)) {
		q.Say("%s: %s", mcp.Name(kind), names[kind])
	}
	return q
}

// columnsNow are the columns that a table has in the ERP now, by name. The dictionary at
// hand may be older.
func columnsNow(ctx context.Context, client *erp.Client, table int) (map[string]erp.Record, error) {
	columns := map[string]erp.Record{}
	return columns, each(ctx, client, "AD_Column", erp.Eq("AD_Table_ID", table), func(column erp.Record) error {
		name, _ := column.Text("ColumnName")
		columns[name] = column
		return nil
	})
}

// restsOnColumns has a question rest on columns, and returns their names.
func restsOnColumns(q *mcp.Question, columns map[string]erp.Record) (names []mcp.Name) {
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		names = append(names, mcp.Name(name))
		q.Rests("column "+name, columnInShort(columns[name]))
	}
	return names
}

// columnInShort tells one state of a column from another.
func columnInShort(column erp.Record) string {
	return inShort(column, "AD_Reference_ID", "FieldLength", "IsMandatory")
}

// question is what the user is asked before a table is deleted.
func (o *deleteTableOut) question(ctx context.Context, client *erp.Client, t *registry.Table, going *going) (*mcp.Question, error) {
	columns, err := columnsNow(ctx, client, t.ID)
	if err != nil {
		return nil, err
	}
	o.Columns = len(columns)
	q := mcp.Ask("Delete table %s from the dictionary, with its %s columns?", mcp.Name(o.Table), o.Columns)
	q.Fact("columns", restsOnColumns(q, columns))
	if len(o.Windows) > 0 {
		q.Say("windows, with their menu entries: %s", o.Windows)
	}
	if len(o.Tabs) > 0 {
		q.Fact("tabs", o.Tabs)
	}
	count := map[string]int{}
	for _, s := range going.steps {
		if s.change == nil {
			count[s.table]++
		}
	}
	for _, table := range slices.Sorted(maps.Keys(count)) {
		q.Fact(table, count[table])
	}
	switch o.Rows {
	case -1:
		q.Say("How many rows it has is not known; none can be reached afterwards.")
	case 0:
		q.Say("It has no rows that this role sees; if others have some, nobody can reach them afterwards.")
	default:
		q.Say("It has %s rows that this role sees; nobody can reach them afterwards.", o.Rows)
	}
	return q, nil
}

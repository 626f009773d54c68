package dictcompare

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/sqlquote"
)

// DB is a database or a transaction.
type DB interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Snapshot is what a database has of some tables: lines that are equal in two
// databases when the things they describe are.
type Snapshot struct {
	Rows     []string // of the dictionary, sorted
	Physical []string // of the database's own tables, sorted; empty unless read
}

// row is a row by lower-case column names; NULL and empty texts have no entry.
type row map[string]string

// reader reads one snapshot.
type reader struct {
	ctx   context.Context //nolint:containedctx // lives as long as one call
	db    DB
	names map[string]map[string]string // table to id to name
	out   Snapshot
}

// stamps are columns that tell when and by whom, and the running numbers.
var stamps = map[string]bool{"created": true, "createdby": true, "updated": true, "updatedby": true, "currentnext": true, "currentnextsys": true}

// FilledOverREST reports whether a value of a column, in lower case, is one that the
// REST API gives records which leave it out, and scripts and packages do not: 0 for
// numbers, N for buttons, the log-in's default info window.
func FilledOverREST(column, value string) bool {
	switch column {
	case "ad_infowindow_id":
		return true
	case "issyncdatabase", "importfields", "copycolumnsfromtable", "copycomponentsfromview", "createpartition", "createwindowfromtable",
		"databaseviewdrop", "importtable", "tableindexdrop": // buttons
		return value == "N"
	}
	return value == "0" && !strings.HasSuffix(column, "_id")
}

// named are tables whose records others refer to, with the query for their names.
var named = []struct{ table, query string }{
	{"AD_Table", "SELECT AD_Table_ID, TableName FROM AD_Table"},
	{"AD_Column", "SELECT c.AD_Column_ID, t.TableName||'.'||c.ColumnName FROM AD_Column c JOIN AD_Table t ON t.AD_Table_ID=c.AD_Table_ID"},
	{"AD_Element", "SELECT AD_Element_ID, ColumnName FROM AD_Element"},
	{"AD_Reference", "SELECT AD_Reference_ID, Name FROM AD_Reference"},
	{"AD_Window", "SELECT AD_Window_ID, Name FROM AD_Window"},
	{"AD_Tab", "SELECT b.AD_Tab_ID, w.Name||'.'||b.Name FROM AD_Tab b JOIN AD_Window w ON w.AD_Window_ID=b.AD_Window_ID"},
	{"AD_TableIndex", "SELECT AD_TableIndex_ID, Name FROM AD_TableIndex"},
	{"AD_Menu", "SELECT AD_Menu_ID, Name FROM AD_Menu"},
	{"AD_Role", "SELECT AD_Role_ID, Name FROM AD_Role"},
	{"AD_Process", "SELECT AD_Process_ID, Value FROM AD_Process"},
	{"AD_Val_Rule", "SELECT AD_Val_Rule_ID, Name FROM AD_Val_Rule"},
}

// targets are the tables that columns refer to whose names do not say so.
var targets = map[string]string{
	"ad_key": "AD_Column", "ad_display": "AD_Column", "ad_reference_value_id": "AD_Reference", "node_id": "AD_Menu", "parent_id": "AD_Menu",
}

// Read reads the dictionary rows of the tables with everything that belongs to
// them: columns, terms, references, indexes, windows with tabs and fields, menu
// entries with their places, access, and number sequences. The tables may be
// missing.
func Read(ctx context.Context, db DB, tables ...string) (*Snapshot, error) {
	r := &reader{ctx: ctx, db: db, names: map[string]map[string]string{}}
	for _, n := range named {
		list, err := r.query(n.query)
		if err != nil {
			return nil, fmt.Errorf("reading the names of %s: %w", n.table, err)
		}
		r.names[n.table] = list
	}
	quoted := make([]string, len(tables))
	for i, t := range tables {
		quoted[i] = sqlquote.Text(strings.ToLower(t))
	}
	if len(tables) == 0 {
		quoted = []string{"''"}
	}
	ours := "SELECT AD_Table_ID FROM AD_Table WHERE lower(TableName) IN (" + strings.Join(quoted, ",") + ")"
	references := "SELECT AD_Reference_Value_ID FROM AD_Column WHERE AD_Table_ID IN (" + ours + ")"
	windows := "SELECT AD_Window_ID FROM AD_Tab WHERE AD_Table_ID IN (" + ours + ")"
	menus := "SELECT AD_Menu_ID FROM AD_Menu WHERE AD_Window_ID IN (" + windows + ")"
	for _, part := range []struct{ table, where string }{
		{"AD_Table", "AD_Table_ID IN (" + ours + ")"},
		{"AD_Column", "AD_Table_ID IN (" + ours + ")"},
		{"AD_Element", "AD_Element_ID IN (SELECT AD_Element_ID FROM AD_Column WHERE AD_Table_ID IN (" + ours + "))"},
		{"AD_Reference", "AD_Reference_ID IN (" + references + ")"},
		{"AD_Ref_List", "AD_Reference_ID IN (" + references + ")"},
		{"AD_Ref_Table", "AD_Reference_ID IN (" + references + ")"},
		{"AD_TableIndex", "AD_Table_ID IN (" + ours + ")"},
		{"AD_IndexColumn", "AD_TableIndex_ID IN (SELECT AD_TableIndex_ID FROM AD_TableIndex WHERE AD_Table_ID IN (" + ours + "))"},
		{"AD_Window", "AD_Window_ID IN (" + windows + ")"},
		{"AD_Tab", "AD_Table_ID IN (" + ours + ")"},
		{"AD_Field", "AD_Tab_ID IN (SELECT AD_Tab_ID FROM AD_Tab WHERE AD_Table_ID IN (" + ours + "))"},
		{"AD_Menu", "AD_Menu_ID IN (" + menus + ")"},
		{"AD_TreeNodeMM", "Node_ID IN (" + menus + ")"},
		{"AD_Window_Access", "AD_Window_ID IN (" + windows + ")"},
		{"AD_Sequence", "IsTableID='Y' AND lower(Name) IN (" + strings.Join(quoted, ",") + ")"},
	} {
		if err := r.table(part.table, part.where); err != nil {
			return nil, err
		}
	}
	slices.Sort(r.out.Rows)
	return &r.out, nil
}

// query reads pairs.
func (r *reader) query(query string) (map[string]string, error) {
	rows, err := r.db.QueryContext(r.ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var id int64
		var name sql.NullString
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		out[strconv.FormatInt(id, 10)] = name.String
	}
	return out, rows.Err()
}

// table adds the rows of a dictionary table.
func (r *reader) table(table, where string) error {
	rows, err := r.db.QueryContext(r.ctx, "SELECT * FROM "+table+" WHERE "+where)
	if err != nil {
		return fmt.Errorf("reading %s: %w", table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("reading %s: %w", table, err)
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return fmt.Errorf("reading %s: %w", table, err)
		}
		fields := row{}
		for i, c := range columns {
			if text := valueText(*values[i].(*any)); text != "" { //nolint:forcetypeassert // made above
				fields[strings.ToLower(c)] = text
			}
		}
		r.out.Rows = append(r.out.Rows, r.line(table, fields))
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading %s: %w", table, err)
	}
	return nil
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// made are the tables whose rows the server makes with others, so that their
// UUIDs differ each time.
var made = map[string]bool{"AD_TreeNodeMM": true, "AD_Window_Access": true, "AD_Sequence": true}

// line is a row as text: references by name, no stamps, no own id.
func (r *reader) line(table string, fields row) string {
	lower := strings.ToLower(table)
	var parts []string
	for name, text := range fields {
		switch {
		case stamps[name], name == lower+"_id", made[table] && name == lower+"_uu", FilledOverREST(name, text):
			continue
		}
		if target := r.target(table, name); target != "" {
			if known, ok := r.names[target][text]; ok {
				text = known
			}
		}
		parts = append(parts, name+"="+strconv.Quote(text))
	}
	slices.Sort(parts)
	return table + " " + r.key(table, fields) + ": " + strings.Join(parts, " ")
}

// target is the table that a column refers to, "" when its values are not looked
// up.
func (r *reader) target(table, column string) string {
	if t, ok := targets[column]; ok && (column != "parent_id" && column != "node_id" || table == "AD_TreeNodeMM") {
		return t
	}
	for _, n := range named {
		if column == strings.ToLower(n.table)+"_id" {
			return n.table
		}
	}
	return ""
}

// key names a row among those of its table, so that a difference names the
// right row.
func (r *reader) key(table string, fields row) string {
	name := func(target, column string) string { return r.names[target][fields[column]] }
	switch table {
	case "AD_Table":
		return fields["tablename"]
	case "AD_Column":
		return name("AD_Table", "ad_table_id") + "." + fields["columnname"]
	case "AD_Element":
		return fields["columnname"]
	case "AD_Ref_List":
		return name("AD_Reference", "ad_reference_id") + "." + fields["value"]
	case "AD_Ref_Table":
		return name("AD_Reference", "ad_reference_id")
	case "AD_IndexColumn":
		return name("AD_TableIndex", "ad_tableindex_id") + "." + name("AD_Column", "ad_column_id")
	case "AD_Field":
		return name("AD_Tab", "ad_tab_id") + "." + name("AD_Column", "ad_column_id")
	case "AD_TreeNodeMM":
		return name("AD_Menu", "node_id") + " in tree " + fields["ad_tree_id"]
	case "AD_Window_Access":
		return name("AD_Window", "ad_window_id") + " for " + name("AD_Role", "ad_role_id")
	}
	return fields["name"]
}

package erp

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ShowSQL requests the statement the server runs, in Page.SQL.
type ShowSQL string

// Values of ShowSQL.
const (
	SQLHidden  ShowSQL = ""       // the default
	SQLShown   ShowSQL = "true"   // statement and records
	SQLWithout ShowSQL = "nodata" // statement without records
)

// Query says which records to read and what of them. The zero value reads
// everything the role may see, in pages of the server's size. The server
// returns active records only, unless the filter names IsActive.
type Query struct {
	Filter Filter
	// Select names the columns to return; id, uid and model-name always come.
	// Empty returns all.
	Select []string
	// Expand replaces references by the records referred to and adds children.
	Expand []Expand
	// OrderBy names columns, each optionally followed by " asc" or " desc";
	// see Asc and Desc. Without it the server's order is undefined: Query
	// leaves it so, Records adds the key.
	OrderBy []string
	// Top is the number of records per request. 0, or more than the server's
	// cap (100 by default), gives as many as the cap allows.
	Top int
	// Skip is the number of records to leave out at the start.
	Skip int
	// Limit bounds the number of records over all pages of Records; 0 is no
	// bound. Query ignores it.
	Limit int
	// ValRule is a dynamic validation (AD_Val_Rule) to apply.
	ValRule ID
	// Context gives values for the variables of ValRule. Values may consist of
	// ASCII letters, digits, blanks and "-" only: the server skips others
	// silently.
	Context map[string]string
	ShowSQL ShowSQL
	// Label is a condition on AD_Label that a label of the record must meet.
	Label Filter
	// ShowLabel adds the labels of each record as "assigned-labels", reduced
	// to LabelColumns if these are given.
	ShowLabel    bool
	LabelColumns []string
}

// GetOptions says what of one record to read.
type GetOptions struct {
	Select       []string
	Expand       []Expand
	ShowSQL      bool // adds "sql-command" to the record
	ShowLabel    bool
	LabelColumns []string
}

// Asc orders by a column, smallest first.
func Asc(column string) string { return column }

// Desc orders by a column, largest first.
func Desc(column string) string { return column + " desc" }

// maxInt32 is the largest number the server takes for $top and $skip.
const maxInt32 = 1<<31 - 1

func isPage(top, skip int) bool { return min(top, skip) >= 0 && max(top, skip) <= maxInt32 }

func countText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// clone copies the query so that the caller may change the original.
func (q *Query) clone() Query {
	if q == nil {
		return Query{}
	}
	c := *q
	c.Select = slices.Clone(q.Select)
	c.Expand = slices.Clone(q.Expand)
	c.OrderBy = slices.Clone(q.OrderBy)
	c.Context = maps.Clone(q.Context)
	c.LabelColumns = slices.Clone(q.LabelColumns)
	return c
}

// encode writes the query string.
func (q *Query) encode(separator string) (query, error) {
	var out query
	if q == nil {
		return out, nil
	}
	if !isPage(q.Top, q.Skip) || q.Limit < 0 {
		return out, invalid("Top, Skip and Limit must be between 0 and %d", maxInt32)
	}
	filter, err := q.Filter.Render()
	if err != nil {
		return out, err
	}
	label, err := q.Label.Render()
	if err != nil {
		return out, err
	}
	if q.Filter.kind == filterRaw && (!q.ValRule.IsZero() || label != "") {
		// The server appends these with "and" and no parentheses.
		filter = q.Filter.grouped()
	}
	out.addText("$filter", filter)
	if err := encodeShape(&out, q.Select, q.Expand, separator); err != nil {
		return out, err
	}
	order, err := orderText(q.OrderBy)
	if err != nil {
		return out, err
	}
	out.addText("$orderby", order)
	out.addText("$top", countText(q.Top))
	out.addText("$skip", countText(q.Skip))
	if err := q.encodeRule(&out); err != nil {
		return out, err
	}
	switch q.ShowSQL {
	case SQLHidden:
	case SQLShown, SQLWithout:
		out.add("showsql", string(q.ShowSQL))
	default:
		return out, invalid("ShowSQL is %s; use SQLShown or SQLWithout", quote(string(q.ShowSQL)))
	}
	out.addText("label", label)
	return out, encodeLabels(&out, q.ShowLabel, q.LabelColumns)
}

// contextCharacters are what the server takes in the value of a context variable.
const contextCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -"

func (q *Query) encodeRule(out *query) error {
	if q.ValRule.IsZero() {
		if len(q.Context) > 0 {
			return invalid("Context has values but there is no ValRule to use them")
		}
		return nil
	}
	rule, err := q.ValRule.segment()
	if err != nil {
		return err
	}
	out.add("$valrule", rule)
	pairs := make([]string, 0, len(q.Context))
	for _, name := range slices.Sorted(maps.Keys(q.Context)) {
		value := q.Context[name]
		if name == "" || strings.ContainsAny(name, ":,@") || strings.ContainsFunc(name, unicode.IsControl) {
			return invalid("%s is not the name of a context variable", quote(name))
		}
		if strings.Trim(value, contextCharacters) != "" {
			return invalid("the value %s of the context variable %s: the server takes ASCII letters, digits, blanks and - only",
				quote(value), quote(name))
		}
		pairs = append(pairs, name+":"+value)
	}
	out.addText("$context", strings.Join(pairs, ","))
	return nil
}

// encode writes the query string of a single read.
func (o *GetOptions) encode(separator string) (query, error) {
	var out query
	if o == nil {
		return out, nil
	}
	if err := encodeShape(&out, o.Select, o.Expand, separator); err != nil {
		return out, err
	}
	if o.ShowSQL {
		out.add("showsql", string(SQLShown))
	}
	return out, encodeLabels(&out, o.ShowLabel, o.LabelColumns)
}

func encodeShape(out *query, columns []string, expand []Expand, separator string) error {
	if err := checkNames("Select", columns); err != nil {
		return err
	}
	out.addText("$select", strings.Join(columns, ","))
	text, err := expandText(expand, separator, 0)
	if err != nil {
		return err
	}
	out.addText("$expand", text)
	return nil
}

func encodeLabels(out *query, show bool, columns []string) error {
	if !show {
		if len(columns) > 0 {
			return invalid("LabelColumns is set but ShowLabel is not")
		}
		return nil
	}
	if err := checkNames("LabelColumns", columns); err != nil {
		return err
	}
	out.add("showlabel", strings.Join(columns, ","))
	return nil
}

func checkNames(what string, columns []string) error {
	for _, column := range columns {
		if !isName(column) {
			return invalid("%s: %s is not a column name", what, quote(column))
		}
	}
	return nil
}

// orderText joins the parts of an order. The server silently drops the whole
// order when one part is wrong, so their form is checked here.
func orderText(parts []string) (string, error) {
	for _, part := range parts {
		column, direction, _ := strings.Cut(part, " ")
		if !isName(column) || direction != "" && !strings.EqualFold(direction, "asc") && !strings.EqualFold(direction, "desc") ||
			direction == "" && strings.HasSuffix(part, " ") {
			return "", invalid("OrderBy: %s is not a column name, optionally followed by one blank and asc or desc", quote(part))
		}
	}
	return strings.Join(parts, ","), nil
}

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/aggregate"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/mcp/backend"
)

// mostSQLGroups is how many rows a statement may return.
const mostSQLGroups = 1000

// statement computes an aggregation in the database.
type statement struct {
	text   string
	params []json.RawMessage
	// conditions are those of the filter, without the one on active records.
	conditions []string
	active     bool                // that one is in the statement
	names      []bool              // of groups: a name follows
	labels     []map[string]string // of groups: names of the values of lists
}

// sql is the aggregation as a statement; false when the filter or a column cannot
// be said in SQL with the same meaning, and records have to be read.
func (a *aggregation) sql(ctx context.Context) (*statement, bool) {
	if a.table == nil || a.table.View {
		return nil, false
	}
	s := &statement{}
	var selected, groups, joins []string
	for i, g := range a.totals.Groups {
		c, ok := a.table.Column(g.Column)
		if !ok || c.Virtual() {
			return nil, false
		}
		column := "t." + strings.ToLower(c.Name)
		isDate := c.Type == dict.TypeDate
		switch {
		case g.Bucket != "" && !isDate:
			return nil, false // moments depend on the time zone
		case g.Bucket == aggregate.Month:
			column = "to_char(" + column + ", 'YYYY-MM')"
		case g.Bucket == aggregate.Quarter:
			column = "to_char(" + column + ", 'YYYY-\"Q\"Q')"
		case g.Bucket == aggregate.Year:
			column = "to_char(" + column + ", 'YYYY')"
		case g.Bucket == aggregate.Day, isDate:
			column = "to_char(" + column + ", 'YYYY-MM-DD')"
		}
		selected, groups = append(selected, column), append(groups, column)
		named := g.Bucket == "" && c.ForeignTable != "" && strings.HasSuffix(c.Name, "_ID") && a.hasName(ctx, c.ForeignTable)
		if named {
			other, target := fmt.Sprintf("g%d", i), strings.ToLower(c.ForeignTable)
			joins = append(joins, fmt.Sprintf(" LEFT JOIN %s %s ON %s.%s_id = %s", target, other, other, target, column))
			selected, groups = append(selected, other+".name"), append(groups, other+".name")
		}
		s.names = append(s.names, named)
		var labels map[string]string
		if c.Type.IsList() {
			labels = a.labels(ctx, &c)
		}
		s.labels = append(s.labels, labels)
	}
	for _, m := range a.totals.Measures {
		text := "count(*)"
		if m.Column != "" {
			c, ok := a.table.Column(m.Column)
			if !ok || c.Virtual() || m.Func != aggregate.Count && !isAmount(&c) {
				return nil, false
			}
			text = fmt.Sprintf("%s(t.%s)", m.Func, strings.ToLower(c.Name))
			if m.Func == aggregate.Avg {
				text = "round(" + text + ", 6)"
			}
		}
		selected = append(selected, text)
	}
	where, ok := s.where(a)
	if !ok {
		return nil, false
	}
	s.text = "SELECT " + strings.Join(selected, ", ") + " FROM " + strings.ToLower(a.table.Name) + " t" + strings.Join(joins, "") + where
	if len(groups) > 0 {
		s.text += " GROUP BY " + strings.Join(groups, ", ")
	}
	return s, true
}

// isAmount reports whether a column holds numbers to compute with.
func isAmount(c *registry.Column) bool {
	switch c.Type {
	case dict.TypeAmount, dict.TypeNumber, dict.TypeQuantity, dict.TypeCostPrice, dict.TypeInteger:
		return true
	}
	return false
}

// hasName reports whether records of a table have a name and the key of the table's
// name.
func (a *aggregation) hasName(ctx context.Context, table string) bool {
	t, err := a.b.table(ctx, a.c, table)
	if err != nil || t == nil || t.View {
		return false
	}
	_, named := t.Column("Name")
	_, keyed := t.Column(t.Name + "_ID")
	return named && keyed
}

// labels are the names of the values of a list.
func (a *aggregation) labels(ctx context.Context, c *registry.Column) map[string]string {
	out := map[string]string{}
	reg, err := a.b.registry(ctx, a.c)
	if err != nil || c.ReferenceID == 0 {
		return out
	}
	if r, err := reg.Reference(ctx, strconv.Itoa(c.ReferenceID)); err == nil {
		for _, v := range r.Values {
			out[v.Value] = v.Name
		}
	}
	return out
}

var (
	joined      = lazyregexp.New(`(?i)[()]|\bor\b|\bnot\b`)
	plainNumber = lazyregexp.New(`^-?\d{1,18}(\.\d{1,12})?$`)
	plainDate   = lazyregexp.New(`^'\d{4}-\d{2}-\d{2}'$`)
)

var sqlOperators = map[string]string{"eq": "=", "neq": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}

// where is the filter in SQL: conditions that all have to be met.
func (s *statement) where(a *aggregation) (string, bool) {
	if joined().MatchString(quoted().ReplaceAllString(a.filter.Text, "''")) {
		return "", false
	}
	var conditions []string
	for _, term := range a.filter.Terms {
		c, ok := a.table.Column(term.Column)
		if !ok || c.Virtual() || len(term.Values) != 1 {
			return "", false
		}
		column, operator, value := "t."+strings.ToLower(c.Name), sqlOperators[term.Operator], term.Values[0]
		switch {
		case operator == "":
			return "", false
		case value == "null" && term.Operator == "eq":
			conditions = append(conditions, column+" IS NULL")
			continue
		case value == "null" && term.Operator == "neq":
			conditions = append(conditions, column+" IS NOT NULL")
			continue
		case c.Type == dict.TypeYesNo && (value == "true" || value == "false"):
			value = s.param(map[string]string{"true": "Y", "false": "N"}[value])
		case plainNumber().MatchString(value) && (isAmount(&c) || c.ForeignTable != "" || c.Key):
		case plainDate().MatchString(value) && c.Type == dict.TypeDate:
			value = "CAST(" + s.param(strings.Trim(value, "'")) + " AS date)"
		case strings.HasPrefix(value, "'") && (c.Type.IsText() || c.Type.IsList()):
			value = s.param(strings.Trim(value, "'"))
		default:
			return "", false
		}
		conditions = append(conditions, column+" "+operator+" "+value)
	}
	s.conditions = slices.Clone(conditions)
	if _, ok := a.table.Column("IsActive"); ok && !a.filter.names("IsActive") { // as REST does it
		s.active, conditions = true, append(conditions, "t.isactive = 'Y'")
	}
	if len(conditions) == 0 {
		return "", true
	}
	return " WHERE " + strings.Join(conditions, " AND "), true
}

func (s *statement) param(text string) string {
	raw, _ := json.Marshal(text) // a text always encodes
	s.params = append(s.params, raw)
	return fmt.Sprintf("$%d", len(s.params))
}

// query runs the statement and takes its rows for groups.
func (a *aggregation) query(ctx context.Context, s *statement) error {
	r, from, err := backend.Read(ctx, a.b.pool, "run SQL", func(ctx context.Context, k backend.Querier) (*api.Result, error) {
		return k.Query(ctx, a.c.Caller, backend.Query{SQL: s.text, Params: s.params, MaxRows: mostSQLGroups})
	})
	if err != nil {
		return err
	}
	if r.Truncated {
		return errNoSQL // too many groups to order here
	}
	for _, cells := range r.Rows {
		row, err := s.row(a, cells)
		if err != nil {
			return err
		}
		a.totals.Put(row)
	}
	a.out.Source = fmt.Sprintf("SQL, by the backend %s, over all records", from)
	return nil
}

func (s *statement) row(a *aggregation, cells []any) (aggregate.Row, error) {
	var row aggregate.Row
	next := func() any {
		if len(cells) == 0 {
			return nil
		}
		cell := cells[0]
		cells = cells[1:]
		return cell
	}
	for i, g := range a.totals.Groups {
		cell := next()
		key := aggregate.Key{}
		if cell != nil {
			key.ID = fmt.Sprint(cell)
			_, key.Number = cell.(json.Number)
			c, _ := a.table.Column(g.Column)
			if c.Type == dict.TypeYesNo {
				key.ID = map[string]string{"Y": "true", "N": "false"}[key.ID]
			}
		}
		key.Name = s.labels[i][key.ID]
		if s.names[i] {
			if name, ok := next().(string); ok {
				key.Name = name
			}
		}
		row.Keys = append(row.Keys, key)
	}
	for range a.totals.Measures {
		value := aggregate.Value{}
		if cell := next(); cell != nil {
			var err error
			if value, err = aggregate.Number(fmt.Sprint(cell)); err != nil {
				return row, errNoSQL
			}
		}
		row.Values = append(row.Values, value)
	}
	return row, nil
}

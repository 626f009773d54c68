package registry

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

const (
	mostValues   = 12 // of a list
	mostActions  = 4  // of the list of a button
	mostPointing = 10 // columns of other tables
	mostInLine   = 60 // columns
)

// DescribeTable describes the columns of a table in lines: its keys, then the columns
// by type, then lists with their values, then the tables around it. The table is one
// with its columns. A mandatory column has an exclamation mark, one that points to
// table T has >T.
func DescribeTable(ctx context.Context, reg Registry, t *Table) ([]string, error) {
	d := describer{t: t, byTarget: map[string][]string{}, byType: map[string][]string{}, lists: map[string]*listLine{}}
	for i := range t.Columns {
		if err := d.column(ctx, reg, &t.Columns[i]); err != nil {
			return nil, err
		}
	}
	around, err := reg.Pointing(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	return append(d.lines(), pointingLines(t, around)...), nil
}

// describer sorts the columns of one table into lines.
type describer struct {
	t        *Table
	keys     []string
	names    []string // identifiers
	standard []string
	parents  []string
	ids      []string // that point to the table of their name
	targets  []string // of other references, in the order of the first column
	byTarget map[string][]string
	types    []string // in the order of the first column
	byType   map[string][]string
	order    []string // of lists
	lists    map[string]*listLine
}

// listLine is a list and the columns that have its values.
type listLine struct {
	columns []string
	values  string
}

func (d *describer) column(ctx context.Context, reg Registry, c *Column) error {
	name := c.Name
	if c.Mandatory {
		name += "!"
	}
	if c.Identifier {
		d.names = append(d.names, c.Name)
	}
	switch {
	case c.Virtual():
		d.add("computed, not for SQL", name)
	case c.Encrypted || c.Secure:
		d.add("masked in queries", name)
	case c.Key || strings.EqualFold(c.Name, d.t.Name+"_UU"):
		d.keys = append(d.keys, c.Name)
	case c.Standard():
		d.standard = append(d.standard, c.Name)
	case c.ForeignTable != "" && c.Parent:
		d.parents = append(d.parents, name+">"+c.ForeignTable)
	case c.ForeignTable+"_ID" == c.Name:
		d.ids = append(d.ids, withLabel(name, c))
	case c.ForeignTable != "":
		if d.byTarget[c.ForeignTable] == nil {
			d.targets = append(d.targets, c.ForeignTable)
		}
		d.byTarget[c.ForeignTable] = append(d.byTarget[c.ForeignTable], withLabel(name, c))
	case c.ReferenceID != 0 && c.Reference != "":
		return d.list(ctx, reg, name, c)
	default:
		d.add(c.TypeName, withLabel(name, c))
	}
	return nil
}

func (d *describer) add(group, name string) {
	if d.byType[group] == nil {
		d.types = append(d.types, group)
	}
	d.byType[group] = append(d.byType[group], name)
}

// list adds a column with the values of a list. Buttons have lists as well.
func (d *describer) list(ctx context.Context, reg Registry, name string, c *Column) error {
	key := strconv.Itoa(c.ReferenceID)
	if d.lists[key] == nil {
		r, err := reg.Reference(ctx, key)
		if err != nil || r.Kind != ReferenceList {
			d.add(c.TypeName, name)
			return ctx.Err()
		}
		most := mostValues
		if c.Type == dict.TypeButton {
			most = mostActions
		}
		var values []string
		for i, v := range r.Values {
			if i == most {
				values = append(values, fmt.Sprintf("%d more", len(r.Values)-i))
				break
			}
			value := clip(v.Value, 30)
			if v.Name != v.Value {
				value += "=" + clip(v.Name, 24)
			}
			values = append(values, value)
		}
		d.lists[key] = &listLine{values: strings.Join(values, "|")}
		d.order = append(d.order, key)
	}
	d.lists[key].columns = append(d.lists[key].columns, name)
	return nil
}

func (d *describer) lines() []string {
	var out []string
	line := func(title string, names []string) {
		for part := range slices.Chunk(names, mostInLine) {
			out = append(out, title+": "+strings.Join(part, " "))
		}
	}
	line("keys", d.keys)
	line("identified by", d.names)
	line("part of", d.parents)
	line("standard columns", d.standard)
	line("to the table they name", d.ids)
	var others []string
	for _, target := range d.targets {
		others = append(others, ">"+target+": "+strings.Join(d.byTarget[target], " ")+";")
	}
	line("to others", others)
	for _, name := range d.types {
		title, names := name, d.byType[name]
		if name == dict.TypeYesNo.String() {
			title += " (Y, N)"
			if !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(n, "!") }) {
				title += ", all mandatory"
				for i := range names {
					names[i] = strings.Replace(names[i], "!", "", 1)
				}
			}
		}
		line(title, names)
	}
	for _, key := range d.order {
		l := d.lists[key]
		out = append(out, strings.Join(l.columns, " ")+": "+l.values)
	}
	return out
}

// withLabel adds the label to a name that does not say what the label says.
func withLabel(name string, c *Column) string {
	plain := strings.ToLower(c.Name)
	for word := range strings.FieldsFuncSeq(strings.ToLower(c.Label), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 3 && strings.Contains(plain, word[:3]) {
			return name // what it says is in the name
		}
	}
	if c.Label == "" || strings.EqualFold(c.Label, c.Name) {
		return name
	}
	return name + "(" + clip(strings.Join(strings.Fields(c.Label), " "), 30) + ")"
}

// pointingLines are the tables around a table: its details first, then the others
// that point to it, as far as they are worth naming.
func pointingLines(t *Table, pointers []Pointer) []string {
	var details, others []string
	for _, p := range pointers {
		if p.View || p.Table == t.Name || strings.HasPrefix(p.Table, "I_") || strings.HasPrefix(p.Table, "T_") {
			continue // records on their way, or made of others
		}
		name := p.Table
		if p.Column != t.Name+"_ID" {
			name += "." + p.Column
		}
		if p.Parent {
			details = append(details, name)
		} else {
			others = append(others, name)
		}
	}
	var out []string
	for _, part := range []struct {
		title string
		names []string
	}{{"details, by " + t.Name + "_ID", details}, {"pointed to by", others}} {
		if len(part.names) == 0 {
			continue
		}
		line := part.title + ": " + strings.Join(part.names[:min(len(part.names), mostPointing)], " ")
		if more := len(part.names) - mostPointing; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, line)
	}
	return out
}

// WindowName is the name of a window by its number, "" for 0 and for one that the
// reader does not see.
func WindowName(ctx context.Context, reg Registry, id int) string {
	if id == 0 {
		return ""
	}
	list, err := reg.Windows(ctx, ListQuery{Inactive: true})
	if err != nil {
		return ""
	}
	for _, w := range list.Items {
		if w.ID == id {
			return w.Name
		}
	}
	return ""
}

func clip(s string, most int) string { return text.Shorten(strings.TrimSpace(s), most) }

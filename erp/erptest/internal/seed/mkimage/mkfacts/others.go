package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// typeNames are the names the files use for display types, by AD_Reference_ID.
var typeNames = map[int64]string{
	10: "string", 11: "integer", 12: "amount", 13: "id", 14: "text", 15: "date", 16: "datetime", 17: "list", 18: "table",
	19: "tabledir", 20: "yesno", 21: "location", 22: "number", 23: "binary", 24: "time", 25: "account", 27: "color",
	28: "button", 29: "quantity", 30: "search", 31: "locator", 32: "image", 33: "assignment", 34: "memo", 35: "pattribute",
	36: "textlong", 37: "costprice", 38: "filepath", 39: "filename", 40: "url", 42: "printer", 53370: "chart",
	200012: "payment", 200133: "timestamptz", 200135: "timezone", 200152: "radiogrouplist", 200161: "chosenlist",
	200162: "chosentable", 200163: "chosensearch", 200173: "schedulerstate", 200202: "recordid", 200231: "uuid",
	200233: "tableuu", 200234: "tablediruu", 200235: "searchuu", 200240: "recorduu", 200267: "json", 200271: "imageurl",
}

// references writes display types, lists and table references.
func (c *compiler) references(w *bytes.Buffer) error {
	slices.SortFunc(c.f.references, func(a, b *reference) int { return cmp.Compare(a.ID, b.ID) })
	for _, r := range slices.Concat(c.f.references, c.made) {
		name := cmp.Or(oneLine(r.Name), strconv.FormatInt(r.ID, 10))
		off := ""
		if r.Inactive {
			off = " off"
		}
		switch r.Type {
		case "D":
			fmt.Fprintf(w, "type %d %s%s\n", r.ID, name, off)
		case "L":
			fmt.Fprintf(w, "list %d : %s\n", r.ID, name)
			seen := map[string]bool{}
			for _, v := range r.Values {
				if value := v[0]; value != "" && !strings.ContainsAny(value, "\r\n") && !seen[value] { // its blanks count
					seen[value] = true
					fmt.Fprintf(w, "  %s : %s\n", value, cmp.Or(oneLine(v[1]), strings.TrimSpace(value)))
				}
			}
		case "T":
			t := c.tableNamed[strings.ToUpper(r.Table)]
			key, display := "", ""
			if t != nil {
				key, display = keyAndDisplay(t)
			}
			if key == "" {
				fmt.Fprintf(w, "table %d - - - : %s\n", r.ID, name)
				continue
			}
			fmt.Fprintf(w, "table %d %s %s %s : %s\n", r.ID, t.Name, key, display, name)
			if where := condition(t, r.Where); where != "" {
				fmt.Fprintf(w, "  where %s\n", where)
			}
		}
	}
	return nil
}

// keyAndDisplay are what a table reference stores and shows of a record.
func keyAndDisplay(t *table) (key, display string) {
	switch t.Name {
	case "AD_Language", "AD_EntityType":
		key = t.has(strings.TrimPrefix(t.Name, map[string]string{"AD_EntityType": "AD_"}[t.Name]))
	default:
		key = t.has(t.Name + "_ID")
	}
	for _, x := range t.Columns {
		if key == "" && x.Key {
			key = x.Name
		}
	}
	key = cmp.Or(key, t.has(t.Name+"_UU"))
	if key == "" {
		for _, x := range t.Columns {
			if strings.HasSuffix(x.Name, "_ID") && !slices.Contains(standard, x.Name) && (key == "" || x.Parent) {
				key = x.Name
			}
		}
	}
	best := 0
	for x, n := range identifiers(t) {
		if x.Virtual == nil && (best == 0 || n < best) {
			best, display = n, x.Name
		}
	}
	return key, cmp.Or(display, t.has("Name"), t.has("Value"), t.has("DocumentNo"), key)
}

// has is the name of a stored column as the table writes it, "" if there is none.
func (t *table) has(name string) string {
	for _, x := range t.Columns {
		if strings.EqualFold(x.Name, name) && x.Virtual == nil {
			return x.Name
		}
	}
	return ""
}

// equals is a comparison of a column with a constant.
var equals = lazyregexp.New(`(?i)^(?:(\w+)\.)?(\w+)\s*(=|<>|!=)\s*('[^']*'|[0-9]+)$`)

// condition writes a condition that only compares columns with constants in one
// form; any other is left out.
func condition(t *table, where string) string {
	var out []string
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.Join(strings.Fields(where), " "), " and ", " AND "), " AND ") {
		m := equals().FindStringSubmatch(strings.TrimSpace(part))
		if m == nil || m[1] != "" && !strings.EqualFold(m[1], t.Name) {
			return ""
		}
		op := m[3]
		if op == "!=" {
			op = "<>"
		}
		out = append(out, t.Name+"."+m[2]+op+m[4])
	}
	return strings.Join(out, " AND ")
}

func (c *compiler) elements(w *bytes.Buffer) error {
	for _, e := range slices.Concat(c.f.elements, c.ownElement) {
		fmt.Fprintf(w, "%d %s %s", e.ID, e.Column, e.Name)
		if text := oneLine(e.Print); text != "" && text != e.Name {
			fmt.Fprintf(w, " | %s", text)
		}
		w.WriteString("\n")
	}
	return nil
}

func plain(s string) string { return strings.ReplaceAll(oneLine(s), "|", "/") }

func (c *compiler) processes(w *bytes.Buffer) error {
	for _, p := range c.f.processes {
		flags := ""
		if p.Report {
			flags += "R"
		}
		if p.Inactive {
			flags += "X"
		}
		name := plain(p.Name)
		fmt.Fprintf(w, "%d|%s|%s|%s|%s|%s\n", p.ID, cmp.Or(plain(p.Value), strings.ReplaceAll(name, " ", "_")), name,
			cmp.Or(p.AccessLevel, "3"), cmp.Or(flags, "-"), plain(cmp.Or(p.ClassName, p.Procedure)))
		for i, a := range p.Para {
			kind := cmp.Or(typeNames[a.Ref], "string")
			length := a.Len
			if length == 0 {
				var ok bool
				if length, ok = lengths[kind]; !ok {
					length = 22
				}
			}
			if r := c.refByID[a.RefValue]; r != nil {
				kind += ":" + strconv.FormatInt(a.RefValue, 10)
			}
			flags := ""
			if a.Mandatory {
				flags += "M"
			}
			if a.Range {
				flags += "R"
			}
			d := strings.TrimSpace(a.Default)
			if strings.ContainsAny(d, "|\n") || strings.HasPrefix(strings.ToUpper(d), "@SQL") {
				d = ""
			}
			fmt.Fprintf(w, "  %d|%s|%s|%s|%d|%s|%s", cmp.Or(int(a.Seq), 10*(i+1)), a.Column, plain(a.Label), kind, length, cmp.Or(flags, "-"), d)
			if a.ValRule != 0 {
				fmt.Fprintf(w, "|%d", a.ValRule)
				if c.usedRules[a.ValRule] == "" {
					c.usedRules[a.ValRule] = c.pointsAt(&column{Name: a.Column}, settled{ref: a.RefValue})
				}
			}
			w.WriteString("\n")
		}
	}
	return nil
}

func (c *compiler) windows(w *bytes.Buffer) error {
	for _, win := range c.f.windows {
		flags := ""
		if win.SOTrx {
			flags += "S"
		}
		if win.Inactive {
			flags += "X"
		}
		fmt.Fprintf(w, "window %d %s %s : %s\n", win.ID, cmp.Or(win.Type, "M"), cmp.Or(flags, "-"), oneLine(win.Name))
		for _, t := range win.Tabs {
			of := c.tableNamed[strings.ToUpper(t.Table)]
			if of == nil {
				continue
			}
			flags := ""
			for _, f := range []struct {
				set  bool
				text string
			}{{t.ReadOnly, "R"}, {!t.SingleRow, "M"}, {t.Translation, "T"}, {!t.Insert && !t.ReadOnly, "N"}} {
				if f.set {
					flags += f.text
				}
			}
			fmt.Fprintf(w, "  tab %d %s %d %d %s : %s\n", t.ID, of.Name, t.Seq, t.Level, cmp.Or(flags, "-"), oneLine(t.Name))
		}
	}
	return nil
}

// rules writes the numbers of validation rules with the table they filter; what
// they say is not among the facts.
func (c *compiler) rules(w *bytes.Buffer) error {
	if err := c.processes(new(bytes.Buffer)); err != nil { // parameters use some, too
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(c.usedRules)) {
		fmt.Fprintf(w, "%d %s\n", id, cmp.Or(c.usedRules[id], "-"))
	}
	return nil
}

// uuids writes the UUIDs that are known, by table and id, without their hyphens.
func (c *compiler) uuids(w *bytes.Buffer) error {
	write := func(name string, known map[int64]string) {
		fmt.Fprintf(w, "%s\n", name)
		for _, id := range slices.Sorted(maps.Keys(known)) {
			if uu := strings.ToLower(strings.ReplaceAll(known[id], "-", "")); len(uu) == 32 {
				fmt.Fprintf(w, "  %d %s\n", id, uu)
			}
		}
	}
	tables, columns, elements := map[int64]string{}, map[int64]string{}, map[int64]string{}
	references, processes, windows := map[int64]string{}, map[int64]string{}, map[int64]string{}
	for _, t := range c.f.tables {
		tables[t.ID] = t.UU
		for _, x := range t.Columns {
			columns[x.ID] = x.UU
		}
	}
	for _, e := range c.f.elements {
		elements[e.ID] = e.UU
	}
	for _, r := range c.f.references {
		references[r.ID] = r.UU
	}
	for _, p := range c.f.processes {
		processes[p.ID] = p.UU
	}
	for _, win := range c.f.windows {
		windows[win.ID] = win.UU
	}
	write("AD_Table", tables)
	write("AD_Column", columns)
	write("AD_Element", elements)
	write("AD_Reference", references)
	write("AD_Process", processes)
	write("AD_Window", windows)
	return nil
}

package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// parseElements reads "<id> <column> <name> | <print text>".
func (m *model) parseElements(file string) error {
	return eachLine(file, func(line string, _ bool) error {
		words := strings.SplitN(line, " ", 3)
		if len(words) < 3 {
			return fmt.Errorf("not an element: %q", line)
		}
		id, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			return err
		}
		e := element{id: id, column: words[1], name: words[2]}
		e.name, e.text, _ = strings.Cut(e.name, " | ")
		e.text = cmp.Or(e.text, e.name)
		m.elements = append(m.elements, e)
		m.elementID[strings.ToUpper(e.column)] = id
		return nil
	})
}

// parseReferences reads display types, lists and table lookups:
//
//	type <id> <name>
//	list <id> : <name>
//	  <value> : <name> | off
//	table <id> <table> <key column> <display column> : <name>
//	  where <sql>
//	  order <sql>
//
// A table of "-" is one the seed does not have.
func (m *model) parseReferences(file string) error {
	var r *reference
	return eachLine(file, func(line string, indented bool) error {
		if indented {
			if r == nil {
				return fmt.Errorf("a value before the first reference")
			}
			return r.add(line)
		}
		words := strings.Fields(line)
		if len(words) < 3 {
			return fmt.Errorf("not a reference: %q", line)
		}
		id, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			return err
		}
		r = &reference{id: id}
		_, r.name, _ = strings.Cut(line, " : ")
		switch words[0] {
		case "type":
			r.kind, r.name = "D", strings.Join(words[2:], " ")
			r.name, r.inactive = strings.CutSuffix(r.name, " off")
		case "list":
			r.kind = "L"
		case "table":
			r.kind = "T"
			if len(words) < 7 {
				return fmt.Errorf("not a table reference: %q", line)
			}
			if words[2] != "-" {
				r.target, r.key, r.display = words[2], words[3], words[4]
			}
		default:
			return fmt.Errorf("unknown kind %q", words[0])
		}
		m.refs = append(m.refs, r)
		return nil
	})
}

func (r *reference) add(line string) error {
	if r.kind == "L" {
		value, name, ok := strings.Cut(line, " : ")
		if !ok {
			return fmt.Errorf("not a list value: %q", line)
		}
		v := listValue{value: value}
		v.name, v.inactive = strings.CutSuffix(name, " | off")
		r.values = append(r.values, v)
		return nil
	}
	if sql, ok := strings.CutPrefix(line, "where "); ok {
		r.where = sql
		return nil
	}
	if sql, ok := strings.CutPrefix(line, "order "); ok {
		r.order = sql
		return nil
	}
	return fmt.Errorf("unknown line %q", line)
}

// parseProcesses reads processes and their parameters; the file's own comment
// tells the form.
func (m *model) parseProcesses(file string) error {
	return eachLine(file, func(line string, indented bool) error {
		f := strings.Split(line, "|")
		if !indented {
			if len(f) != 6 {
				return fmt.Errorf("%d fields of a process instead of 6", len(f))
			}
			id, err := strconv.ParseInt(f[0], 10, 64)
			if err != nil {
				return err
			}
			m.processes = append(m.processes, &process{
				id: id, value: f[1], name: f[2], level: f[3], class: f[5],
				isReport: strings.Contains(f[4], "R"), isDirect: strings.Contains(f[4], "D"), inactive: strings.Contains(f[4], "X"),
			})
			return nil
		}
		if len(f) != 7 && len(f) != 8 || len(m.processes) == 0 {
			return fmt.Errorf("not a parameter: %q", line)
		}
		p := &param{column: f[1], label: f[2], mandatory: strings.Contains(f[5], "M"), rng: strings.Contains(f[5], "R"), deflt: f[6]}
		var err error
		if p.seq, err = strconv.ParseInt(f[0], 10, 64); err != nil {
			return err
		}
		ref, value, err := parseType(f[3])
		if err != nil {
			return err
		}
		p.ref, p.refValue = int64(ref), value
		if p.length, err = strconv.ParseInt(f[4], 10, 64); err != nil {
			return err
		}
		if len(f) == 8 {
			if p.valRule, err = strconv.ParseInt(f[7], 10, 64); err != nil {
				return err
			}
		}
		last := m.processes[len(m.processes)-1]
		last.params = append(last.params, p)
		return nil
	})
}

// parseWindows reads windows and tabs; the file's own comment tells the form.
func (m *model) parseWindows(file string) error {
	return eachLine(file, func(line string, indented bool) error {
		if detail, ok := strings.CutPrefix(line, "  "); ok && indented {
			return m.tabDetail(detail)
		}
		head, name, ok := strings.Cut(line, " : ")
		words := strings.Fields(head)
		if !ok {
			return fmt.Errorf("no name: %q", line)
		}
		if !indented {
			if len(words) != 4 || words[0] != "window" {
				return fmt.Errorf("not a window: %q", line)
			}
			id, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				return err
			}
			m.windows = append(m.windows, &window{id: id, kind: words[2], name: name, sales: strings.Contains(words[3], "S"), inactive: strings.Contains(words[3], "X")})
			return nil
		}
		if len(words) != 6 || words[0] != "tab" || len(m.windows) == 0 {
			return fmt.Errorf("not a tab: %q", line)
		}
		t := &tab{
			table: words[2], name: name, readOnly: strings.Contains(words[5], "R"), grid: strings.Contains(words[5], "M"),
			translation: strings.Contains(words[5], "T"), noInsert: strings.Contains(words[5], "N"),
		}
		for i, target := range map[int]*int64{1: &t.id, 3: &t.seq, 4: &t.level} {
			var err error
			if *target, err = strconv.ParseInt(words[i], 10, 64); err != nil {
				return err
			}
		}
		w := m.windows[len(m.windows)-1]
		w.tabs = append(w.tabs, t)
		return nil
	})
}

// tabDetail reads what else there is to say of the last tab.
func (m *model) tabDetail(line string) error {
	var t *tab
	if n := len(m.windows); n > 0 && len(m.windows[n-1].tabs) > 0 {
		t = m.windows[n-1].tabs[len(m.windows[n-1].tabs)-1]
	}
	word, value, _ := strings.Cut(line, " ")
	var err error
	switch {
	case t == nil:
		err = fmt.Errorf("no tab before %q", line)
	case word == "where":
		t.where = value
	case word == "link":
		t.link = value
	case word == "print":
		t.process, err = strconv.ParseInt(value, 10, 64)
	default:
		err = fmt.Errorf("not a detail of a tab: %q", line)
	}
	return err
}

// parseDescriptions reads "table <name> <text>" and "column <name> <text> | <help>".
func (m *model) parseDescriptions(file string) error {
	m.texts = map[string]description{}
	return eachLine(file, func(line string, _ bool) error {
		kind, rest, _ := strings.Cut(line, " ")
		name, text, ok := strings.Cut(rest, " ")
		key := kind + " " + strings.ToUpper(name)
		if _, twice := m.texts[key]; !ok || twice || kind != "table" && kind != "column" {
			return fmt.Errorf("not a description, or a second one: %q", line)
		}
		d := description{text: text}
		d.text, d.help, _ = strings.Cut(text, " | ")
		m.texts[key] = d
		return nil
	})
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parseFacts reads the compiled facts, which have the same forms as the text files.
func parseFacts() (*model, error) {
	m := newModel()
	for _, read := range []struct {
		name  string
		parse func(string) error
	}{
		{"facts/tables.txt.gz", m.parseTables},
		{"facts/elements.txt.gz", m.parseElements},
		{"facts/references.txt.gz", m.parseReferences},
		{"facts/processes.txt.gz", m.parseProcesses},
		{"facts/windows.txt.gz", m.parseWindows},
		{"facts/rules.txt.gz", m.parseRules},
		{"facts/uuids.txt.gz", m.parseUUIDs},
	} {
		if err := read.parse(read.name); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// supply adds what the facts know and the text files do not. The text files win:
// a table, element, reference, process, window or tab that they describe stays as
// they describe it, and gets from the facts no more than validation rules and
// processes of columns it names without. UUIDs and the numbers of
// validation rules are the facts' alone.
func (m *model) supply(facts *model) {
	m.uuids, m.rules = facts.uuids, facts.rules
	for _, t := range facts.tables {
		own, ok := m.byName[strings.ToUpper(t.Name)]
		if !ok {
			m.tables = append(m.tables, t)
			m.byName[strings.ToUpper(t.Name)] = t
			continue
		}
		own.supply(t)
	}
	for _, e := range facts.elements {
		name := strings.ToUpper(e.column)
		if _, ok := m.elementID[name]; !ok {
			m.elements = append(m.elements, e)
			m.elementID[name] = e.id
		}
	}
	refs := map[int64]bool{}
	for _, r := range m.refs {
		refs[r.id] = true
	}
	for _, r := range facts.refs {
		if !refs[r.id] {
			m.refs = append(m.refs, r)
		}
	}
	processes := map[int64]bool{}
	for _, p := range m.processes {
		processes[p.id] = true
	}
	for _, p := range facts.processes {
		if !processes[p.id] {
			m.processes = append(m.processes, p)
		}
	}
	windows := map[int64]*window{}
	for _, w := range m.windows {
		windows[w.id] = w
	}
	for _, w := range facts.windows {
		if own := windows[w.id]; own != nil {
			own.supply(w)
			continue
		}
		m.windows = append(m.windows, w)
	}
}

func (t *table) supply(facts *table) {
	columns := make(map[string]int, len(facts.Columns))
	for i, c := range facts.Columns {
		columns[strings.ToUpper(c.Name)] = i
	}
	for _, c := range t.Columns {
		i, ok := columns[strings.ToUpper(c.Name)]
		if !ok {
			continue
		}
		c.ValRule = cmp.Or(c.ValRule, facts.Columns[i].ValRule)
		if c.ProcessID == 0 {
			c.ProcessID = facts.Columns[i].ProcessID
		}
	}
}

// supply adds the tabs a window lacks, by their sequence.
func (w *window) supply(facts *window) {
	for _, t := range facts.tabs {
		if !slices.ContainsFunc(w.tabs, func(own *tab) bool { return own.id == t.id }) {
			w.tabs = append(w.tabs, t)
		}
	}
	slices.SortStableFunc(w.tabs, func(a, b *tab) int { return int(a.seq - b.seq) })
}

// rule is a validation rule whose condition the facts do not have. One whose name they
// do not have either is called by its number and the table whose records it filters.
type rule struct {
	id           int64
	entity, name string
}

// parseRules reads "<id> <entity type> <name>".
func (m *model) parseRules(file string) error {
	return eachLine(file, func(line string, _ bool) error {
		f := strings.SplitN(line, " ", 3)
		id, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || len(f) < 3 {
			return fmt.Errorf("not a validation rule: %q", line)
		}
		m.rules = append(m.rules, rule{id: id, entity: f[1], name: f[2]})
		return nil
	})
}

// parseUUIDs reads a table's name, and below it "  <id> <uuid without hyphens>".
func (m *model) parseUUIDs(file string) error {
	m.uuids = map[string]map[int64]string{}
	var ids map[int64]string
	return eachLine(file, func(line string, indented bool) error {
		if !indented {
			ids = map[int64]string{}
			m.uuids[line] = ids
			return nil
		}
		number, hex, _ := strings.Cut(line, " ")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil || len(hex) != 32 || ids == nil {
			return fmt.Errorf("not a UUID of a record: %q", line)
		}
		ids[id] = hex[:8] + "-" + hex[8:12] + "-" + hex[12:16] + "-" + hex[16:20] + "-" + hex[20:]
		return nil
	})
}

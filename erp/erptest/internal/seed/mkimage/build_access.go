package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// grant is what a role may open.
type grant struct {
	role, client int64
	levels       string // access levels that fit the role's user level
	readOnly     bool
	only         map[string][]int64 // nil for everything that fits
}

// grants follow what the ERP generates for roles that are not manual; the
// others have what is listed.
var grants = []grant{
	{role: 0, client: 0, levels: "467"},
	{role: 102, client: 11, levels: "12367"},
	{role: 1_000_000, client: 1_000_000, levels: "12367"},
	{role: 50_000, client: 11, levels: "12367", readOnly: true},
	{role: 103, client: 11, levels: "137", only: map[string][]int64{
		"AD_Window":     {123, 140, 143, 167, 169, 201},
		"AD_Process":    {104, 109, 110, 111, 116, 333, 334},
		"AD_Form":       {103},
		"AD_Task":       {102},
		"AD_InfoWindow": {200_000, 200_001},
		"AD_Workflow":   {115},
	}},
	{role: 1_000_001, client: 1_000_000, levels: "137", only: map[string][]int64{
		"AD_Window":  {123, 140, 143},
		"AD_Process": {104},
	}},
}

// addAccess gives the roles their windows, processes, forms, tasks, workflows
// and info windows.
func (b *builder) addAccess() {
	levels := map[string]map[int64]string{"AD_Window": {}, "AD_InfoWindow": {}}
	for _, w := range b.m.windows {
		if len(w.tabs) > 0 {
			levels["AD_Window"][w.id] = b.m.byName[strings.ToUpper(w.tabs[0].table)].AccessLevel
		}
	}
	byID := map[int64]string{}
	for _, t := range b.m.tables {
		byID[t.ID] = t.AccessLevel
	}
	for _, table := range []string{"AD_Process", "AD_Form", "AD_Task", "AD_Workflow", "AD_InfoWindow"} {
		s := b.sheets[table]
		m := map[int64]string{}
		for _, row := range s.rows {
			id, _ := row[s.index[table+"_ID"]].(int64)
			if table == "AD_InfoWindow" {
				of, _ := row[s.index["AD_Table_ID"]].(int64)
				m[id] = byID[of]
				continue
			}
			m[id], _ = row[s.index["AccessLevel"]].(string)
		}
		levels[table] = m
	}
	for _, g := range grants {
		for _, table := range []string{"AD_Window", "AD_Process", "AD_Form", "AD_Task", "AD_Workflow", "AD_InfoWindow"} {
			b.grant(g, table, levels[table])
		}
	}
}

func (b *builder) grant(g grant, table string, levels map[int64]string) {
	ids := make([]int64, 0, len(levels))
	for id, level := range levels {
		if g.only != nil && !slices.Contains(g.only[table], id) || g.only == nil && !strings.Contains(g.levels, level) {
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		pairs := []any{"AD_Client_ID", g.client, "AD_Role_ID", g.role, table + "_ID", id}
		if _, ok := b.sheets[table+"_Access"].index["IsReadWrite"]; ok {
			pairs = append(pairs, "IsReadWrite", !g.readOnly)
		}
		b.add(table+"_Access", pairs...)
	}
}

// menuKinds are the words of the menu file, with the action and the table of
// what an entry opens.
var menuKinds = map[string]struct{ action, table string }{
	"window": {"W", "AD_Window"}, "process": {"P", "AD_Process"}, "form": {"X", "AD_Form"},
	"task": {"T", "AD_Task"}, "info": {"I", "AD_InfoWindow"}, "workflow": {"F", "AD_Workflow"},
}

// addMenu makes the menu and its tree.
func (b *builder) addMenu() error {
	names := map[string]map[int64]string{}
	reports := map[int64]bool{}
	for _, k := range menuKinds {
		s := b.sheets[k.table]
		m := map[int64]string{}
		for _, row := range s.rows {
			id, _ := row[s.index[k.table+"_ID"]].(int64)
			m[id], _ = row[s.index["Name"]].(string)
			if k.action == "P" && row[s.index["IsReport"]] == "Y" {
				reports[id] = true
			}
		}
		names[k.table] = m
	}
	const menuTree = 10
	id := int64(firstMenuID)
	parents := []int64{0} // by depth
	count := []int{0}
	b.add("AD_TreeNodeMM", "AD_Tree_ID", menuTree, "Node_ID", 0, "SeqNo", 0)
	return eachLine("menu/menu.txt", func(line string, _ bool) error {
		dots, rest, ok := strings.Cut(line, " ")
		depth := len(dots)
		if !ok || strings.Trim(dots, ".") != "" || depth > len(parents) {
			return fmt.Errorf("not a menu entry: %q", line)
		}
		parents, count = parents[:depth], count[:depth]
		word, number, _ := strings.Cut(rest, " ")
		kind, isEntry := menuKinds[word]
		if isEntry {
			target, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return err
			}
			name := names[kind.table][target]
			if name == "" {
				return fmt.Errorf("there is no %s %d", word, target)
			}
			action := kind.action
			if action == "P" && reports[target] {
				action = "R"
			}
			b.add("AD_Menu", "AD_Menu_ID", id, "Name", name, "Action", action, kind.table+"_ID", target,
				"IsSummary", false, "IsSOTrx", target != 181 && target != 183 && target != 184, "EntityType", "D")
		} else {
			b.add("AD_Menu", "AD_Menu_ID", id, "Name", rest, "IsSummary", true, "EntityType", "D")
		}
		b.add("AD_TreeNodeMM", "AD_Tree_ID", menuTree, "Node_ID", id, "Parent_ID", parents[depth-1], "SeqNo", count[depth-1])
		count[depth-1]++
		parents, count = append(parents, id), append(count, 0)
		id++
		return nil
	})
}

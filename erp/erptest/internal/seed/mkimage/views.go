package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// firstViewColumnID is that of the columns of views that are not among the facts,
// which are given in order.
const firstViewColumnID = 970_001

// view is what a view of the ERP shows: the union of its arms.
type view struct {
	table *table
	arms  []*arm
}

// arm is one SELECT of a view.
type arm struct {
	all          bool // UNION ALL with the one before
	sources      []*source
	where, group string
	having       string
	columns      map[string]string // expressions by upper-case name
	names        []string          // of the columns, in the order of the file
	plain        map[string]plain  // those that are columns of a source, by upper-case name
	kinds        map[string]string // types of computed columns, by upper-case name
}

// source is a table of an arm.
type source struct {
	join         string // FROM, JOIN, LEFT JOIN or FULL JOIN
	table, alias string
	on           string
}

// plain is a column of a source.
type plain struct{ alias, column string }

// parseViews reads lines of the forms
//
//	view <name>
//	  from|join|left|full <table> <alias> [<alias>.<key of both>|(<condition>)]
//	  where|group|having <SQL>
//	  <alias>: <column> <column>=<column of the source> ..
//	  <column> [<type>] = <SQL>
//	  union [all]
//
// The SQL is what PostgreSQL and SQLite have in common, and calls of the macros of
// viewsql.go. A column that an arm does not name is NULL in it.
func (m *model) parseViews(file string) error {
	var v *view
	var a *arm
	return eachLine(file, func(line string, indented bool) error {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !indented && word == "view":
			v = &view{table: &table{}}
			v.table.Name = rest
			m.views = append(m.views, v)
			a = v.add(false)
			return nil
		case !indented || v == nil:
			return fmt.Errorf("not a view: %q", line)
		case word == "union":
			a = v.add(rest == "all")
			return nil
		}
		return a.parse(word, rest)
	})
}

func (v *view) add(all bool) *arm {
	a := &arm{all: all, columns: map[string]string{}, plain: map[string]plain{}, kinds: map[string]string{}}
	v.arms = append(v.arms, a)
	return a
}

var joins = map[string]string{"from": "FROM", "join": "JOIN", "left": "LEFT JOIN", "full": "FULL JOIN"}

func (a *arm) parse(word, rest string) error {
	if join := joins[word]; join != "" {
		words := strings.SplitN(rest, " ", 3)
		if len(words) < 2 || (len(words) == 2) != (word == "from") {
			return fmt.Errorf("not a source: %q", rest)
		}
		s := &source{join: join, table: words[0], alias: words[1]}
		if len(words) == 3 {
			s.on = words[2]
			if _, key, ok := strings.Cut(s.on, "."); ok && s.on[0] != '(' {
				s.on = s.alias + "." + key + " = " + s.on
			}
		}
		a.sources = append(a.sources, s)
		return nil
	}
	if clause := map[string]*string{"where": &a.where, "group": &a.group, "having": &a.having}[word]; clause != nil {
		*clause = rest
		return nil
	}
	if alias, ok := strings.CutSuffix(word, ":"); ok {
		for name := range strings.FieldsSeq(rest) {
			name, column, other := strings.Cut(name, "=")
			if !other {
				column = name
			}
			a.plain[strings.ToUpper(name)] = plain{alias, column}
			a.set(name, alias+"."+column)
		}
		return nil
	}
	return a.compute(word, rest)
}

// compute reads a column that does not come from a source.
func (a *arm) compute(word, rest string) error {
	kind, sql, ok := strings.Cut(" "+rest, " = ")
	if !ok || strings.Contains(strings.TrimSpace(kind), " ") {
		return fmt.Errorf("not a line of a view: %q", word+" "+rest)
	}
	if kind = strings.TrimSpace(kind); kind != "" {
		a.kinds[strings.ToUpper(word)] = kind
	}
	a.set(word, sql)
	return nil
}

func (a *arm) set(name, sql string) {
	a.columns[strings.ToUpper(name)] = sql
	a.names = append(a.names, name)
}

// addViews gives the tables of views the columns that the facts lack: those that a
// view shows of its sources, of the same kind as there. It has the views in an order in
// which they can be made.
func (m *model) addViews() error {
	waiting := map[string]*view{}
	for _, v := range m.views {
		waiting[strings.ToUpper(v.table.Name)] = v
	}
	next := int64(firstViewColumnID)
	sorted := make([]*view, 0, len(m.views))
	var add func(v *view) error
	add = func(v *view) error {
		name := strings.ToUpper(v.table.Name)
		if waiting[name] == nil {
			return nil
		}
		delete(waiting, name)
		for _, a := range v.arms {
			for _, s := range a.sources {
				if other := waiting[strings.ToUpper(s.table)]; other != nil {
					if err := add(other); err != nil {
						return err
					}
				}
			}
		}
		sorted = append(sorted, v)
		if v.table = m.byName[name]; v.table == nil || !v.table.IsView {
			return fmt.Errorf("the dictionary has no view %s", name)
		}
		return m.addViewColumns(v, &next)
	}
	for _, v := range m.views {
		if err := add(v); err != nil {
			return err
		}
	}
	m.views = sorted
	return nil
}

func (m *model) addViewColumns(v *view, next *int64) error {
	for _, a := range v.arms {
		for _, name := range a.names {
			if slices.ContainsFunc(v.table.Columns, func(c *store.Column) bool { return strings.EqualFold(c.Name, name) }) {
				continue
			}
			like, err := m.shownBy(v, name)
			if err != nil {
				return err
			}
			c := &store.Column{ID: *next, TableID: v.table.ID, Name: name, Ref: like.Ref, RefValue: like.RefValue, Length: like.Length,
				Encrypted: like.Encrypted, Secure: like.Secure}
			m.refer(v.table, c, like)
			v.table.Columns = append(v.table.Columns, c)
			*next++
		}
	}
	return nil
}

// refer has a column of a view refer to the table that the column it shows refers to,
// by its name or, where it has another name, by a reference.
func (m *model) refer(t *table, c, like *store.Column) {
	byName := c.RefValue == 0 && (c.Ref == displaytype.TableDir || c.Ref == displaytype.Search)
	switch {
	case c.Ref == displaytype.ID && !strings.EqualFold(c.Name, t.Name+"_ID"):
		c.Ref, byName = displaytype.TableDir, true
	case c.Ref == displaytype.ID:
		c.Key = true
	}
	target, _ := strings.CutSuffix(like.Name, "_ID")
	if !byName || strings.EqualFold(c.Name, like.Name) && m.byName[strings.ToUpper(target)] != nil {
		return
	}
	c.Ref = displaytype.Integer
	for _, r := range m.refs {
		if strings.EqualFold(r.target, target) && strings.EqualFold(r.key, like.Name) && r.where == "" && !r.inactive {
			c.Ref, c.RefValue = displaytype.Table, r.id
			return
		}
	}
}

// shownBy is the column that a column of a view is of the kind of: that of its source,
// or for what is computed the first of the same name.
func (m *model) shownBy(v *view, name string) (*store.Column, error) {
	for _, a := range v.arms {
		p, ok := a.plain[strings.ToUpper(name)]
		if !ok {
			continue
		}
		for _, s := range a.sources {
			if s.alias != p.alias {
				continue
			}
			t := m.byName[strings.ToUpper(s.table)]
			if t == nil {
				return nil, fmt.Errorf("view %s: there is no table %s", v.table.Name, s.table)
			}
			if c := columnOf(t, p.column); c != nil {
				return c, nil
			}
			return nil, fmt.Errorf("view %s: %s has no column %s", v.table.Name, s.table, p.column)
		}
		return nil, fmt.Errorf("view %s: no source is called %s", v.table.Name, p.alias)
	}
	for _, a := range v.arms {
		if kind := a.kinds[strings.ToUpper(name)]; kind != "" {
			c := &store.Column{Length: 22}
			var err error
			c.Ref, c.RefValue, err = parseType(kind)
			return c, err
		}
	}
	for _, t := range m.tables {
		if c := columnOf(t, name); c != nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("view %s: of what kind is %s?", v.table.Name, name)
}

func columnOf(t *table, name string) *store.Column {
	for _, c := range t.Columns {
		if strings.EqualFold(c.Name, name) && !c.IsVirtual() {
			return c
		}
	}
	return nil
}

package registry

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
)

// Table implements [Registry].
func (c *Catalog) Table(ctx context.Context, name string, with ...Detail) (Table, error) {
	if err := ctx.Err(); err != nil {
		return Table{}, err
	}
	at, err := c.findTable(name)
	if err != nil {
		return Table{}, err
	}
	all := slices.Contains(with, WithInactive)
	t := c.tables[at]
	if slices.Contains(with, WithoutColumns) {
		return t, nil
	}
	if !c.scope.hasTable(t.ID) {
		return Table{}, &ScopeError{Kind: "table", Name: t.Name}
	}
	t.ColumnCount = int(c.active[at])
	t.Columns = part(c.columns, c.columnsOf[at], all, func(r *Column) bool { return r.Active }, c.joinColumn)
	for i := c.indexesOf[at].from; i < c.indexesOf[at].to; i++ {
		if index := c.indexes[i]; index.Active || all {
			index.Columns = part(c.indexColumns, c.indexParts[i], all, func(r *IndexColumn) bool { return r.Active },
				c.joinIndexColumn)
			t.Indexes = append(t.Indexes, index)
		}
	}
	return t, nil
}

// Element implements [Registry].
func (c *Catalog) Element(ctx context.Context, name string) (Element, error) {
	if err := ctx.Err(); err != nil {
		return Element{}, err
	}
	if !c.scope.hasElement(name) {
		return Element{}, &ScopeError{Kind: "element", Name: name}
	}
	if at, ok := c.elementBy[strings.ToLower(name)]; ok {
		return c.elements[at], nil
	}
	if id, err := strconv.Atoi(name); err == nil {
		if e, ok := c.element(id); ok {
			return *e, nil
		}
	}
	for i := range c.elements {
		if sameUUID(c.elements[i].UUID, name) {
			return c.elements[i], nil
		}
	}
	err := notFound("element", name, c.elements, func(e *Element) (string, bool) { return e.Name, e.Active })
	if c.scope != nil {
		err.Empty = false // nobody looked
	}
	return Element{}, err
}

// Window implements [Registry].
func (c *Catalog) Window(ctx context.Context, name string, with ...Detail) (Window, error) {
	if err := ctx.Err(); err != nil {
		return Window{}, err
	}
	at, ok := find(c.windows, name, func(w *Window) (int, dict.UUID, string, bool) { return w.ID, w.UUID, w.Name, w.Active })
	if !ok {
		return Window{}, notFound("window", name, c.windows, func(w *Window) (string, bool) { return w.Name, w.Active })
	}
	all := slices.Contains(with, WithInactive)
	w := c.windows[at]
	if !c.scope.hasWindow(w.ID) {
		return Window{}, &ScopeError{Kind: "window", Name: w.Name}
	}
	for i := c.tabsOf[at].from; i < c.tabsOf[at].to; i++ {
		if tab := c.tabs[i]; tab.Active || all {
			c.joinTab(&tab)
			tab.Fields = part(c.fields, c.fieldsOf[i], all, func(f *Field) bool { return f.Active }, c.joinField)
			w.Tabs = append(w.Tabs, tab)
		}
	}
	return w, nil
}

// Process implements [Registry].
func (c *Catalog) Process(ctx context.Context, name string, with ...Detail) (Process, error) {
	if err := ctx.Err(); err != nil {
		return Process{}, err
	}
	if c.scope != nil {
		return Process{}, &ScopeError{Kind: "process", Name: name}
	}
	at, ok := find(c.processes, name, func(p *Process) (int, dict.UUID, string, bool) { return p.ID, p.UUID, p.Value, p.Active })
	if !ok {
		at, ok = find(c.processes, name, func(p *Process) (int, dict.UUID, string, bool) { return 0, "", p.Name, p.Active })
	}
	if !ok {
		return Process{}, notFound("process", name, c.processes, func(p *Process) (string, bool) { return p.Value, p.Active })
	}
	p := c.processes[at]
	p.Parameters = part(c.parameters, c.parametersOf[at], slices.Contains(with, WithInactive),
		func(r *Parameter) bool { return r.Active }, c.joinParameter)
	return p, nil
}

// Reference implements [Registry].
func (c *Catalog) Reference(ctx context.Context, name string, with ...Detail) (Reference, error) {
	if err := ctx.Err(); err != nil {
		return Reference{}, err
	}
	at, ok := find(c.references, name, func(r *Reference) (int, dict.UUID, string, bool) { return r.ID, r.UUID, r.Name, r.Active })
	if !ok {
		return Reference{}, notFound("reference", name, c.references,
			func(r *Reference) (string, bool) { return r.Name, r.Active })
	}
	all := slices.Contains(with, WithInactive)
	r := c.references[at]
	if !c.scope.hasReference(r.ID) {
		return Reference{}, &ScopeError{Kind: "reference", Name: r.Name}
	}
	r.Values = part(c.entries, c.entriesOf[at], all, func(e *ListValue) bool { return e.Active }, nil)
	if l, ok := c.lookup(r.ID); ok && (l.Active || all) {
		lookup := *l
		c.joinLookup(&lookup)
		r.Lookup = &lookup
	}
	return r, nil
}

// part copies the rows of a span, those that are active or all, and joins each.
func part[T any](rows []T, of span, all bool, active func(*T) bool, join func(*T)) []T {
	if of.from == of.to {
		return nil
	}
	out := make([]T, 0, of.to-of.from)
	for i := of.from; i < of.to; i++ {
		if !all && !active(&rows[i]) {
			continue
		}
		out = append(out, rows[i])
		if join != nil {
			join(&out[len(out)-1])
		}
	}
	return out
}

// findTable finds a table by name, number or UUID.
func (c *Catalog) findTable(name string) (int32, error) {
	if at, ok := c.tableByName[strings.ToLower(name)]; ok {
		return at, nil
	}
	at, ok := find(c.tables, name, func(t *Table) (int, dict.UUID, string, bool) { return t.ID, t.UUID, t.Name, t.Active })
	if !ok {
		return 0, notFound("table", name, c.tables, func(t *Table) (string, bool) { return t.Name, t.Active })
	}
	return int32(at), nil
}

// find finds a row by name, else by number, else by UUID. Of several with the
// same name an active one is preferred.
func find[T any](rows []T, name string, of func(*T) (id int, uuid dict.UUID, name string, active bool)) (int, bool) {
	number, err := strconv.Atoi(name)
	numeric := err == nil && number > 0
	found, rank := 0, 0
	for i := range rows {
		id, uuid, own, active := of(&rows[i])
		now := 0
		switch {
		case own != "" && strings.EqualFold(own, name):
			now = 3
			if active {
				now = 4
			}
		case numeric && id == number:
			now = 2
		case sameUUID(uuid, name):
			now = 1
		}
		if now > rank {
			found, rank = i, now
		}
	}
	return found, rank > 0
}

func sameUUID(uuid dict.UUID, text string) bool {
	return len(text) == 36 && len(uuid) == 36 && strings.EqualFold(string(uuid), text)
}

// notFound is the error for a name that is not there, with names close to it.
func notFound[T any](what, name string, rows []T, of func(*T) (name string, active bool)) *NotFoundError {
	s := newSuggester(name)
	for i := range rows {
		if own, active := of(&rows[i]); active {
			s.offer(own)
		}
	}
	return &NotFoundError{Kind: what, Name: name, Suggestions: s.best(), Empty: len(rows) == 0}
}

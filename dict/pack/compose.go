package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
)

// composer makes records of a plan's steps.
type composer struct {
	plan    *dict.Plan
	opts    Options
	steps   []dict.Step
	nodes   map[dict.Key]*node
	known   map[dict.Key]int // official ids of reused records
	synced  map[string]bool  // lower-case names of tables the plan synchronises
	roots   []*node
	count   int
	missing []Unresolved
	window  map[*node]*node // window that holds a table
	open    *node           // table placed last
}

// compose makes the tree of records of a plan.
func compose(plan *dict.Plan, opts Options) ([]*node, error) {
	c := &composer{plan: plan, opts: opts, steps: plan.Steps(), nodes: map[dict.Key]*node{}, known: map[dict.Key]int{},
		synced: map[string]bool{}, window: map[*node]*node{}}
	for _, pass := range []func() error{c.makeNodes, c.fill, c.texts, c.wrap, c.place, c.checkEntityTypes} {
		if err := pass(); err != nil {
			return nil, err
		}
	}
	if len(c.missing) > 0 {
		return nil, &UnresolvedError{Missing: c.missing}
	}
	c.keysFirst()
	return c.roots, nil
}

// makeNodes makes a record for every step that makes one.
func (c *composer) makeNodes() error {
	for _, step := range c.steps {
		switch s := step.(type) {
		case *dict.RecordStep:
			if !adid.IsIdentifier(s.Table) {
				return fmt.Errorf("step %s is about %q, which is not a name of a table", s.Key, s.Table)
			}
			if s.Action == dict.Update {
				continue
			}
			if id := c.reused(s); id != 0 {
				c.known[s.Key] = id
				continue
			}
			if s.UUID == "" {
				return fmt.Errorf("step %s has no UUID, so a second import would make its record again", s.Key)
			}
			c.nodes[s.Key] = &node{key: s.Key, table: s.Table, name: s.Name, uuid: s.UUID}
		case *dict.RunStep:
			switch s.Purpose {
			case dict.SyncTable:
				c.synced[strings.ToLower(s.Name)] = true
			case dict.ValidateIndex: // an import builds declared indexes by itself
			case dict.RenameColumn, dict.RenameTable:
				return fmt.Errorf("step %s renames %s, which an archive cannot do: rename over REST or with a migration script first, then make the archive", s.Key, s.Name)
			default:
				return fmt.Errorf("step %s runs a process (%s), which an archive cannot do", s.Key, s.Purpose)
			}
		default:
			return fmt.Errorf("a step of type %T cannot be part of an archive", step)
		}
	}
	return nil
}

// reused is the official id of a record that the ERP has, 0 when it has to be
// made. A second term for a column name makes an import fail, so terms are looked
// up.
func (c *composer) reused(s *dict.RecordStep) int {
	if s.Action != dict.Ensure {
		return 0
	}
	if adid.Official(s.ID) {
		return s.ID
	}
	if s.Table == "AD_Element" {
		if id, ok := adid.Element(s.Text("ColumnName")); ok {
			return id
		}
	}
	return 0
}

// fill gives the records their values.
func (c *composer) fill() error {
	for _, step := range c.steps {
		s, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		n := c.nodes[s.Key]
		if s.Action == dict.Update {
			var err error
			if n, err = c.updated(s); err != nil || n == nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if n == nil {
			continue
		}
		if s.Action != dict.Update {
			if s.Table == "AD_Column" {
				n.set(property{column: "IsSyncDatabase", text: c.syncFlag(s)})
			}
			n.set(property{column: "AD_Client_ID", text: "0"})
			n.set(property{column: "AD_Org_ID", text: "0"})
			n.set(property{column: s.Table + "_UU", text: string(n.uuid)})
		}
		for _, f := range s.Values {
			if err := c.value(n, s, f.Column, f.Value); err != nil {
				return err
			}
		}
		if s.Action != dict.Update {
			if _, ok := n.get("IsActive"); !ok {
				n.set(property{column: "IsActive", text: "Y"})
			}
		}
	}
	return nil
}

// syncFlag says whether the column gets its place in the database with the
// import.
func (c *composer) syncFlag(s *dict.RecordStep) string {
	table, _, _ := strings.Cut(s.Name, ".")
	if c.synced[strings.ToLower(table)] && s.Text("ColumnSQL") == "" {
		return "Y"
	}
	return "N"
}

// updated is the record that an update step changes: one of the plan's own, or
// one outside, which is then written with nothing but the changes and what it is
// found by. The place of a menu entry is kept with the entry.
func (c *composer) updated(s *dict.RecordStep) (*node, error) {
	if s.Of != "" {
		if n := c.nodes[s.Of]; n != nil {
			if n.table == "AD_Column" && onlyTexts(s.Values) {
				// A new column gets the texts of its term, whatever its record says:
				// own ones are a change of what is there by then.
				change := c.changed(s, n.table, n.id, n.uuid)
				for _, name := range []string{"AD_Table_ID", "ColumnName"} {
					if p, ok := n.get(name); ok {
						change.set(p)
					}
				}
				return change, nil
			}
			return n, nil
		}
		if id := c.known[s.Of]; id != 0 {
			of, _ := c.plan.Step(s.Of)
			return c.changed(s, of.(*dict.RecordStep).Table, id, ""), nil //nolint:forcetypeassert // only records are in known
		}
		return nil, fmt.Errorf("step %s changes what step %s changes; join the two", s.Key, s.Of)
	}
	if s.Table == "AD_TreeNodeMM" {
		for _, m := range s.Match {
			if ref, ok := m.Value.(dict.Ref); ok && m.Column == "Node_ID" {
				return c.nodes[dict.Key(ref)], nil
			}
		}
	}
	id, uuid, err := c.identify(dict.Existing{Table: s.Table, Match: s.Match})
	if err != nil {
		return nil, err
	}
	if id == 0 && uuid == "" {
		c.missing = append(c.missing, Unresolved{s.Table, describe(s.Match), s.Key})
		return nil, nil
	}
	n := c.changed(s, s.Table, id, uuid)
	for _, m := range s.Match {
		if err := c.value(n, s, m.Column, m.Value); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// changed is an element for a record that already exists.
func (c *composer) changed(s *dict.RecordStep, table string, id int, uuid dict.UUID) *node {
	n := &node{key: s.Key, table: table, name: s.Name, id: id, uuid: uuid}
	if table == "AD_Column" {
		n.set(property{column: "IsSyncDatabase", text: c.syncFlag(s)})
	}
	n.set(property{column: "AD_Client_ID", text: "0"})
	n.set(property{column: "AD_Org_ID", text: "0"})
	if id != 0 {
		n.set(property{column: table + "_ID", text: fmt.Sprint(id)})
	} else {
		n.set(property{column: table + "_UU", text: string(uuid)})
	}
	c.nodes[s.Key] = n
	return n
}

func (c *composer) reference(s *dict.RecordStep, column string, key dict.Key) (property, error) {
	step, _ := c.plan.Step(key)
	target, isRecord := step.(*dict.RecordStep)
	switch to := c.nodes[key]; {
	case !isRecord:
		return property{}, fmt.Errorf("step %s refers to %s, which is not a record", s.Key, key)
	case to != nil && to.uuid != "":
		return property{column, string(to.uuid), "uuid", to.table}, nil
	case to != nil:
		return property{column, fmt.Sprint(to.id), "id", to.table}, nil
	case c.known[key] != 0:
		return property{column, fmt.Sprint(c.known[key]), "id", target.Table}, nil
	}
	return property{}, fmt.Errorf("step %s refers to %s, which is not in the archive", s.Key, key)
}

// value gives a record one value.
func (c *composer) value(n *node, s *dict.RecordStep, column string, v dict.Value) error {
	if !adid.IsIdentifier(column) {
		return fmt.Errorf("step %s writes %q, which is not a name of a column", s.Key, column)
	}
	switch v := v.(type) {
	case dict.Text:
		n.set(property{column: column, text: string(v)})
	case dict.Int:
		n.set(property{column: column, text: fmt.Sprint(int64(v))})
	case dict.YesNo:
		text := "N"
		if v {
			text = "Y"
		}
		n.set(property{column: column, text: text})
	case dict.Ref:
		p, err := c.reference(s, column, dict.Key(v))
		if err != nil {
			return err
		}
		n.set(p)
	case dict.Existing:
		id, uuid, err := c.identify(v)
		switch {
		case err != nil:
			return err
		case uuid != "":
			n.set(property{column, string(uuid), "uuid", v.Table})
		case id != 0 || zeroID[v.Table] && len(v.Match) > 0 && isZero(v.Match):
			n.set(property{column, fmt.Sprint(id), "id", v.Table})
		default:
			c.missing = append(c.missing, Unresolved{v.Table, existingText(v), s.Key})
		}
	default:
		return fmt.Errorf("step %s has a value of type %T in %s, which an archive cannot hold", s.Key, v, column)
	}
	return nil
}

// zeroID are the tables with a record of id 0 that an archive may refer to.
var zeroID = map[string]bool{"AD_Role": true, "AD_Org": true, "AD_Client": true, "C_DocType": true}

// isZero reports whether a record is found by the id 0.
func isZero(matches []dict.Match) bool {
	n, ok := matches[0].Value.(dict.Int)
	return ok && n == 0 && len(matches) == 1
}

// identify finds the official id or the UUID of a record outside the plan.
func (c *composer) identify(e dict.Existing) (int, dict.UUID, error) {
	if adid.Official(e.ID) {
		return e.ID, "", nil
	}
	if c.opts.Resolve != nil {
		id, uuid, err := c.opts.Resolve(e)
		if err != nil {
			return 0, "", fmt.Errorf("looking for %s %s: %w", e.Table, existingText(e), err)
		}
		if adid.Official(id) {
			return id, "", nil
		}
		if uuid != "" {
			if _, ok := dict.ParseUUID(string(uuid)); !ok {
				return 0, "", fmt.Errorf("%s %s has %q in the place of a UUID", e.Table, existingText(e), uuid)
			}
			return 0, uuid, nil
		}
	}
	return official(e), "", nil
}

// official is the id that a record of the ERP's own has everywhere, 0 when it is
// not known.
func official(e dict.Existing) int {
	text := func(column string) string {
		for _, m := range e.Match {
			if t, ok := m.Value.(dict.Text); ok && m.Column == column {
				return string(t)
			}
		}
		return ""
	}
	var id int
	switch e.Table {
	case "AD_Table":
		id, _ = adid.Table(text("TableName"))
	case "AD_Element":
		id, _ = adid.Element(text("ColumnName"))
	case "AD_Process":
		id, _ = adid.Process(text("Value"))
	case "AD_Reference":
		id, _ = adid.Reference(text("Name"))
	case "AD_Column":
		for _, m := range e.Match {
			if table, ok := m.Value.(dict.Existing); ok && m.Column == "AD_Table_ID" && len(table.Match) == 1 {
				if name, ok := table.Match[0].Value.(dict.Text); ok {
					id, _ = adid.Column(string(name), text("ColumnName"))
				}
			}
		}
	}
	return id
}

// checkEntityTypes refuses what an import would skip without a word.
func (c *composer) checkEntityTypes() error {
	if c.opts.UpdateDictionary {
		return nil
	}
	var bad []string
	for _, step := range c.steps {
		if n := c.nodes[step.StepKey()]; n != nil && core[n.text("EntityType")] {
			bad = append(bad, n.table+" "+n.name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("an import skips records of the ERP's own entity types, here %s; give the tables an entity type of their own, or allow updates of the dictionary",
		strings.Join(bad[:min(3, len(bad))], ", "))
}

// keysFirst moves the key column of each table to the front, with the terms and
// references before it that it needs.
func (c *composer) keysFirst() {
	for _, n := range c.nodes {
		if n.table != "AD_Table" {
			continue
		}
		start := 0
		for i, child := range n.children {
			if child.table != "AD_Column" {
				continue
			}
			if child.text("IsKey") != "Y" {
				start = i + 1
				continue
			}
			group, rest := []*node{}, []*node{}
			for _, g := range n.children[start:i] {
				if g.table == "AD_Ref_Table" {
					rest = append(rest, g)
				} else {
					group = append(group, g)
				}
			}
			group = append(group, child)
			n.children = slices.Concat(group, n.children[:start], rest, n.children[i+1:])
			break
		}
	}
}

// Unresolved is a record that the plan refers to and that nobody knows by UUID or
// official id.
type Unresolved struct {
	Table string   // AD_Val_Rule
	What  string   // Name=…
	For   dict.Key // first step that refers to it
}

// UnresolvedError means that an archive would refer to records that nobody knows
// by UUID or official id.
type UnresolvedError struct{ Missing []Unresolved }

// Error lists them, the first five.
func (e *UnresolvedError) Error() string {
	var b strings.Builder
	b.WriteString("an archive refers to records by UUID or official id, and neither is known of ")
	for i, m := range e.Missing {
		if i == 5 {
			fmt.Fprintf(&b, " and %d more", len(e.Missing)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s (for %s)", m.Table, m.What, m.For)
	}
	b.WriteString("; look them up in an ERP that has them, or leave them out of the definition")
	return b.String()
}

// errNothing is in the error of a plan that makes and changes nothing.
var errNothing = errors.New("the plan has no records")

func describe(matches []dict.Match) string {
	parts := make([]string, len(matches))
	for i, m := range matches {
		parts[i] = m.Column + "=" + valueText(m.Value)
	}
	return strings.Join(parts, ", ")
}

func existingText(e dict.Existing) string {
	if len(e.Match) > 0 {
		return describe(e.Match)
	}
	return fmt.Sprint(e.ID)
}

func valueText(v dict.Value) string {
	switch v := v.(type) {
	case dict.Ref:
		return dict.Key(v).Placeholder()
	case dict.Existing:
		return v.Table + "(" + existingText(v) + ")"
	}
	return fmt.Sprint(v)
}

package pack

import (
	"github.com/erphub/erphub/dict"
)

// wrap finds out which tables are nested in a window: those a tab of it shows.
func (c *composer) wrap() error {
	for _, step := range c.steps {
		tab, ok := step.(*dict.RecordStep)
		if !ok || tab.Table != "AD_Tab" || c.nodes[tab.Key] == nil {
			continue
		}
		window, table := c.refNode(tab, "AD_Window_ID"), c.refNode(tab, "AD_Table_ID")
		if window != nil && table != nil && c.window[table] == nil {
			c.window[table] = window
		}
	}
	return nil
}

// refNode is the record of the archive that a column refers to, nil for others.
func (c *composer) refNode(s *dict.RecordStep, column string) *node {
	v, _ := s.Value(column)
	if ref, ok := v.(dict.Ref); ok {
		return c.nodes[dict.Key(ref)]
	}
	return nil
}

// place puts every record where it belongs, in the plan's order.
func (c *composer) place() error {
	for _, e := range c.opts.EntityTypes {
		c.put(nil, c.entityType(e))
	}
	for i, step := range c.steps {
		s, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		n := c.nodes[s.Key]
		if n == nil || n.placed {
			continue
		}
		c.put(c.container(i, s, n), n)
		if n.table == "AD_Table" {
			c.open = n
		}
	}
	if len(c.roots) == 0 && len(c.missing) == 0 {
		return errNothing
	}
	return nil
}

func (c *composer) put(parent, n *node) {
	c.count++
	n.placed, n.order = true, c.count
	if parent == nil {
		c.roots = append(c.roots, n)
		return
	}
	if !parent.placed {
		c.put(nil, parent)
	}
	parent.children = append(parent.children, n)
}

// container is the record that another is nested in, nil for none.
func (c *composer) container(i int, s *dict.RecordStep, n *node) *node {
	if s.Action == dict.Update {
		return nil
	}
	switch s.Table {
	case "AD_Table":
		return c.window[n]
	case "AD_Element", "AD_Reference":
		return c.nextTable(i)
	case "AD_Column", "AD_TableIndex":
		return c.refNode(s, "AD_Table_ID")
	case "AD_IndexColumn":
		return c.refNode(s, "AD_TableIndex_ID")
	case "AD_Ref_List":
		return c.refNode(s, "AD_Reference_ID")
	case "AD_Ref_Table":
		if reference := c.refNode(s, "AD_Reference_ID"); reference != nil && c.before(n, reference) {
			return reference
		}
		return c.open // after the columns it names
	case "AD_Tab":
		return c.refNode(s, "AD_Window_ID")
	case "AD_Field":
		return c.refNode(s, "AD_Tab_ID")
	}
	return nil
}

// before reports whether all that n refers to comes before the end of the
// reference it belongs to.
func (c *composer) before(n, reference *node) bool {
	placed := map[dict.UUID]int{}
	for _, other := range c.nodes {
		if other.placed && other.uuid != "" {
			placed[other.uuid] = other.order
		}
	}
	for _, need := range n.needs() {
		order, inside := placed[need]
		if c.makes(need) && (!inside || order > reference.order) {
			return false
		}
	}
	return true
}

func (c *composer) makes(uuid dict.UUID) bool {
	for _, n := range c.nodes {
		if n.uuid == uuid {
			return true
		}
	}
	return false
}

// nextTable is the table of the next column in the plan, which is what terms and
// references stand before.
func (c *composer) nextTable(i int) *node {
	for _, step := range c.steps[i:] {
		if s, ok := step.(*dict.RecordStep); ok && s.Table == "AD_Column" && s.Action != dict.Update {
			return c.refNode(s, "AD_Table_ID")
		}
	}
	return nil
}

func (c *composer) entityType(e EntityType) *node {
	n := &node{table: "AD_EntityType", name: e.Code, uuid: dict.UUIDv5(dict.Namespace, "AD_EntityType/"+e.Code)}
	n.set(property{column: "AD_Client_ID", text: "0"})
	n.set(property{column: "AD_Org_ID", text: "0"})
	n.set(property{column: "AD_EntityType_UU", text: string(n.uuid)})
	n.set(property{column: "EntityType", text: e.Code})
	n.set(property{column: "Name", text: e.Name})
	if e.ModelPackage != "" {
		n.set(property{column: "ModelPackage", text: e.ModelPackage})
	}
	n.set(property{column: "IsActive", text: "Y"})
	return n
}

package pack

import (
	"slices"
	"strconv"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
)

// termTexts are the columns that a new column takes from its term, and a new
// centrally maintained field with it.
var termTexts = []string{"Name", "Description", "Help", "Placeholder"}

func onlyTexts(values []dict.ColumnValue) bool {
	return !slices.ContainsFunc(values, func(f dict.ColumnValue) bool { return !slices.Contains(termTexts, f.Column) })
}

// texts gives new columns and their fields the texts they will have: those of the
// term. An archive that said otherwise would be overruled the first time it is
// imported, and change the texts the second time.
func (c *composer) texts() error {
	for _, step := range c.steps {
		s, ok := step.(*dict.RecordStep)
		if !ok || s.Action == dict.Update || s.Table != "AD_Column" || c.nodes[s.Key] == nil {
			continue
		}
		n := c.nodes[s.Key]
		if term := c.refNode(s, "AD_Element_ID"); term != nil {
			n.takeTexts(term)
			continue
		}
		element, _ := n.get("AD_Element_ID")
		for _, name := range termTexts[1:] {
			n.remove(name) // only the ERP has them
		}
		if id, err := strconv.Atoi(element.text); err == nil && element.reference == "id" {
			if label, ok := adid.ElementLabel(id); ok {
				n.set(property{column: "Name", text: label})
			}
		}
	}
	for _, step := range c.steps {
		s, ok := step.(*dict.RecordStep)
		if !ok || s.Action == dict.Update || s.Table != "AD_Field" || c.nodes[s.Key] == nil || s.Text("IsCentrallyMaintained") != "Y" {
			continue
		}
		if column := c.refNode(s, "AD_Column_ID"); column != nil {
			c.nodes[s.Key].takeTexts(column)
		}
	}
	return nil
}

// takeTexts gives a node the texts of another.
func (n *node) takeTexts(from *node) {
	for _, name := range termTexts {
		if p, ok := from.get(name); ok {
			n.set(p)
		} else {
			n.remove(name)
		}
	}
}

func (n *node) remove(column string) {
	n.props = slices.DeleteFunc(n.props, func(p property) bool { return p.column == column })
}

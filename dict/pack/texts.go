package pack

import (
	"iter"
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
	for s, n := range c.created("AD_Column") {
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
	for s, n := range c.created("AD_Field") {
		if column := c.refNode(s, "AD_Column_ID"); column != nil && s.Text("IsCentrallyMaintained") == "Y" {
			n.takeTexts(column)
		}
	}
	return nil
}

// created yields the steps that create records of a table, with what they create.
func (c *composer) created(table string) iter.Seq2[*dict.RecordStep, *node] {
	return func(yield func(*dict.RecordStep, *node) bool) {
		for _, step := range c.steps {
			s, ok := step.(*dict.RecordStep)
			if !ok || s.Action == dict.Update || s.Table != table || c.nodes[s.Key] == nil {
				continue
			}
			if !yield(s, c.nodes[s.Key]) {
				return
			}
		}
	}
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

package pack

import (
	"github.com/erphub/erphub/dict"
)

// node is a record as it is written: an element with its properties and the
// records nested in it.
type node struct {
	key      dict.Key // of the step; empty for entity types
	table    string
	name     string // for messages
	uuid     dict.UUID
	id       int // official id of a record that is only changed
	props    []property
	children []*node
	placed   bool
	order    int // among all placed nodes, from 1
}

// property is a column with its value.
type property struct {
	column, text string
	reference    string // uuid or id; empty for plain values
	key          string // referenced table
}

// set gives a property a value, the last one given counts.
func (n *node) set(p property) {
	for i := range n.props {
		if n.props[i].column == p.column {
			n.props[i] = p
			return
		}
	}
	n.props = append(n.props, p)
}

func (n *node) get(column string) (property, bool) {
	for _, p := range n.props {
		if p.column == column {
			return p, true
		}
	}
	return property{}, false
}

func (n *node) text(column string) string {
	p, _ := n.get(column)
	return p.text
}

// needs are the UUIDs of the records a node refers to.
func (n *node) needs() []dict.UUID {
	var list []dict.UUID
	for _, p := range n.props {
		if p.reference == "uuid" && p.text != "" {
			list = append(list, dict.UUID(p.text))
		}
	}
	return list
}

package diagram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// Options change what is drawn. Nil and the zero value are the defaults.
type Options struct {
	// AllColumns shows every column. Otherwise those that every table has, and
	// that say nothing about one, are left out: tenant, organization, active
	// flag, who changed the record when, and the UUID.
	AllColumns bool
}

// Model is what is drawn.
type Model struct {
	Tables []Table // in the requested order
	Links  []Link  // between the tables, in the order of their columns
}

// Table is a box of the diagram.
type Table struct {
	Name    string
	Columns []Column
}

// Column is a line of a box.
type Column struct {
	Name      string
	Type      string // display type
	Key       bool
	Link      bool // leads to a table, drawn or not
	Mandatory bool
}

// Link is a line between boxes: each record of From points at up to one of To.
type Link struct {
	From, To string // table names
	Column   string
	Optional bool // the column may be empty
	Parent   bool // From is a part of To
}

// maxTables keeps a diagram readable, and drawing it quick.
const maxTables = 200

// New reads the tables from the registry. A table that is named twice is drawn
// once. The error matches [registry.ErrNotFound] when one is not there.
func New(ctx context.Context, reg registry.Registry, tables []string, opts *Options) (*Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	switch {
	case len(tables) == 0:
		return nil, errors.New("there is nothing to draw; name at least one table")
	case len(tables) > maxTables:
		return nil, fmt.Errorf("a diagram of %d tables cannot be read; name at most %d", len(tables), maxTables)
	}
	var infos []registry.Table
	drawn := map[string]string{} // lower-case name to name
	for _, name := range tables {
		info, err := reg.Table(ctx, name)
		if err != nil {
			return nil, err
		}
		if _, ok := drawn[strings.ToLower(info.Name)]; !ok {
			drawn[strings.ToLower(info.Name)] = info.Name
			infos = append(infos, info)
		}
	}
	m := &Model{}
	for _, info := range infos {
		t := Table{Name: info.Name}
		for _, c := range info.Columns {
			to, known := drawn[strings.ToLower(c.ForeignTable)]
			common := c.Standard() || strings.EqualFold(c.Name, info.Name+"_UU")
			link := c.ForeignTable != "" && !c.Key
			if link && known && !common && !c.Virtual() {
				m.Links = append(m.Links, Link{From: info.Name, To: to, Column: c.Name, Optional: !c.Mandatory, Parent: c.Parent})
			}
			if common && !opts.AllColumns {
				continue
			}
			t.Columns = append(t.Columns, Column{Name: c.Name, Type: cmp.Or(c.TypeName, c.Type.String()), Key: c.Key, Link: link, Mandatory: c.Mandatory})
		}
		slices.SortStableFunc(t.Columns, func(a, b Column) int { return cmp.Compare(rank(a), rank(b)) })
		m.Tables = append(m.Tables, t)
	}
	return m, nil
}

// rank puts keys first and links after them.
func rank(c Column) int {
	switch {
	case c.Key:
		return 0
	case c.Link:
		return 1
	}
	return 2
}

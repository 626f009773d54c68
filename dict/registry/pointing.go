package registry

import (
	"context"
	"slices"
)

// Pointer is a column that points to a table.
type Pointer struct {
	Table, Column string
	// Parent is set where the records are details of those that they point to.
	Parent bool
	// View is set for the column of a view.
	View bool
}

// Pointing implements [Registry].
func (c *Catalog) Pointing(ctx context.Context, table string) ([]Pointer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.scope != nil {
		return nil, &ScopeError{Kind: "list of columns"}
	}
	at, err := c.findTable(table)
	if err != nil {
		return nil, err
	}
	pointing := c.pointing.get(c.makePointing)
	return slices.Clone(pointing[c.tables[at].Name]), nil
}

// makePointing lists the columns that point to each table.
func (c *Catalog) makePointing() map[string][]Pointer {
	pointing := map[string][]Pointer{}
	for i := range c.columns {
		r := &c.columns[i]
		own, ok := c.tableByID[r.TableID]
		if !ok || !r.Active || !c.tables[own].Active || r.Standard() {
			continue
		}
		if name := c.foreignTable(r.Name, r.Type, r.ReferenceID); name != "" {
			pointing[name] = append(pointing[name], Pointer{c.tables[own].Name, r.Name, r.Parent, c.tables[own].View})
		}
	}
	return pointing
}

package registry

import (
	"cmp"
	"context"
	"slices"

	"github.com/erphub/erphub/internal/adid"
)

// Tables implements [Registry].
func (c *Catalog) Tables(ctx context.Context, q ListQuery) (Listing[Table], error) {
	if c.scope != nil {
		return Listing[Table]{}, &ScopeError{Kind: "list of tables"}
	}
	like := newLike(q.Pattern)
	out, err := list(ctx, q, c.tables, func(t *Table) bool {
		return (t.Active || q.Inactive) && (!q.CustomOnly || t.Custom()) && q.owns(t.EntityType) && like.match(t.Name)
	})
	for i := range out.Items {
		out.Items[i].ColumnCount = int(c.active[c.tableByID[out.Items[i].ID]])
	}
	return out, err
}

// Columns implements [Registry].
func (c *Catalog) Columns(ctx context.Context, table string, q ListQuery) (Listing[Column], error) {
	if err := ctx.Err(); err != nil {
		return Listing[Column]{}, err
	}
	rows := c.columns
	if table == "" && c.scope != nil {
		return Listing[Column]{}, &ScopeError{Kind: "list of columns"}
	}
	if table != "" {
		at, err := c.findTable(table)
		if err != nil {
			return Listing[Column]{}, err
		}
		if !c.scope.hasTable(c.tables[at].ID) {
			return Listing[Column]{}, &ScopeError{Kind: "table", Name: c.tables[at].Name}
		}
		rows = rows[c.columnsOf[at].from:c.columnsOf[at].to]
	}
	like := newLike(q.Pattern)
	out, err := list(ctx, q, rows, func(r *Column) bool {
		if !r.Active && !q.Inactive || !q.owns(r.EntityType) || !like.match(r.Name) {
			return false
		}
		// A table may be hidden from the reader, its columns then count as hidden.
		at, ok := c.tableByID[r.TableID]
		return ok && (!q.CustomOnly || customName(r.Name) || c.tables[at].Custom())
	})
	for i := range out.Items {
		c.joinColumn(&out.Items[i])
	}
	return out, err
}

// Windows implements [Registry].
func (c *Catalog) Windows(ctx context.Context, q ListQuery) (Listing[Window], error) {
	like := newLike(q.Pattern)
	return list(ctx, q, c.windows, func(w *Window) bool {
		return (w.Active || q.Inactive) && q.custom(w.ID, w.Name) && q.owns(w.EntityType) && like.match(w.Name)
	})
}

// Processes implements [Registry].
func (c *Catalog) Processes(ctx context.Context, q ListQuery) (Listing[Process], error) {
	if c.scope != nil {
		return Listing[Process]{}, &ScopeError{Kind: "list of processes"}
	}
	like := newLike(q.Pattern)
	return list(ctx, q, c.processes, func(p *Process) bool {
		return (p.Active || q.Inactive) && q.custom(p.ID, p.Value) && q.owns(p.EntityType) &&
			(like.match(p.Value) || like.match(p.Name))
	})
}

// References implements [Registry].
func (c *Catalog) References(ctx context.Context, q ListQuery) (Listing[Reference], error) {
	if err := ctx.Err(); err != nil {
		return Listing[Reference]{}, err
	}
	like := newLike(q.Pattern)
	var hits []*Reference // kept by number, listed by name
	for i := range c.references {
		r := &c.references[i]
		if (r.Active || q.Inactive) && q.custom(r.ID, r.Name) && q.owns(r.EntityType) && like.match(r.Name) {
			hits = append(hits, r)
		}
	}
	slices.SortStableFunc(hits, func(a, b *Reference) int {
		return cmp.Or(compareFold(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	out := Listing[Reference]{Total: len(hits)}
	for _, r := range hits[min(max(q.Offset, 0), len(hits)):] {
		if q.Limit > 0 && len(out.Items) == q.Limit {
			break
		}
		out.Items = append(out.Items, *r)
	}
	return out, nil
}

// list copies the page of rows that q requests.
func list[T any](ctx context.Context, q ListQuery, rows []T, match func(*T) bool) (Listing[T], error) {
	var out Listing[T]
	if err := ctx.Err(); err != nil {
		return out, err
	}
	for i := range rows {
		if !match(&rows[i]) {
			continue
		}
		out.Total++
		if out.Total > max(q.Offset, 0) && (q.Limit <= 0 || len(out.Items) < q.Limit) {
			out.Items = append(out.Items, rows[i])
		}
	}
	return out, nil
}

func (q *ListQuery) owns(entityType string) bool {
	return q.EntityType == "" || q.EntityType == entityType
}

func (q *ListQuery) custom(id int, name string) bool {
	return !q.CustomOnly || id > adid.MaxOfficial || customName(name)
}

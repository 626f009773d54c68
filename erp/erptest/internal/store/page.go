package store

import (
	"context"
	"fmt"
	"slices"
)

// farOffset is from where on a page is looked for by its keys alone: sorting and
// passing over whole records takes several times as long.
const farOffset = 1000

// Page reads rows as [Tx.Select] does, for pages of lists that [Tx.Total] counts:
// those that begin far behind the first row are found faster. The table must have
// one integer key for that.
func (tx *Tx) Page(ctx context.Context, t *Table, sel Selection) ([]Row, error) {
	key := t.KeyColumn()
	if key == nil || key.Kind() != KindInteger || key.IsVirtual() || t.IsView || sel.OrderBy == "" || sel.Limit <= 0 {
		return tx.Select(ctx, t, sel)
	}
	if sel.Columns != nil && !slices.Contains(sel.Columns, key) {
		sel.Columns = append(slices.Clone(sel.Columns), key)
	}
	compare := ""
	switch name := Expr(t, key); sel.OrderBy {
	case name + " ASC NULLS LAST": // a key is never NULL
		compare, sel.OrderBy = name+">?", name+" ASC"
	case name + " DESC NULLS FIRST":
		compare, sel.OrderBy = name+"<?", name+" DESC"
	default:
		if sel.Offset >= farOffset {
			sel = farPage(t, key, sel)
		}
		return tx.Select(ctx, t, sel)
	}
	list, offset := totalKey(t, sel.Where, sel.Args), sel.Offset
	if at, ok := tx.s.totals.place(tx, list, sel.OrderBy, offset); ok {
		if sel.Where != "" {
			sel.Where = "(" + sel.Where + ") AND "
		}
		sel.Where, sel.Args = sel.Where+compare, append(slices.Clone(sel.Args), at.after)
		sel.Offset = offset - at.offset
	}
	rows, err := tx.Select(ctx, t, sel)
	if err == nil && len(rows) == sel.Limit {
		tx.s.totals.putPlace(tx, list, place{order: sel.OrderBy, offset: offset + len(rows), after: rows[len(rows)-1].Int(key.Name)})
	}
	return rows, err
}

// farPage selects the same rows by their keys, which are found first.
func farPage(t *Table, key *Column, sel Selection) Selection {
	inner := SelectSQL(t, []*Column{key}, sel)
	return Selection{
		Columns: sel.Columns, Where: fmt.Sprintf("%s IN (%s)", Expr(t, key), inner), Args: sel.Args, OrderBy: sel.OrderBy,
	}
}

// place is the last known place at or before an offset.
func (l *totals) place(tx *Tx, list, order string, offset int) (place, bool) {
	if list == "" || offset == 0 {
		return place{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.holdsLocked(tx, list)
	if e == nil {
		return place{}, false
	}
	best := place{}
	for _, p := range e.places {
		if p.order == order && p.offset <= offset && p.offset > best.offset {
			best = p
		}
	}
	return best, best.offset > 0
}

// putPlace notes where the page behind one that was read begins. Pages of one
// reader follow each other, so its last place makes way for the new one.
func (l *totals) putPlace(tx *Tx, list string, p place) {
	if list == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.holdsLocked(tx, list)
	if e == nil || slices.Contains(e.places, p) {
		return
	}
	if len(e.places) >= maxPlaces {
		e.places = e.places[1:]
	}
	e.places = append(e.places, p)
}

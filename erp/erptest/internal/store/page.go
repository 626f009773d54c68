package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// farOffset is from where on a page is found by sorting the keys of the whole list,
// which are then remembered: sorting and passing over records takes several times as
// long, with each page.
const farOffset = 500

// fewSorted is how many sorted rows are remembered at most, such as the newest one.
const fewSorted = 3

// farShare is the part of a list in the order of its key that is passed over rather
// than that its keys are read and remembered.
const farShare = 8

// Page reads rows as [Tx.Read] does, for pages of lists that [Tx.Total] counts:
// those that begin far behind the first row are found faster. The table must have
// one integer key for that. Rows that the order leaves equal come by their key.
func (tx *Tx) Page(ctx context.Context, t *Table, sel Selection) (*Sheet, error) {
	key := t.KeyColumn()
	if key == nil || key.Kind() != KindInteger || key.IsVirtual() || t.IsView || sel.OrderBy == "" || sel.Limit <= 0 {
		return tx.Read(ctx, t, sel)
	}
	name := Expr(t, key)
	switch sel.OrderBy {
	case name + " ASC NULLS LAST": // a key is never NULL
		sel.OrderBy = name + " ASC"
		return tx.pageByKey(ctx, t, key, sel, name+">?")
	case name + " DESC NULLS FIRST":
		sel.OrderBy = name + " DESC"
		return tx.pageByKey(ctx, t, key, sel, name+"<?")
	}
	if !strings.Contains(sel.OrderBy, name+" ") {
		sel.OrderBy += ", " + name
	}
	if sel.Offset < farOffset && sel.Limit <= fewSorted {
		return tx.read(ctx, t, sel, tx.Known) // the whole list is sorted for a few rows
	}
	if sel.Offset < farOffset {
		return tx.Read(ctx, t, sel)
	}
	return tx.pageOfKeys(ctx, t, key, sel)
}

// pageOfKeys reads a page by the keys of its rows, which are found among those of
// the whole list.
func (tx *Tx) pageOfKeys(ctx context.Context, t *Table, key *Column, sel Selection) (*Sheet, error) {
	keys, err := tx.sortedKeys(ctx, t, key, sel)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return newSheet(nil, nil), nil
	}
	var list strings.Builder
	for i, k := range keys {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(strconv.FormatInt(k, 10))
	}
	return tx.Read(ctx, t, Selection{Columns: sel.Columns, Where: Expr(t, key) + " IN (" + list.String() + ")", OrderBy: sel.OrderBy})
}

// pageByKey reads a page of a list in the order of its key, from the place where
// an earlier page ended if that is known.
func (tx *Tx) pageByKey(ctx context.Context, t *Table, key *Column, sel Selection, beyond string) (*Sheet, error) {
	if sel.Columns != nil && !slices.Contains(sel.Columns, key) {
		sel.Columns = append(slices.Clone(sel.Columns), key)
	}
	list, offset := totalKey(t, sel.Where, sel.Args), sel.Offset
	at, ok := tx.s.totals.place(tx, list, sel.OrderBy, offset)
	if skip := offset - at.offset; skip >= farOffset {
		// Who asks for rows here and there passes over most of the list each time.
		if rows, known := tx.s.totals.rows(tx, list); known && skip >= rows/farShare {
			return tx.pageOfKeys(ctx, t, key, sel)
		}
	}
	if ok {
		if sel.Where != "" {
			sel.Where = "(" + sel.Where + ") AND "
		}
		sel.Where, sel.Args = sel.Where+beyond, append(slices.Clone(sel.Args), at.after)
		sel.Offset = offset - at.offset
	}
	rows, err := tx.Read(ctx, t, sel)
	if err == nil && rows.Len() == sel.Limit {
		last := rows.Row(rows.Len() - 1).Int(key.Name)
		tx.s.totals.putPlace(tx, list, place{order: sel.OrderBy, offset: offset + rows.Len(), after: last})
	}
	return rows, err
}

// sortedKeys are the keys of the rows of a page.
func (tx *Tx) sortedKeys(ctx context.Context, t *Table, key *Column, sel Selection) ([]int64, error) {
	// The order is part of what the list depends on.
	list := totalKey(t, sel.Where+" ORDER BY "+sel.OrderBy, sel.Args)
	keys, ok := tx.s.totals.keys(tx, list)
	if !ok {
		all := sel
		all.Limit, all.Offset = 0, 0
		query := SelectSQL(t, []*Column{key}, all)
		rows, err := tx.Query(ctx, query, sel.Args...)
		if err != nil {
			return nil, fmt.Errorf("sorting %s: %w", t.Name, err)
		}
		defer rows.Close()
		for rows.Next() {
			var k int64
			if err := rows.Scan(&k); err != nil {
				return nil, fmt.Errorf("sorting %s: %w", t.Name, err)
			}
			keys = append(keys, k)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, fmt.Errorf("sorting %s: %w", t.Name, err)
		}
		if err := tx.remember(ctx, list, query, sel.Args, total{rows: len(keys), keys: keys}); err != nil {
			return nil, fmt.Errorf("sorting %s: %w", t.Name, err)
		}
	}
	from := min(sel.Offset, len(keys))
	return keys[from:min(from+sel.Limit, len(keys))], nil
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

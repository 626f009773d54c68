package registry

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Catalog is a dictionary at one moment. It never changes, so several questions
// to the same catalog fit together. The zero Catalog is empty.
type Catalog struct {
	content
	origin string
	scope  *scopeIDs // what was read; nil: everything
	stamps []Stamp   // per row kind
	// whole is when each row kind was last read as a whole; nil of a scope.
	whole  []time.Time
	loaded time.Time

	tableByName map[string]int32 // lower case
	tableByID   map[int]int32
	columnByID  map[int]int32
	processByID map[int]int32
	elementBy   map[string]int32 // ColumnName in lower case
	active      []int32          // active columns, per table

	// Where the rows that belong to a row begin and end: columnsOf[i] is for
	// table i, and so on.
	columnsOf    []span
	indexesOf    []span
	indexParts   []span
	entriesOf    []span
	tabsOf       []span
	fieldsOf     []span
	parametersOf []span

	// Made when they are first needed; catalogs with the same rows share them.
	pointing *lazy[map[string][]Pointer] // by the table they point to
	search   *lazy[*searchIndex]
	derived  *derived
}

// lazy is a value that is made when it is first needed.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(make func() T) T {
	if l == nil { // of a zero Catalog
		return make()
	}
	l.once.Do(func() { l.value = make() })
	return l.value
}

// span is a part of a slice.
type span struct{ from, to int32 }

// newCatalog orders the rows of c and makes them findable. It changes no row,
// because another catalog may share them; what was made of rows that it shares
// with before, which may be nil, is taken from there.
func newCatalog(c content, before *Catalog, origin string, stamps []Stamp, loaded time.Time) *Catalog {
	out := &Catalog{content: c, origin: origin, stamps: stamps, loaded: loaded, derived: &derived{}}
	out.order()
	if before == nil {
		before = &Catalog{}
	}
	out.findable(before)
	out.lookable(before)
	return out
}

// restamped is the same catalog, found to be right in another state of the ERP.
func (c *Catalog) restamped(stamps []Stamp, whole []time.Time, loaded time.Time) *Catalog {
	out := *c
	out.stamps, out.whole, out.loaded = stamps, whole, loaded
	return &out
}

// shares reports whether two slices are the same.
func shares[T any](a, b []T) bool {
	return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0]
}

func (c *Catalog) order() {
	c.tables, c.updated.tables = ordered(c.tables, c.updated.tables, func(a, b *Table) int {
		return cmp.Or(compareFold(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	c.columns, c.updated.columns = ordered(c.columns, c.updated.columns, func(a, b *Column) int {
		return cmp.Or(cmp.Compare(a.TableID, b.TableID), cmp.Compare(a.ID, b.ID))
	})
	c.elements, c.updated.elements = ordered(c.elements, c.updated.elements, func(a, b *Element) int { return cmp.Compare(a.ID, b.ID) })
	c.references, c.updated.references = ordered(c.references, c.updated.references, func(a, b *Reference) int { return cmp.Compare(a.ID, b.ID) })
	c.entries, c.updated.entries = ordered(c.entries, c.updated.entries, func(a, b *ListValue) int {
		return cmp.Or(cmp.Compare(a.ReferenceID, b.ReferenceID), cmp.Compare(a.Value, b.Value), cmp.Compare(a.ID, b.ID))
	})
	c.lookups, c.updated.lookups = ordered(c.lookups, c.updated.lookups, func(a, b *Lookup) int { return cmp.Compare(a.ReferenceID, b.ReferenceID) })
	c.rules, c.updated.rules = ordered(c.rules, c.updated.rules, func(a, b *ValRule) int { return cmp.Compare(a.ID, b.ID) })
	c.windows, c.updated.windows = ordered(c.windows, c.updated.windows, func(a, b *Window) int {
		return cmp.Or(compareFold(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	c.tabs, c.updated.tabs = ordered(c.tabs, c.updated.tabs, func(a, b *Tab) int {
		return cmp.Or(cmp.Compare(a.WindowID, b.WindowID), cmp.Compare(a.SeqNo, b.SeqNo), cmp.Compare(a.ID, b.ID))
	})
	c.fields, c.updated.fields = ordered(c.fields, c.updated.fields, func(a, b *Field) int {
		return cmp.Or(cmp.Compare(a.TabID, b.TabID), compareSeqNo(a.SeqNo, b.SeqNo), cmp.Compare(a.ID, b.ID))
	})
	c.processes, c.updated.processes = ordered(c.processes, c.updated.processes, func(a, b *Process) int {
		return cmp.Or(compareFold(a.Value, b.Value), cmp.Compare(a.ID, b.ID))
	})
	c.parameters, c.updated.parameters = ordered(c.parameters, c.updated.parameters, func(a, b *Parameter) int {
		return cmp.Or(cmp.Compare(a.ProcessID, b.ProcessID), cmp.Compare(a.SeqNo, b.SeqNo), cmp.Compare(a.ID, b.ID))
	})
	c.indexes, c.updated.indexes = ordered(c.indexes, c.updated.indexes, func(a, b *Index) int {
		return cmp.Or(cmp.Compare(a.TableID, b.TableID), compareFold(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	c.indexColumns, c.updated.indexColumns = ordered(c.indexColumns, c.updated.indexColumns, func(a, b *IndexColumn) int {
		return cmp.Or(cmp.Compare(a.IndexID, b.IndexID), cmp.Compare(a.SeqNo, b.SeqNo), cmp.Compare(a.ID, b.ID))
	})
}

// ordered returns rows and their times in order: themselves if they are, else
// sorted copies.
func ordered[T any](rows []T, times []int64, compare func(a, b *T) int) ([]T, []int64) {
	for i := 1; i < len(rows); i++ {
		if compare(&rows[i-1], &rows[i]) <= 0 {
			continue
		}
		// Rows are large, so numbers are sorted in their place.
		places := make([]int32, len(rows))
		for i := range places {
			places[i] = int32(i)
		}
		slices.SortStableFunc(places, func(a, b int32) int { return compare(&rows[a], &rows[b]) })
		sorted := make([]T, len(rows))
		for i, p := range places {
			sorted[i] = rows[p]
		}
		if len(times) == 0 {
			return sorted, nil
		}
		sortedTimes := make([]int64, len(rows))
		for i, p := range places {
			sortedTimes[i] = times[p]
		}
		return sorted, sortedTimes
	}
	return rows, times
}

// compareSeqNo orders by sequence, 0 (none) last.
func compareSeqNo(a, b int) int {
	if (a == 0) != (b == 0) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// compareFold compares without regard to case, then with it.
func compareFold(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x >= 0x80 || y >= 0x80 {
			return cmp.Or(strings.Compare(strings.ToLower(a[i:]), strings.ToLower(b[i:])), strings.Compare(a, b))
		}
		if x, y = lowerByte(x), lowerByte(y); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func lowerByte(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// findable makes what finds rows by name, number and owner.
func (c *Catalog) findable(before *Catalog) {
	tables, columns := shares(c.tables, before.tables), shares(c.columns, before.columns)
	if tables {
		c.tableByName, c.tableByID = before.tableByName, before.tableByID
	} else {
		c.nameTables()
	}
	if columns {
		c.columnByID = before.columnByID
	} else {
		c.columnByID = numbered(c.columns, func(r *Column) int { return r.ID })
	}
	if tables && columns {
		c.columnsOf, c.active = before.columnsOf, before.active
	} else {
		c.columnsOf = spans(c.tables, func(t *Table) int { return t.ID }, c.columns, func(r *Column) int { return r.TableID })
		c.countActive()
	}
	if shares(c.processes, before.processes) {
		c.processByID = before.processByID
	} else {
		c.processByID = numbered(c.processes, func(r *Process) int { return r.ID })
	}
	if shares(c.elements, before.elements) {
		c.elementBy = before.elementBy
	} else {
		c.nameElements()
	}
	c.indexesOf = spans(c.tables, func(t *Table) int { return t.ID }, c.indexes, func(r *Index) int { return r.TableID })
	c.indexParts = spans(c.indexes, func(t *Index) int { return t.ID }, c.indexColumns, func(r *IndexColumn) int { return r.IndexID })
	c.entriesOf = spans(c.references, func(t *Reference) int { return t.ID }, c.entries, func(r *ListValue) int { return r.ReferenceID })
	c.tabsOf = spans(c.windows, func(t *Window) int { return t.ID }, c.tabs, func(r *Tab) int { return r.WindowID })
	c.fieldsOf = spans(c.tabs, func(t *Tab) int { return t.ID }, c.fields, func(r *Field) int { return r.TabID })
	c.parametersOf = spans(c.processes, func(t *Process) int { return t.ID }, c.parameters, func(r *Parameter) int { return r.ProcessID })
}

// lookable takes from before what would be made again of the same rows.
func (c *Catalog) lookable(before *Catalog) {
	c.pointing, c.search = &lazy[map[string][]Pointer]{}, &lazy[*searchIndex]{}
	if !shares(c.tables, before.tables) || !shares(c.columns, before.columns) || !shares(c.references, before.references) {
		return
	}
	if shares(c.lookups, before.lookups) {
		c.pointing = before.pointing
	}
	if shares(c.elements, before.elements) && shares(c.windows, before.windows) && shares(c.processes, before.processes) {
		c.search = before.search
	}
}

func (c *Catalog) nameTables() {
	c.tableByName = make(map[string]int32, len(c.tables))
	for i := range c.tables {
		name := strings.ToLower(c.tables[i].Name)
		if old, twice := c.tableByName[name]; !twice || !c.tables[old].Active && c.tables[i].Active {
			c.tableByName[name] = int32(i)
		}
	}
	c.tableByID = numbered(c.tables, func(t *Table) int { return t.ID })
}

func (c *Catalog) nameElements() {
	c.elementBy = make(map[string]int32, len(c.elements))
	for i := range c.elements {
		name := strings.ToLower(c.elements[i].Name)
		if _, twice := c.elementBy[name]; !twice {
			c.elementBy[name] = int32(i)
		}
	}
}

func (c *Catalog) countActive() {
	c.active = make([]int32, len(c.tables))
	for i, of := range c.columnsOf {
		for at := of.from; at < of.to; at++ {
			if c.columns[at].Active {
				c.active[i]++
			}
		}
	}
}

// numbered is where rows are, by number.
func numbered[T any](rows []T, id func(*T) int) map[int]int32 {
	at := make(map[int]int32, len(rows))
	for i := range rows {
		at[id(&rows[i])] = int32(i)
	}
	return at
}

// spans finds, for each owner, the rows that belong to it. Rows are ordered by
// owner.
func spans[O, R any](owners []O, id func(*O) int, rows []R, owner func(*R) int) []span {
	at := make(map[int]span, len(owners))
	for i := 0; i < len(rows); {
		of, from := owner(&rows[i]), i
		for i < len(rows) && owner(&rows[i]) == of {
			i++
		}
		at[of] = span{int32(from), int32(i)}
	}
	out := make([]span, len(owners))
	for i := range owners {
		out[i] = at[id(&owners[i])]
	}
	return out
}

// byID finds a row in rows that are ordered by it.
func byID[T any](rows []T, id int, of func(*T) int) (*T, bool) {
	if id == 0 {
		return nil, false
	}
	from, to := 0, len(rows)
	for from < to {
		if mid := (from + to) / 2; of(&rows[mid]) < id {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from < len(rows) && of(&rows[from]) == id {
		return &rows[from], true
	}
	return nil, false
}

func (c *Catalog) element(id int) (*Element, bool) {
	return byID(c.elements, id, func(e *Element) int { return e.ID })
}

func (c *Catalog) reference(id int) (*Reference, bool) {
	return byID(c.references, id, func(r *Reference) int { return r.ID })
}

func (c *Catalog) lookup(reference int) (*Lookup, bool) {
	return byID(c.lookups, reference, func(l *Lookup) int { return l.ReferenceID })
}

func (c *Catalog) rule(id int) (*ValRule, bool) {
	return byID(c.rules, id, func(r *ValRule) int { return r.ID })
}

func (c *Catalog) tableName(id int) string {
	if i, ok := c.tableByID[id]; ok {
		return c.tables[i].Name
	}
	return ""
}

func (c *Catalog) columnName(id int) string {
	if i, ok := c.columnByID[id]; ok {
		return c.columns[i].Name
	}
	return ""
}

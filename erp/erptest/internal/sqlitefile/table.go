package sqlitefile

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Name string
	Type string // as declared; it decides which form values take
}

// Table is a table with its rows, and its indexes.
type Table struct {
	Name    string
	SQL     string // the statement that creates it
	Columns []Column
	// Key are the positions of the columns of the primary key. A single one of type
	// INTEGER is the number of the row; other keys get an index of the database's
	// own, and the rows are numbered as they come.
	Key     []int
	Rows    [][]any // a value per column: nil, int64, string or []byte; the writer may change them
	Indexes []Index
}

// Index is an index of a table that is made by a statement of its own.
type Index struct {
	Name    string
	SQL     string
	Columns []int // positions
	NoCase  bool  // texts compare without case
}

// Table adds a table.
func (w *Writer) Table(t Table) {
	kinds := make([]affinity, len(t.Columns))
	for i, c := range t.Columns {
		kinds[i] = affinityOf(c.Type)
	}
	alias := -1
	if len(t.Key) == 1 && strings.EqualFold(t.Columns[t.Key[0]].Type, "INTEGER") {
		alias = t.Key[0]
	}
	rowids := make([]int64, len(t.Rows))
	for n, row := range t.Rows {
		if len(row) != len(t.Columns) {
			w.fail("row %d of %s has %d values for %d columns", n+1, t.Name, len(row), len(t.Columns))
			return
		}
		for i := range row {
			row[i] = kinds[i].apply(row[i])
		}
		rowids[n] = int64(n + 1)
		if alias >= 0 {
			id, ok := row[alias].(int64)
			if !ok {
				w.fail("row %d of %s has no key", n+1, t.Name)
				return
			}
			rowids[n] = id
		}
	}
	order := make([]int, len(t.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rowids[a], rowids[b]) })
	var data []byte
	root := w.tree(len(order), func(i int) (int64, []byte) {
		n := order[i]
		row := t.Rows[n]
		if alias >= 0 { // it is stored once, as the number of the row
			row[alias] = nil
		}
		var err error
		if data, err = encode(data[:0], row); err != nil {
			w.fail("row %d of %s: %v", n+1, t.Name, err)
		}
		if alias >= 0 {
			row[alias] = rowids[n]
		}
		return rowids[n], data
	}, 0)
	w.add("table", t.Name, t.Name, root, t.SQL)
	if alias < 0 && len(t.Key) > 0 {
		w.add("index", "sqlite_autoindex_"+t.Name+"_1", t.Name, w.index(t, t.Key, false, rowids), nil)
	}
	for _, x := range t.Indexes {
		w.add("index", x.Name, t.Name, w.index(t, x.Columns, x.NoCase, rowids), x.SQL)
	}
}

// index writes the tree of an index and answers its root.
func (w *Writer) index(t Table, columns []int, noCase bool, rowids []int64) uint32 {
	order := make([]int, len(t.Rows))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int {
		for _, i := range columns {
			if c := compare(t.Rows[a][i], t.Rows[b][i], noCase); c != 0 {
				return c
			}
		}
		return cmp.Compare(rowids[a], rowids[b])
	})
	key := make([]any, len(columns)+1)
	var data []byte
	return w.indexTree(len(order), func(at int) []byte {
		n := order[at]
		for k, i := range columns {
			key[k] = t.Rows[n][i]
		}
		key[len(columns)] = rowids[n]
		var err error
		if data, err = encode(data[:0], key); err != nil {
			w.fail("an index of %s: %v", t.Name, err)
		}
		return data
	})
}

// compare is the order of values in an index: nothing, numbers, texts, bytes.
func compare(a, b any, noCase bool) int {
	rank := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case int64:
			return 1
		case string:
			return 2
		}
		return 3
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case int64:
		return cmp.Compare(a, b.(int64))
	case string:
		if noCase {
			return cmp.Compare(lower(a), lower(b.(string)))
		}
		return cmp.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	}
	return 0
}

// lower makes ASCII letters small, as the collation NOCASE does.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// affinity is which form a column gives its values.
type affinity int

const (
	asIs affinity = iota
	asInteger
	asText
)

func affinityOf(typ string) affinity {
	typ = strings.ToUpper(typ)
	switch {
	case strings.Contains(typ, "INT"):
		return asInteger
	case strings.Contains(typ, "CHAR"), strings.Contains(typ, "CLOB"), strings.Contains(typ, "TEXT"):
		return asText
	}
	return asIs
}

func (a affinity) apply(v any) any {
	switch x := v.(type) {
	case string:
		if a == asInteger {
			if n, err := strconv.ParseInt(x, 10, 64); err == nil {
				return n
			}
		}
	case int64:
		if a == asText {
			return strconv.FormatInt(x, 10)
		}
	}
	return v
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/layer"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Bounds of what is remembered of long lists.
const (
	fewRows     = 200     // lists of fewer rows are counted again
	maxTotals   = 128     // lists
	maxTotalKey = 4 << 10 // bytes of a list's condition and its parameters
	maxPlaces   = 16      // of one list
	maxSorted   = 4       // lists with their keys
	maxKeys     = 1 << 20 // of one list
)

// totals remembers how many rows long lists have, and where their pages begin, so
// that who reads a table page by page does not have all of it counted, and what
// came before passed over, with every page. An entry holds as long as none of the
// tables that its condition reads changes.
type totals struct {
	mu      sync.Mutex // guards what follows; nothing is waited for with it
	lists   map[string]*total
	changed map[string]uint64 // the commit that last changed a table, by names as [Store.OnChange] has them
	used    uint64            // counts uses, to find the list that was not used for longest
}

// total is what is known of one list.
type total struct {
	rows   int
	commit uint64   // the state it was counted in
	query  string   // that found it, without its parameters
	tables []string // that it depends on, in upper case
	used   uint64
	places []place // the newest last
	keys   []int64 // in the order that is part of the list's name
	found  [][]any // by the statement; the rows of a few
}

// place is where a page of a list ordered by its key begins.
type place struct {
	order  string
	offset int
	after  int64 // the key of the row before
}

// Total counts rows as [Tx.Count] does, or remembers how many there are.
func (tx *Tx) Total(ctx context.Context, t *Table, where string, args ...any) (int, error) {
	key := totalKey(t, where, args)
	if rows, ok := tx.s.totals.rows(tx, key); ok {
		return rows, nil
	}
	n, err := tx.Count(ctx, t, where, args...)
	if err != nil || n < fewRows {
		return n, err
	}
	if err := tx.remember(ctx, key, countSQL(t, where), args, total{rows: n}); err != nil {
		return 0, fmt.Errorf("counting %s: %w", t.Name, err)
	}
	return n, nil
}

// remember keeps what a statement found, if it can be told on what it depends.
func (tx *Tx) remember(ctx context.Context, key, query string, args []any, e total) (err error) {
	if tx.write || key == "" {
		return nil
	}
	e.commit, e.query = tx.commit, query
	if e.tables = tx.s.totals.tablesOf(tx, query); e.tables == nil && !moving().MatchString(query) {
		e.tables, err = tx.reads(ctx, query, args)
	}
	if err == nil && len(e.tables) > 0 {
		tx.s.totals.put(key, e)
	}
	return err
}

// moving finds SQL whose result changes without any table changing.
var moving = lazyregexp.New(`(?i)\b(current_(date|time|timestamp)\b|(date|time|datetime|julianday|unixepoch|strftime|timediff|random|randomblob|changes|total_changes|last_insert_rowid)\s*\()`)

// totalKey names a list, "" for one that is too long to be remembered.
func totalKey(t *Table, where string, args []any) string {
	if len(where) > maxTotalKey {
		return ""
	}
	var b strings.Builder
	b.WriteString(t.Name + "\x00" + where)
	for _, arg := range args {
		fmt.Fprintf(&b, "\x00%T %v", arg, arg)
		if b.Len() > maxTotalKey {
			return ""
		}
	}
	return b.String()
}

// reads are the tables a statement reads, as the database's own plan says, in
// upper case; none when that cannot be told.
func (tx *Tx) reads(ctx context.Context, query string, args []any) (tables []string, err error) {
	rows, err := tx.Query(ctx, "EXPLAIN "+query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	pages := map[int64]bool{}
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		// addr, opcode, p1, p2, p3, p4, p5, comment; p2 is the page where a table begins
		page, ok := values[3].(int64)
		switch opcode, _ := values[1].(string); opcode {
		case "OpenRead", "ReopenIdx":
			if !ok || values[4] != int64(0) { // p3 is the database: main
				return nil, nil
			}
			pages[page] = true
		case "VOpen":
			name, ok := layer.AbsentTable(fmt.Sprint(values[5]))
			if !ok {
				return nil, nil // a table made by code
			}
			tables = append(tables, strings.ToUpper(name))
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for page := range pages {
		var name string
		err := tx.QueryRow(ctx, "SELECT upper(tbl_name) FROM sqlite_schema WHERE rootpage=?", page).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil // the database's own list of tables, which is in no list
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, name)
	}
	return tables, nil
}

// rows is the number of rows of a list, if it is known.
func (l *totals) rows(tx *Tx, key string) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.holdsLocked(tx, key); e != nil {
		return e.rows, true
	}
	return 0, false
}

// tablesOf are the tables that a statement depends on, if that is known of the
// same one with other parameters; nil when it is not.
func (l *totals) tablesOf(tx *Tx, query string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.lists {
		if e.query != query {
			continue
		}
		if last := l.lastChangeLocked(e.tables); e.commit >= last && tx.commit >= last {
			return e.tables
		}
	}
	return nil
}

func (l *totals) put(key string, e total) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.lists[key]; old != nil && old.commit > e.commit {
		return
	}
	if l.lists == nil {
		l.lists = map[string]*total{}
	}
	l.makeRoomLocked(maxTotals, func(*total) bool { return true })
	if e.keys != nil {
		if len(e.keys) > maxKeys {
			return
		}
		l.makeRoomLocked(maxSorted, func(e *total) bool { return e.keys != nil })
	}
	l.used++
	e.used = l.used
	l.lists[key] = &e
}

// makeRoomLocked drops, of the lists of a kind, those that were not used for
// longest until there are fewer than most.
func (l *totals) makeRoomLocked(most int, kind func(*total) bool) {
	for {
		oldest, count := "", 0
		for k, e := range l.lists {
			if !kind(e) {
				continue
			}
			if count++; count == 1 || e.used < l.lists[oldest].used {
				oldest = k
			}
		}
		if count < most {
			return
		}
		delete(l.lists, oldest)
	}
}

// keys are the keys of a list in its order, if they are known.
func (l *totals) keys(tx *Tx, key string) ([]int64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.holdsLocked(tx, key); e != nil {
		return e.keys, true
	}
	return nil, false
}

// values are what a statement found, if that is known.
func (l *totals) values(tx *Tx, key string) ([][]any, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.holdsLocked(tx, key); e != nil {
		return e.found, true
	}
	return nil, false
}

// committed notes which tables a commit changed.
func (l *totals) committed(commit uint64, tables map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = map[string]uint64{}
	}
	for t := range tables {
		l.changed[t] = commit
	}
}

// lastChangeLocked is the commit that last changed one of these tables.
func (l *totals) lastChangeLocked(tables []string) uint64 {
	last := max(l.changed[anyTable], l.changed[everyTable])
	for _, t := range tables {
		last = max(last, l.changed[t])
	}
	return last
}

// holds is the entry of a list, if it is true of the state that a transaction
// sees.
func (l *totals) holdsLocked(tx *Tx, key string) *total {
	e := l.lists[key]
	if tx.write || e == nil {
		return nil
	}
	last := l.lastChangeLocked(e.tables)
	if e.commit < last {
		delete(l.lists, key)
		return nil
	}
	if tx.commit < last {
		return nil // it sees an older state
	}
	l.used++
	e.used = l.used
	return e
}

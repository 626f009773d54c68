package store

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// changes remember which commit was the last that wrote to a table.
type changes struct {
	mu     sync.Mutex        // guards what follows; never held while anything is waited for
	last   map[string]uint64 // by upper-case name, see [Store.OnChange]
	commit uint64
}

func (c *changes) committed(commit uint64, tables map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]uint64{}
	}
	c.commit = commit
	for t := range tables {
		c.last[t] = commit
	}
}

// Changed lists the tables that commits after the given one have written to, in
// upper case and in no order, with the number of the last commit; all tells that
// any other may have changed, too. It does not wait for transactions. Within
// [Store.Snapshot] the list has all that the snapshot sees, and perhaps more.
func (s *Store) Changed(since uint64) (commit uint64, tables []string, all bool) {
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	for t, commit := range s.changes.last {
		switch {
		case commit <= since:
		case t == everyTable, t == anyTable:
			all = true
		default:
			tables = append(tables, t)
		}
	}
	return s.changes.commit, tables, all
}

// Snapshot runs fn in a reading transaction of database/sql, with the number of
// the last commit that it sees.
func (s *Store) Snapshot(ctx context.Context, fn func(tx *sql.Tx, commit uint64) error) error {
	if err := s.makeAll(ctx); err != nil {
		return err
	}
	return s.View(ctx, func(tx *Tx) error { return fn(tx.tx, tx.commit) })
}

var rowWriter = lazyregexp.New(`(?i)^\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)"?(?:\s|\(|$)`)

// writtenTable is the one table whose rows a statement writes to. ok is false for
// all other statements, and when in doubt.
func writtenTable(query string) (table string, ok bool) {
	m := rowWriter().FindStringSubmatch(query)
	if m == nil || strings.Contains(query, ";") || strings.EqualFold(m[1], "OR") {
		return "", false
	}
	return m[1], true
}

package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of what a transaction remembers of its reads.
const (
	maxKept     = 1024    // results
	maxKeptKey  = 4 << 10 // bytes of a statement with its parameters
	maxKeptRows = 50      // of one result
	maxAsked    = 4096    // statements that were run once
	maxRoom     = 64      // rows that room is made for at a time
)

// memory is what a writing transaction remembers of its own reads: a batch asks for
// every record of it the same defaults, settings and referenced records. Nobody
// else writes meanwhile, so a result holds until the transaction itself writes to a
// table that the statement reads, or undoes a part of what it did. The next writing
// transaction goes on with it.
type memory struct {
	asked   map[string]struct{} // run once; a second time keeps the result
	results map[string]keptResult
	tables  map[string][]string // by statement, without its parameters: what it reads
}

type keptResult struct {
	query string
	rows  [][]any
}

// Values runs a select and returns what it found, which the caller must not change.
// In a writing transaction a statement that is repeated is not run again.
func (tx *Tx) Values(ctx context.Context, query string, args ...any) ([][]any, error) {
	key := ""
	if tx.write {
		key = keptKey(query, args)
		if known, ok := tx.kept.results[key]; ok {
			return known.rows, nil
		}
	}
	found, err := tx.values(ctx, query, args)
	if err != nil || key == "" {
		return found, err
	}
	return found, tx.keep(ctx, key, query, args, found)
}

// Known is Values for what is asked all the time, such as settings: between changes
// of the tables that the statement reads it is not run again.
func (tx *Tx) Known(ctx context.Context, query string, args ...any) ([][]any, error) {
	if tx.write {
		return tx.Values(ctx, query, args...)
	}
	key := keptKey(query, args)
	if found, ok := tx.s.totals.values(tx, key); ok {
		return found, nil
	}
	found, err := tx.values(ctx, query, args)
	if err == nil && len(found) <= maxKeptRows {
		err = tx.remember(ctx, key, query, args, total{found: found, rows: len(found)})
	}
	return found, err
}

func (tx *Tx) values(ctx context.Context, query string, args []any) ([][]any, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var found [][]any
	var room []any // for several rows
	scan := make([]any, len(columns))
	for rows.Next() {
		if len(room) < len(columns) {
			room = make([]any, min(max(1, len(found)), maxRoom)*len(columns))
		}
		values := room[:len(columns):len(columns)]
		room = room[len(columns):]
		for i := range values {
			scan[i] = &values[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		found = append(found, values)
	}
	return found, rows.Err()
}

// keptKey names a statement with its parameters, "" for one that is not to be
// remembered.
func keptKey(query string, args []any) string {
	if len(query) > maxKeptKey {
		return ""
	}
	var b strings.Builder
	b.Grow(len(query) + 16*len(args))
	b.WriteString(query)
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			b.WriteString("\x00s")
			b.WriteString(v)
		default:
			fmt.Fprintf(&b, "\x00%T %v", v, v)
		}
		if b.Len() > maxKeptKey {
			return ""
		}
	}
	return b.String()
}

// keep remembers what a statement found, from the second time on.
func (tx *Tx) keep(ctx context.Context, key, query string, args []any, rows [][]any) error {
	k := &tx.kept
	if _, again := k.asked[key]; !again {
		if k.asked == nil || len(k.asked) >= maxAsked {
			k.asked = map[string]struct{}{}
		}
		k.asked[key] = struct{}{}
		return nil
	}
	if len(rows) > maxKeptRows || moving().MatchString(query) {
		return nil
	}
	tables, known := k.tables[query]
	if !known {
		var err error
		if tables, err = tx.reads(ctx, query, args); err != nil {
			return fmt.Errorf("looking which tables a statement reads: %w", err)
		}
		if k.tables == nil || len(k.tables) >= maxKept {
			k.tables, k.results = map[string][]string{}, nil
		}
		k.tables[query] = tables
	}
	if len(tables) == 0 {
		return nil // it cannot be told
	}
	if k.results == nil || len(k.results) >= maxKept {
		k.results = map[string]keptResult{}
	}
	k.results[key] = keptResult{query, rows}
	return nil
}

// forget drops the results that a write to a table may have changed.
func (m *memory) forget(table string) {
	if len(m.results) == 0 {
		return
	}
	if table == anyTable || table == everyTable {
		m.clear()
		return
	}
	for key, r := range m.results {
		if slices.Contains(m.tables[r.query], table) {
			delete(m.results, key)
		}
	}
}

// clear drops everything.
func (m *memory) clear() { *m = memory{} }

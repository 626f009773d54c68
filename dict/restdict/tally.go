package restdict

import "sync"

// schemaRequests is what reading the schema takes at least: the tables and their
// columns.
const schemaRequests = 2

// tally counts the requests of one reading of the dictionary.
type tally struct {
	report func(done, total int)

	mu     sync.Mutex // guards what follows, and is held while report is called
	done   int
	tables []int // requests expected for each table
}

func newTally(tables int, report func(done, total int)) *tally {
	t := &tally{report: report, tables: make([]int, tables)}
	for i := range t.tables {
		t.tables[i] = 3 // a page and two stamps
	}
	return t
}

// add counts one more request. A nil tally counts nothing.
func (t *tally) add() {
	if t == nil || t.report == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	total := schemaRequests
	for _, n := range t.tables {
		total += n
	}
	t.report(t.done, max(t.done, total))
}

// expect corrects what is expected for a table.
func (t *tally) expect(table, requests int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tables[table] = requests
}

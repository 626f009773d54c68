package engine

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of the caches of records.
const (
	RecordCacheMinutes = 60
	RecordCacheSize    = 500
)

// RecordCacheTables are the tables whose records the ERP keeps once they were
// read by their id.
var RecordCacheTables = []string{
	"AD_Message", "AD_User", "C_BPartner", "C_Currency", "C_DocType", "C_PaymentTerm", "C_Tax", "C_UOM",
	"M_PriceList", "M_Product", "M_Warehouse",
}

// RecordCaches tells which records are cached: those read by their id within
// the last hour and not changed since. It keeps no values. The zero value is
// empty.
type RecordCaches struct {
	mu   sync.Mutex // guards seen
	seen map[string]map[int64]time.Time
}

// note notes that a record was read.
func (rc *RecordCaches) note(table string, id int64, now time.Time) {
	if !slices.Contains(RecordCacheTables, table) {
		return
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.seen == nil {
		rc.seen = map[string]map[int64]time.Time{}
	}
	if rc.seen[table] == nil {
		rc.seen[table] = map[int64]time.Time{}
	}
	rc.expire(table, now)
	if _, ok := rc.seen[table][id]; !ok && len(rc.seen[table]) >= RecordCacheSize {
		for oldest := range rc.seen[table] {
			delete(rc.seen[table], oldest)
			break
		}
	}
	rc.seen[table][id] = now
}

func (rc *RecordCaches) expire(table string, now time.Time) {
	maps.DeleteFunc(rc.seen[table], func(_ int64, at time.Time) bool { return now.Sub(at) >= RecordCacheMinutes*time.Minute })
}

// Size tells how many records of a table are in the cache.
func (rc *RecordCaches) Size(table string, now time.Time) int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.expire(table, now)
	return len(rc.seen[table])
}

// Reset empties the cache of a table, or drops one record with id > 0, and
// tells how many entries went.
func (rc *RecordCaches) Reset(table string, id int64) int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if id > 0 {
		if _, ok := rc.seen[table][id]; !ok {
			return 0
		}
		delete(rc.seen[table], id)
		return 1
	}
	n := len(rc.seen[table])
	delete(rc.seen, table)
	return n
}

// changed gets the tables that a commit wrote to, by upper-case names.
func (rc *RecordCaches) changed(tables map[string]bool) {
	for _, name := range RecordCacheTables {
		if tables["*"] || tables[strings.ToUpper(name)] {
			rc.Reset(name, 0)
		}
	}
}

package erptest

import (
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// maxIdentities bounds the identities that are remembered.
const maxIdentities = 50_000

// identityMemory is what lookups found in one state of the database, for the next
// request: pages of a list reference the same records. The zero value is empty.
type identityMemory struct {
	mu     sync.Mutex // guards the fields below
	commit uint64     // the state
	known  map[identityScope]map[string]*identity
	size   int
}

// identityScope is what an identity depends on besides the key. Addresses are not
// remembered: records show all of them.
type identityScope struct {
	lookup   lookup
	language string
}

// recall moves what is remembered from the wanted keys to the identities. It knows
// nothing for a transaction that writes.
func (m *identityMemory) recall(tx *store.Tx, scope identityScope, wanted map[string]any, into map[string]*identity) {
	if tx.Writing() || scope.lookup.address {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.known[scope]
	if len(known) == 0 || tx.Commit() != m.commit {
		return
	}
	for key := range wanted {
		if id, ok := known[key]; ok {
			into[key] = id
			delete(wanted, key)
		}
	}
}

// remember notes what was found for these keys.
func (m *identityMemory) remember(tx *store.Tx, scope identityScope, keys map[string]any, found map[string]*identity) {
	if tx.Writing() || scope.lookup.address {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case tx.Commit() < m.commit:
		return // it sees an older state
	case m.known == nil, tx.Commit() > m.commit, m.size+len(keys) > maxIdentities:
		m.commit, m.size, m.known = tx.Commit(), 0, map[identityScope]map[string]*identity{}
	}
	if m.known[scope] == nil {
		m.known[scope] = map[string]*identity{}
	}
	for key := range keys {
		if id, ok := found[key]; ok {
			m.known[scope][key] = id
			m.size++
		}
	}
}

package httpapi

import "time"

// NewMemoryStoreAt is NewMemoryStore with a clock of the test's.
func NewMemoryStoreAt(now func() time.Time) *MemoryStore { return newMemoryStore(now, maxStoreBytes) }

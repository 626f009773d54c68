package registry

import "sync"

// maxDerived bounds what is kept of a dictionary in one state.
const maxDerived = 200

// derived is what was worked out of a dictionary in one state, by its key.
type derived struct {
	mu   sync.Mutex // guards what follows
	kept map[any]any
}

// State is the dictionary as it is now, which stays as it is, where reg keeps it in
// memory; any other registry is returned itself.
func State(reg Registry) Registry {
	if c, ok := reg.(interface{ Catalog() *Catalog }); ok {
		return c.Catalog()
	}
	return reg
}

// Derive returns what work returns, which is done once for a key as long as the
// dictionary stays as it is. It must depend on nothing but the key and state,
// which is a [State]: with any other registry, work is done each time. So it is after
// an error, and when much else was worked out since. Callers share the value and must
// not change it. Keys of different types are different.
func Derive[T any](state Registry, key any, work func() (T, error)) (T, error) {
	c, ok := state.(*Catalog)
	if !ok || c.derived == nil {
		return work()
	}
	if known, ok := c.derived.get(key); ok {
		return known.(T), nil
	}
	value, err := work() // at the same time perhaps by others, with the same result
	if err == nil {
		c.derived.put(key, value)
	}
	return value, err
}

func (d *derived) get(key any) (any, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	value, ok := d.kept[key]
	return value, ok
}

func (d *derived) put(key, value any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept == nil || len(d.kept) >= maxDerived {
		d.kept = map[any]any{}
	}
	d.kept[key] = value
}

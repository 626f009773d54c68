package httpserver

// Slots limit how many requests are handled at a time. They are safe for
// concurrent use; len is the number of slots in use.
type Slots chan struct{}

// NewSlots makes n free slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// TryAcquire takes n slots, all or none, and reports whether it did. It does not
// wait. The caller gives them back with [Slots.Release].
func (s Slots) TryAcquire(n int) bool {
	for taken := range n {
		select {
		case s <- struct{}{}:
		default:
			s.Release(taken)
			return false
		}
	}
	return true
}

// Release gives n slots back.
func (s Slots) Release(n int) {
	for range n {
		<-s
	}
}

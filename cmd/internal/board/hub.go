package board

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

const (
	// kept is how many events are there for those who come back.
	kept = 512
	// backlog is how many events a listener may be behind before it is let go.
	backlog = 64
)

// errFull is that of one listener too many.
var errFull = errors.New("there are too many listeners")

// event is one server-sent event.
type event struct {
	seq  uint64
	name string
	data []byte // JSON, one line
}

// hub hands each event to all listeners and keeps the newest ones.
type hub struct {
	epoch string // of this process: numbers of another one mean nothing here
	max   int

	mu        sync.Mutex // guards the rest
	seq       uint64
	ring      []event
	listeners map[*listener]struct{}
	arrived   uint64 // listeners so far
	closed    bool
}

// listener gets events until its channel is closed.
type listener struct {
	events chan event
	from   string // network address
	number uint64
}

func newHub(max int) *hub {
	return &hub{epoch: strings.ToLower(rand.Text()[:10]), max: max, listeners: map[*listener]struct{}{}}
}

// publish gives an event to all. A listener whose backlog is full is let go: it
// comes back and gets what it missed.
func (h *hub) publish(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil { // values are structs of ours
		panic(fmt.Sprintf("board: event %s: %v", name, err))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seq++
	e := event{h.seq, name, data}
	if h.ring = append(h.ring, e); len(h.ring) > 2*kept {
		h.ring = append(h.ring[:0:0], h.ring[len(h.ring)-kept:]...)
	}
	for l := range h.listeners {
		select {
		case l.events <- e:
		default:
			h.dropLocked(l)
		}
	}
}

// welcome is the first message to a new listener.
type welcome struct {
	missed   []event // what followed the last event it knows
	complete bool    // false: that is not known, it has to read everything again
	id       string  // of the newest event
}

// listen adds a listener from an address. after is the id of the last event it
// knows, empty for none.
func (h *hub) listen(after, from string) (*listener, welcome, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.listeners) >= h.max && !h.makeRoomLocked(from) {
		return nil, welcome{}, errFull
	}
	w := welcome{id: h.id(h.seq)}
	w.missed, w.complete = h.sinceLocked(after)
	h.arrived++
	l := &listener{events: make(chan event, backlog), from: from, number: h.arrived}
	h.listeners[l] = struct{}{}
	return l, w, nil
}

// makeRoomLocked lets go the newest listener of the address that has most of
// them, unless the newcomer's would have as many then.
func (h *hub) makeRoomLocked(from string) bool {
	counts := map[string]int{}
	most := ""
	for l := range h.listeners {
		counts[l.from]++
		if counts[l.from] > counts[most] {
			most = l.from
		}
	}
	if counts[most] <= counts[from]+1 {
		return false
	}
	var newest *listener
	for l := range h.listeners {
		if l.from == most && (newest == nil || l.number > newest.number) {
			newest = l
		}
	}
	h.dropLocked(newest)
	return true
}

func (h *hub) sinceLocked(after string) ([]event, bool) {
	if after == "" {
		return nil, true
	}
	epoch, number, _ := strings.Cut(after, "-")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil || epoch != h.epoch || seq > h.seq {
		return nil, false
	}
	first := h.seq + 1 - uint64(len(h.ring)) // number of the oldest one kept
	if seq+1 < first {
		return nil, false
	}
	return append([]event(nil), h.ring[seq+1-first:]...), true
}

// id is what a listener names an event by.
func (h *hub) id(seq uint64) string { return h.epoch + "-" + strconv.FormatUint(seq, 10) }

func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropLocked(l)
}

func (h *hub) dropLocked(l *listener) {
	if _, there := h.listeners[l]; there {
		delete(h.listeners, l)
		close(l.events)
	}
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners)
}

// close lets all listeners go and takes no new ones.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for l := range h.listeners {
		h.dropLocked(l)
	}
}

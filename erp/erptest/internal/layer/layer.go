package layer

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Layer is a database over an image. It is safe for concurrent use.
type Layer struct {
	name  string
	image *Image

	mu     sync.Mutex // guards what follows; nothing is waited for with it
	now    *version   // as of the last commit
	writer *file      // the one that may write
}

var (
	layers sync.Map // of all layers, by name
	names  atomic.Int64
)

// namePrefix begins the names of layers, and of no file.
const namePrefix = "/erphub-layer/"

// New begins a layer over an image; nil is one over an empty database. The caller
// closes it.
func New(image *Image) *Layer {
	if image == nil {
		image = &Image{close: func() error { return nil }}
	}
	l := &Layer{name: fmt.Sprintf("%s%d", namePrefix, names.Add(1)), image: image, now: &version{size: image.size, image: image.size}}
	layers.Store(l.name, l)
	return l
}

// URI is where SQLite finds the database, without parameters of its own: what is
// appended begins with "&".
func (l *Layer) URI() string {
	register()
	return "file:" + l.name + "?vfs=" + VFS + "&_pragma=journal_mode(MEMORY)&_pragma=synchronous(OFF)&_pragma=cache_size(-128)"
}

// Close has nobody find the database any more. Its memory is free when the
// connections to it are closed.
func (l *Layer) Close() { layers.Delete(l.name) }

// lockLevel is what a connection holds of a database, in SQLite's order.
type lockLevel int32

const (
	unlocked lockLevel = iota
	shared
	reserved
	pending
	exclusive
)

// file is a connection's view of a layer. SQLite uses it from one goroutine at a
// time.
type file struct {
	l         *Layer
	lock      lockLevel
	seen      *version // while something is locked
	draft     *draft   // while it writes
	committed bool     // the draft is complete
}

// acquire locks, and reports whether nobody else stands against it.
func (f *file) acquire(level lockLevel) bool {
	if level <= f.lock {
		return true
	}
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	if f.lock == unlocked {
		f.seen = f.l.now
		f.lock = shared
	}
	if level == shared {
		return true
	}
	// Who writes begins with the last state; who read an older one reads again first.
	if f.l.writer != f && (f.l.writer != nil || f.seen != f.l.now) {
		return false
	}
	f.l.writer = f
	f.lock = level
	if level == exclusive && f.draft == nil {
		f.draft = f.seen.draft()
	}
	return true
}

// release gives back what is above a level. What was written and not committed is
// dropped.
func (f *file) release(level lockLevel) {
	if level >= f.lock {
		return
	}
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	if f.draft != nil && level < exclusive {
		if f.committed {
			v := f.draft.version // without what only a draft needs
			f.seen, f.l.now = &v, &v
		}
		f.draft, f.committed = nil, false
	}
	if f.l.writer == f && level < reserved {
		f.l.writer = nil
	}
	if level == unlocked {
		f.seen = nil
	}
	f.lock = level
}

// commit says that what was written is complete.
func (f *file) commit() { f.committed = f.draft != nil }

// visible is the state that the connection reads.
func (f *file) visible() *version {
	switch {
	case f.draft != nil:
		return &f.draft.version
	case f.seen != nil:
		return f.seen
	}
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	return f.l.now
}

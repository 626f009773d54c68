package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/internal/atomicfile"
)

// Options say how a queue keeps its entries.
type Options struct {
	// Form is the number of the form of the files; others are refused.
	Form int
	// Aside is the sub-folder of entries that are set aside.
	Aside string
	// Prefix is what the names of entries in lists begin with, before the number.
	Prefix string
	// Wait is how long to wait for a lock; 0: until the context ends.
	Wait time.Duration
	// Check returns what is wrong with the content of an entry; nil checks nothing.
	Check func(*Entry) error
	// Delivered reports whether an entry was delivered before, so that it is not
	// appended again; nil: none was. It is called under the lock for appending.
	Delivered func(*Entry) bool
}

// Queue is a folder of entries. It is safe for concurrent use, also by several
// processes.
type Queue struct {
	dir  string
	opts Options
	// Fault is called before every change and every reading of the folder, for
	// tests that kill the process or fill the disk.
	Fault func(op, path string) error
}

// New makes a queue in a folder, which is made for its owner alone when it is
// needed.
func New(dir string, opts Options) *Queue {
	return &Queue{dir: dir, opts: opts, Fault: func(string, string) error { return nil }}
}

// ErrFolder is in every error of a folder that cannot be used.
var ErrFolder = errors.New("the folder cannot be used")

// folderError marks an error of the folder.
func folderError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrFolder, err)
}

const (
	appendLock  = "append.lock"
	deliverLock = "deliver.lock"
)

func (q *Queue) asideDir() string { return filepath.Join(q.dir, q.opts.Aside) }

// lock makes the folder and takes one of its locks, waiting for other processes.
func (q *Queue) lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := os.MkdirAll(q.asideDir(), 0o700); err != nil {
		return nil, folderError(err)
	}
	if q.opts.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.opts.Wait)
		defer cancel()
	}
	l := flock.New(filepath.Join(q.dir, name), flock.SetPermissions(0o600))
	err = q.Fault("lock", name)
	if err == nil {
		_, err = l.TryLockContext(ctx, 10*time.Millisecond)
	}
	if err != nil {
		return nil, folderError(fmt.Errorf("waiting for another process that uses it: %w", err))
	}
	return func() { _ = l.Close() }, nil // the system frees it with the process at the latest
}

// Lock keeps other processes from delivering, setting aside and writing notes
// until unlock is called.
func (q *Queue) Lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = q.lock(ctx, deliverLock)
	if err == nil {
		q.sweep(false)
	}
	return unlock, err
}

// Append writes an entry behind those that are in the folder, and sets its Number
// and Path. An entry whose key and ID are there already is not written again.
func (q *Queue) Append(ctx context.Context, e *Entry) error {
	if named, ok := parseName(filepath.Base(q.path(e))); !ok || named.Key != e.Key || named.ID != e.ID {
		return fmt.Errorf("an entry cannot have the key %q and the ID %q, which become a part of the name of its file", e.Key, e.ID)
	}
	unlock, err := q.lock(ctx, appendLock)
	if err != nil {
		return err
	}
	defer unlock()
	q.sweep(true)
	all, err := q.all()
	if err != nil {
		return err
	}
	number := int64(1)
	for _, other := range all {
		if other.Key == e.Key && other.ID == e.ID {
			return nil
		}
		number = max(number, other.Number+1)
	}
	if q.opts.Delivered != nil && q.opts.Delivered(e) {
		return nil
	}
	e.Number = number
	e.Path = q.path(e)
	return q.write(e.Path, e)
}

// Waiting returns the entries that wait, in order and unread; none when there is no
// folder yet.
func (q *Queue) Waiting() ([]Entry, error) { return q.entries(q.dir) }

// Aside returns the entries that are set aside, in order and unread.
func (q *Queue) Aside() ([]Entry, error) { return q.entries(q.asideDir()) }

// all returns the entries that wait, then those that are set aside.
func (q *Queue) all() ([]Entry, error) {
	waiting, err := q.Waiting()
	if err != nil {
		return nil, err
	}
	aside, err := q.Aside()
	return append(waiting, aside...), err
}

func (q *Queue) entries(dir string) ([]Entry, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = q.Fault("list", dir)
	}
	if err != nil {
		return nil, folderError(err)
	}
	var list []Entry
	for _, f := range files {
		if e, ok := parseName(f.Name()); ok {
			e.Path, e.Aside = filepath.Join(dir, f.Name()), dir != q.dir
			list = append(list, e)
		}
	}
	slices.SortFunc(list, compare)
	return list, nil
}

// Next returns the first entry that waits behind another one, which may be gone; nil
// when there is none. The zero entry is before all others.
func (q *Queue) Next(last Entry) (*Entry, error) {
	list, err := q.Waiting()
	for i := range list {
		if compare(last, list[i]) < 0 {
			return &list[i], nil
		}
	}
	return nil, err
}

// Has reports whether an entry waits still, as far as the folder can be read. Under
// the lock of [Queue.Lock] that does not change.
func (q *Queue) Has(e *Entry) bool {
	list, err := q.Waiting()
	return err != nil || slices.ContainsFunc(list, func(other Entry) bool { return compare(*e, other) == 0 })
}

// MarkTried notes that an entry may have been sent from now on.
func (q *Queue) MarkTried(e *Entry) error {
	if e.Tried {
		return nil
	}
	to := *e
	to.Tried = true
	return q.move(e, to)
}

// SetAside takes an entry out of the queue and keeps it with the reason, which a
// full disk may have no room for.
func (q *Queue) SetAside(e *Entry, reason string) error {
	to := *e
	to.Tried, to.Aside, to.Reason = false, true, reason
	err := q.move(e, to)
	if err == nil {
		_ = q.write(e.Path, e)
	}
	return err
}

// PutBack returns an entry that was set aside to its place in the queue. It may have
// been sent before.
func (q *Queue) PutBack(ctx context.Context, e *Entry) error {
	unlock, err := q.lock(ctx, appendLock) // its number is not given to another one meanwhile
	if err != nil {
		return err
	}
	defer unlock()
	to := *e
	to.Tried, to.Aside = true, false
	return q.move(e, to)
}

// move renames the file of an entry, which is then as to says.
func (q *Queue) move(e *Entry, to Entry) error {
	to.Path = q.path(&to)
	err := q.Fault("move", e.Path)
	if err == nil {
		err = os.Rename(e.Path, to.Path)
	}
	if err != nil {
		return folderError(err)
	}
	syncFolder(to.Path)
	if to.Aside != e.Aside {
		syncFolder(e.Path)
	}
	*e = to
	return nil
}

// Remove removes an entry for good; that it is gone already is not an error.
func (q *Queue) Remove(e *Entry) error {
	err := q.Fault("remove", e.Path)
	if err == nil {
		err = os.Remove(e.Path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folderError(err)
	}
	syncFolder(e.Path)
	return nil
}

// syncFolder makes the renaming or removal of a file last. Where it fails, a power
// failure may bring an entry back, which is then delivered again.
func syncFolder(path string) { _ = atomicfile.SyncDir(filepath.Dir(path)) }

// write replaces a file by an entry or a note.
func (q *Queue) write(path string, e *Entry) error {
	e.Form = q.opts.Form
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err = q.Fault("write", path); err == nil {
		err = atomicfile.Write(path, append(data, '\n'), 0o600)
	}
	return folderError(err)
}

// sweep removes temporary files of processes that were killed: those of entries
// that were being appended under the lock for that, all others under the lock for
// delivering. Whoever holds the lock is the only one who may be writing them.
func (q *Queue) sweep(appended bool) {
	for _, dir := range []string{q.dir, q.asideDir()} {
		files, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, f := range files {
			m := tempName().FindStringSubmatch(f.Name())
			if m == nil || !f.Type().IsRegular() {
				continue
			}
			if _, entry := parseName(m[1]); appended == (entry && dir == q.dir) {
				_ = os.Remove(filepath.Join(dir, f.Name())) // the next time, then
			}
		}
	}
}

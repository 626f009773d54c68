package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// State is why a call is in the folder.
type State string

// The states of kept calls.
const (
	Waiting    State = "waiting"    // for the next call or Flush
	Held       State = "held"       // behind a file of its run that cannot be read
	Unreadable State = "unreadable" // its file is damaged, or another version wrote it
	Refused    State = "refused"    // by the ERP or the transition table; it is set aside
)

// Kept is a call in the folder.
type Kept struct {
	// Name is what Retry and Discard take.
	Name    string    `json:"name"`
	State   State     `json:"state"`
	Call    string    `json:"call,omitempty"` // what it does; empty when its file cannot be read
	Run     string    `json:"run,omitempty"`  // number or UUID; empty: unknown
	Created time.Time `json:"created,omitzero"`
	Reason  string    `json:"reason,omitempty"` // why it is not waiting
	File    string    `json:"file"`

	entry *entry // nil when it cannot be read
	file  file
}

// List tells what is in the folder: what waits, in order, then what was set
// aside. It changes nothing, and takes no lock: calls may come and go meanwhile.
// A folder that is not there is empty.
func (s *Spool) List() ([]Kept, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	var list []Kept
	held := map[string]string{}
	for _, f := range files {
		k, ok := s.look(f)
		if !ok {
			continue
		}
		switch by, isHeld := held[k.Run]; {
		case k.entry == nil:
			k.State = Unreadable
			held[k.Run] = k.Name
		case held[""] != "":
			k.State, k.Reason = Held, "behind "+held[""]
		case isHeld:
			k.State, k.Reason = Held, "behind "+by
		}
		list = append(list, k)
	}
	aside, err := s.setAside()
	for _, f := range aside {
		k, ok := s.look(f)
		if !ok {
			continue
		}
		if k.State = Refused; k.entry == nil {
			k.State = Unreadable
		}
		list = append(list, k)
	}
	return list, err
}

// look reads a file for a list; false when it is gone.
func (s *Spool) look(f file) (Kept, bool) {
	k := Kept{Name: strconv.FormatInt(f.number, 10), State: Waiting, Run: f.run, File: f.path, file: f}
	e, err := s.read(f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, false
	case err != nil:
		k.Reason = err.Error()
	default:
		k.entry, k.Call, k.Run, k.Created, k.Reason = e, e.Call.String(), e.runKey(), e.At, e.Reason
	}
	return k, true
}

// setAside are the files of the folder of refused calls, in order.
func (s *Spool) setAside() ([]file, error) {
	dir := filepath.Join(s.dir, rejectedDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, folder("reading the folder of refused calls", err)
	}
	var list []file
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || !e.Type().IsRegular() {
			continue
		}
		if f, ok := parseName(dir, name); ok { // else it is not ours
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b file) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	return list, nil
}

// find are the calls of those names, or of all that need somebody: refused and
// unreadable ones. The caller holds the deliver lock.
func (s *Spool) find(names []string) ([]Kept, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return slices.DeleteFunc(list, func(k Kept) bool { return k.State != Refused && k.State != Unreadable }), nil
	}
	var found []Kept
	for _, name := range names {
		i := slices.IndexFunc(list, func(k Kept) bool { return k.Name == name || k.File == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no call %q in the spool %s", name, s.dir)
		}
		found = append(found, list[i])
	}
	return found, nil
}

// under runs work while nobody delivers.
func (s *Spool) under(ctx context.Context, work func() error) error {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return work() // there is nothing, which it will say
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.LockWait)
	defer cancel()
	unlock, err := s.lock(ctx, deliverLock)
	if err != nil {
		return err
	}
	defer unlock()
	return work()
}

// Retry puts calls that were set aside back into the queue, at the places they
// had; Flush or the next call delivers them. Without names it takes all that were
// refused or could not be read. What still cannot be read stays, and is in the
// error.
func (s *Spool) Retry(ctx context.Context, names ...string) (put []Kept, err error) {
	err = s.under(ctx, func() error {
		list, err := s.find(names)
		if err != nil {
			return err
		}
		var errs []error
		for _, k := range list {
			switch {
			case k.entry == nil:
				errs = append(errs, fmt.Errorf("the spool file %s cannot be read: %s; fix it, run the version that wrote it, or discard it", k.File, k.Reason))
				continue
			case filepath.Dir(k.File) != s.dir:
				if err := s.putBack(k.entry); err != nil {
					return errors.Join(append(errs, err)...)
				}
			}
			put = append(put, k)
		}
		return errors.Join(errs...)
	})
	return put, err
}

// putBack moves a call that was set aside into the queue. It may have been sent
// before.
func (s *Spool) putBack(e *entry) error {
	return s.move(e.file.path, filepath.Join(s.dir, strings.TrimSuffix(e.file.base(), callSuffix)+triedMark+callSuffix))
}

// Discard removes calls for good, waiting ones too, and returns what they were.
// Without names it removes all that were refused or cannot be read.
func (s *Spool) Discard(ctx context.Context, names ...string) (gone []Kept, err error) {
	err = s.under(ctx, func() error {
		list, err := s.find(names)
		if err != nil {
			return err
		}
		for _, k := range list {
			if k.entry != nil && !k.file.tried && filepath.Dir(k.File) == s.dir {
				// Its process may be waiting for its turn.
				if err := s.leaveResult(k.entry, result{Error: "it was discarded by hand"}); err != nil {
					return err
				}
			}
			if err := s.remove(&entry{file: k.file}); err != nil {
				return err
			}
			gone = append(gone, k)
		}
		return nil
	})
	return gone, err
}

package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
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
}

// List tells what is in the folder: what waits, in order, then what was set
// aside. It changes nothing, and takes no lock: calls may come and go meanwhile.
// A folder that is not there is empty.
func (s *Spool) List() ([]Kept, error) {
	items, err := s.queue.List()
	var list []Kept
	for i := range items {
		list = append(list, keptCall(&items[i]))
	}
	return list, err
}

// keptCall is an item of the folder as a list shows it.
func keptCall(i *outbox.Item) Kept {
	k := Kept{Name: i.Name, State: Waiting, Run: i.Key, Created: i.At, Reason: i.Reason, File: i.Path}
	if c, err := callOf(&i.Entry); err == nil {
		k.Call = c.String()
	}
	switch {
	case i.Err != nil:
		k.State, k.Reason = Unreadable, i.Err.Error()
	case i.Aside:
		k.State = Refused
	case i.Behind != "":
		k.State, k.Reason = Held, "behind "+i.Behind
	}
	return k
}

// Retry puts calls that were set aside back into the queue, at the places they
// had; Flush or the next call delivers them. Without names it takes all that were
// refused or could not be read. What still cannot be read stays, and is in the
// error.
func (s *Spool) Retry(ctx context.Context, names ...string) (put []Kept, err error) {
	var errs []error
	err = s.queue.Change(ctx, names, func(i *outbox.Item) error {
		k := keptCall(i)
		switch {
		case i.Err != nil:
			errs = append(errs, fmt.Errorf("the spool file %s cannot be read: %w; fix it, run the version that wrote it, or discard it", i.Path, i.Err))
			return nil
		case i.Aside:
			if err := s.queue.PutBack(ctx, &i.Entry); err != nil {
				return err
			}
		}
		put = append(put, k)
		return nil
	})
	return put, errors.Join(append(errs, err)...)
}

// Discard removes calls for good, waiting ones too, and returns what they were.
// Without names it removes all that were refused or cannot be read.
func (s *Spool) Discard(ctx context.Context, names ...string) (gone []Kept, err error) {
	err = s.queue.Change(ctx, names, func(i *outbox.Item) error {
		if i.Err == nil && !i.Tried && !i.Aside {
			// Its process may be waiting for its turn.
			if err := s.leaveResult(i.ID, result{Error: "it was discarded by hand"}); err != nil {
				return err
			}
		}
		if err := s.queue.Remove(&i.Entry); err != nil {
			return err
		}
		gone = append(gone, keptCall(i))
		return nil
	})
	return gone, err
}

// MoveFrom takes the calls of another spool over, behind those that are here, and
// returns how many: for an ERP that has another address now, or another login. What
// was set aside there is set aside here. A file that cannot be read stays, and is in the
// error. When the process is killed on the way, the calls that were not taken over
// are still there; running it again takes them.
func (s *Spool) MoveFrom(ctx context.Context, other *Spool) (moved int, err error) {
	there, err := os.Stat(other.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if here, err := os.Stat(s.dir); err == nil && os.SameFile(here, there) {
		return 0, fmt.Errorf("%s is the spool that the calls would be moved to", s.dir)
	}
	for _, q := range []*outbox.Queue{other.queue, s.queue} {
		unlock, err := q.Lock(ctx)
		if err != nil {
			return 0, err
		}
		defer unlock()
	}
	aliases, err := other.aliases()
	if err == nil {
		err = s.addAliases(aliases...)
	}
	if err != nil {
		return 0, err
	}
	list, err := other.queue.List()
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, i := range list {
		if i.Err != nil {
			errs = append(errs, fmt.Errorf("%s stays: %w", i.Path, i.Err))
			continue
		}
		here := i.Entry
		err := s.queue.Append(ctx, &here)
		if err == nil {
			err = other.queue.Remove(&i.Entry)
		}
		if err != nil {
			return moved, errors.Join(append(errs, err)...)
		}
		moved++
	}
	return moved, errors.Join(errs...)
}

package spool

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// MoveFrom takes the calls of another spool over, behind those that are here, and
// returns how many: for an ERP that has another address now, or another login. What
// was set aside there is set aside here. A file that cannot be read stays, and is in the
// error. When the process is killed on the way, the calls that were not taken over
// are still there; running it again takes them.
func (s *Spool) MoveFrom(ctx context.Context, other *Spool) (moved int, err error) {
	from, err := filepath.Abs(other.dir)
	if err != nil {
		return 0, err
	}
	to, err := filepath.Abs(s.dir)
	if err != nil {
		return 0, err
	}
	if from == to {
		return 0, fmt.Errorf("%s is the spool that the calls would be moved to", to)
	}
	err = other.under(ctx, func() error {
		list, err := other.List()
		if err != nil || len(list) == 0 {
			return err
		}
		unlock, err := s.appending(ctx) // makes the folder
		if err != nil {
			return err
		}
		unlock()
		if unlock, err = s.lock(ctx, deliverLock); err != nil {
			return err
		}
		defer unlock()
		if err := s.moveNames(other); err != nil {
			return err
		}
		var errs []error
		for _, k := range list {
			if k.entry == nil {
				errs = append(errs, fmt.Errorf("%s stays: %s", k.File, k.Reason))
				continue
			}
			if err := s.take(ctx, other, k); err != nil {
				return errors.Join(append(errs, err)...)
			}
			moved++
		}
		return errors.Join(errs...)
	})
	return moved, err
}

// take brings one call of another spool here: it is here before it is gone there.
func (s *Spool) take(ctx context.Context, other *Spool, k Kept) error {
	e := k.entry
	there := e.file
	mine, err := s.List()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(mine, func(k Kept) bool { return k.entry != nil && k.entry.Op == e.Op }) {
		if err := s.put(ctx, e, filepath.Dir(k.File) != other.dir); err != nil {
			return err
		}
	}
	e.file = there
	return other.remove(e)
}

// moveNames takes over which runs are called otherwise in the ERP.
func (s *Spool) moveNames(other *Spool) error {
	names, err := other.aliases()
	if err != nil {
		return err
	}
	for _, a := range names {
		if err := s.alias(a.UUID, a.ID); err != nil {
			return err
		}
	}
	return nil
}

// put writes a call behind those that are in the folder, or beside those that are set
// aside. Whether it may have been sent stays.
func (s *Spool) put(ctx context.Context, e *entry, aside bool) error {
	unlock, err := s.appending(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	number, err := s.nextNumber()
	if err != nil {
		return err
	}
	s.sweep(s.dir, true)
	dir := s.dir
	if aside {
		dir = filepath.Join(s.dir, rejectedDir)
	}
	tried := e.file.tried
	e.file = file{number: number, run: e.runKey(), op: e.Op}
	e.file.path = filepath.Join(dir, e.file.base())
	if tried && !aside {
		e.file.path = strings.TrimSuffix(e.file.path, callSuffix) + triedMark + callSuffix
	}
	text, err := e.encode()
	if err != nil {
		return err
	}
	return s.write("keeping the call in the spool", e.file.path, text)
}

package seed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Open opens the database at path, or one in memory when path is empty, and
// fills it when it is new. Filling is all or nothing: a process that dies on
// the way leaves no file. The caller closes the store.
func Open(ctx context.Context, path string) (*store.Store, error) {
	return OpenWith(ctx, path, Options{})
}

// OpenWith is Open with options, which count only when the database is new.
func OpenWith(ctx context.Context, path string, opts Options) (*store.Store, error) {
	if path == "" {
		s, err := store.Open(ctx, "", store.Options{})
		if err != nil {
			return nil, err
		}
		if err := fill(ctx, s, opts); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		if err := create(ctx, path, opts); err != nil {
			return nil, fmt.Errorf("making the database %s: %w", path, err)
		}
	case err != nil:
		return nil, fmt.Errorf("opening the database: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("opening the database: %s is a directory; name a file", path)
	}
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.View(ctx, func(tx *store.Tx) error {
		_, err := tx.Table(ctx, "AD_Column")
		return err
	}); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is no database of the embedded ERP: %w", path, err), s.Close())
	}
	return s, nil
}

// create makes a filled database beside path and moves it there.
func create(ctx context.Context, path string, opts Options) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = os.Remove(f.Name() + suffix) // the first error is the one to tell
			}
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	s, err := store.Open(ctx, f.Name(), store.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, s, opts), s.Close()); err != nil {
		return err
	}
	// Linking, unlike renaming, does not push aside what another process made
	// in the meantime.
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) && notEmpty(path) {
		return os.Remove(f.Name())
	}
	return os.Rename(f.Name(), path)
}

func notEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() > 0
}

// Options change what a new database holds.
type Options struct {
	// RealProcessNumbers leaves to processes 291 and 194 what they are in
	// every installation of the ERP: the print of an inventory and the import
	// of business partners. Without it, they synchronise a table and import a
	// package, which is what some tools expect of these numbers.
	RealProcessNumbers bool
}

// fill copies the template into an empty store and adds what every
// installation has of its own.
func fill(ctx context.Context, s *store.Store, opts Options) error {
	template, err := templates.get(ctx)
	if err != nil {
		return fmt.Errorf("building the demo data: %w", err)
	}
	if err := s.CopyFrom(ctx, template); err != nil {
		return err
	}
	return s.Update(ctx, func(tx *store.Tx) error {
		if opts.RealProcessNumbers {
			if err := restoreProcesses(ctx, tx); err != nil {
				return err
			}
		}
		return addSecrets(ctx, tx)
	})
}

// templates holds the database that new ones are copied from. It is built when
// first needed, stays for the life of the process and never changes, so that
// a test pays for it once and not with every server.
var templates templateCache

type templateCache struct {
	mu sync.Mutex
	s  *store.Store
}

func (c *templateCache) get(ctx context.Context) (*store.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s == nil {
		s, err := Build(context.WithoutCancel(ctx)) // others wait for it too
		if err != nil {
			return nil, err
		}
		c.s = s
	}
	return c.s, nil
}

// Build makes a filled database in memory from the text files, without the
// secrets. Two builds are equal.
func Build(ctx context.Context) (*store.Store, error) {
	m, err := parseModel()
	if err != nil {
		return nil, err
	}
	b := newBuilder(m)
	b.addDictionary()
	if err := b.addData(); err != nil {
		return nil, err
	}
	b.addAccess()
	if err := b.addMenu(); err != nil {
		return nil, err
	}
	b.addPeriods()
	if err := b.addTrade(); err != nil {
		return nil, err
	}
	b.addSequences()
	s, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Update(ctx, func(tx *store.Tx) error { return b.write(ctx, tx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	// what is read of the dictionary now, copies need not read again
	if err := s.View(ctx, func(tx *store.Tx) error { return readDictionary(ctx, tx) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func readDictionary(ctx context.Context, tx *store.Tx) error {
	names, err := tx.TableNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := tx.Table(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

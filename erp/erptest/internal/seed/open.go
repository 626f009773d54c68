package seed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// Open opens the database at path, or one in memory when path is empty, and
// fills it when it is new. Filling is all or nothing: a process that dies on
// the way leaves no database, and what it leaves is swept by the next. A file that
// cannot be used or written, or that another version made, is refused with what to do
// about it. The caller closes the store.
func Open(ctx context.Context, path string, opts Options) (*store.Store, error) {
	if path == "" {
		t, err := demo()
		if err != nil {
			return nil, err
		}
		return t.open(ctx, opts)
	}
	found, err := inspect(path)
	if err != nil {
		return nil, err
	}
	if !found {
		if err := create(ctx, path, opts); err != nil {
			return nil, explain("making the database", path, err)
		}
	}
	sweep(path)
	s, err := store.Open(ctx, path, store.Options{Durable: opts.Durable, Existing: true})
	if err != nil {
		return nil, explain("opening the database", path, err)
	}
	if err := settle(ctx, s); err != nil {
		return nil, errors.Join(explain("opening the database", path, err), s.Close())
	}
	return s, nil
}

// OpenOver opens a database in memory that begins with the one in a file, which
// stays as it is: nobody may write to it before the store is closed. The caller
// closes the store, and then the file with done.
func OpenOver(ctx context.Context, path string) (s *store.Store, done func() error, err error) {
	found, err := inspect(path)
	if err == nil && !found {
		err = fmt.Errorf("opening the database: %s: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	image, err := store.OpenImage(path, true)
	if err != nil {
		return nil, nil, explain("opening the database", path, err)
	}
	s, err = image.Open(ctx, store.Options{})
	if err != nil {
		return nil, nil, errors.Join(explain("opening the database", path, err), image.Close())
	}
	if err := settle(ctx, s); err != nil {
		return nil, nil, errors.Join(explain("opening the database", path, err), s.Close(), image.Close())
	}
	return s, image.Close, nil
}

// create makes a filled database beside path and moves it there.
func create(ctx context.Context, path string, opts Options) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	for {
		name, err := createBeside(ctx, path, opts)
		if err != nil {
			// Another process that starts on this folder may have made the database, and
			// swept the file of this one, whatever it was doing with it.
			found, ferr := inspect(path)
			if found {
				remove(name)
				return nil
			}
			if _, gone := os.Lstat(name); name != "" && errors.Is(gone, fs.ErrNotExist) {
				if ferr != nil {
					return ferr
				}
				continue
			}
		}
		remove(name)
		return err
	}
}

// createBeside makes a filled database and links it to path; name is where it
// was made, "" when nothing was.
func createBeside(ctx context.Context, path string, opts Options) (name string, err error) {
	t, err := demo()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*")
	if err != nil {
		return "", err
	}
	if err := errors.Join(t.image.CopyTo(f), f.Close()); err != nil {
		return f.Name(), err
	}
	s, err := store.Open(ctx, f.Name(), store.Options{Existing: true, Of: t.image})
	if err != nil {
		return f.Name(), err
	}
	// Other programs read files, too, so they have all tables.
	err = s.Update(ctx, func(tx *store.Tx) error {
		if err := tx.MakeAll(ctx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DROP TABLE "+OwnTables)
		return err
	})
	if err == nil {
		err = complete(ctx, s, opts)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return f.Name(), err
	}
	if err := syncFile(f.Name()); err != nil {
		return f.Name(), err
	}
	// Linking, unlike renaming, does not push aside what another process made
	// in the meantime.
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, gone := os.Lstat(f.Name()); gone != nil {
			return f.Name(), err
		}
		if err := os.Rename(f.Name(), path); err != nil { // a file system without links
			return f.Name(), err
		}
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that a power failure does not undo the link
		_ = dir.Sync() // not every system can
		_ = dir.Close()
	}
	return f.Name(), nil
}

// syncFile has the system write a file to the disk.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// newSuffix marks databases that are being made, and files of uploads; the system
// puts a number behind.
const newSuffix = ".new-"

var leftover = lazyregexp.New(`^(upload-)?[0-9]+(-wal|-shm|-journal)?$`)

// sweep removes what killed processes left while they made the database. It may
// hit one that is at work; that one begins again.
func sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // nothing depends on it
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(path)+newSuffix)
		if ours && leftover().MatchString(rest) && e.Type().IsRegular() {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

// remove removes a database with what belongs to it.
func remove(name string) {
	if name == "" {
		return
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(name + suffix) // what is left is swept by the next start
	}
}

// Options change how a database is opened.
type Options struct {
	// Durable has every commit wait for the disk; see [store.Options].
	Durable bool
	// RealProcessNumbers, which counts only when the database is new, leaves to processes 291 and 194 what they are in
	// every installation of the ERP: the print of an inventory and the import
	// of business partners. Without it, they synchronise a table and import a
	// package, which is what some tools expect of these numbers.
	RealProcessNumbers bool
	// Today, which counts only when the database is new, is the day of the last that
	// happened in the demo data; zero leaves that at 31 March 2025.
	Today time.Time
}

// complete adds what every installation has of its own.
func complete(ctx context.Context, s *store.Store, opts Options) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		if opts.RealProcessNumbers {
			if err := restoreProcesses(ctx, tx); err != nil {
				return err
			}
		}
		if !opts.Today.IsZero() {
			if err := moveDates(ctx, tx, opts.Today); err != nil {
				return err
			}
		}
		return addSecrets(ctx, tx)
	})
}

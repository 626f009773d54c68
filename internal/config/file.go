package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/secretfile"
)

// ErrLocked is wrapped when another process holds the lock for too long.
var ErrLocked = errors.New("another process holds the lock")

// ErrTooOpen is wrapped when others than its owner may read or write the file.
var ErrTooOpen = secretfile.ErrTooOpen

// DefaultPath returns where the configuration is: what ERPHUB_CONFIG says,
// or erphub/config.yaml in the user's configuration folder.
func DefaultPath(getenv func(string) string) (string, error) {
	if p := getenv("ERPHUB_CONFIG"); p != "" {
		return p, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the configuration folder: %w; set ERPHUB_CONFIG to a file", err)
	}
	return filepath.Join(dir, "erphub", "config.yaml"), nil
}

// Option configures a [File].
type Option func(*File)

// OnWait sets what is called, once, when somebody has waited two seconds for
// the lock, whose path it gets.
func OnWait(tell func(lock string)) Option { return func(f *File) { f.onWait = tell } }

// File is a configuration file on disk. It holds no content and is safe for
// concurrent use.
type File struct {
	path   string
	onWait func(lock string) // may be nil

	tellAfter, giveUpAfter time.Duration
}

// NewFile returns the file at path, which need not exist.
func NewFile(path string, opts ...Option) *File {
	// A refresh, which holds the lock, is given up by the client after half a
	// minute.
	f := &File{path: path, tellAfter: 2 * time.Second, giveUpAfter: 30 * time.Second}
	for _, o := range opts {
		o(f)
	}
	return f
}

// Path returns the path the file was made with.
func (f *File) Path() string { return f.path }

// Read reads the file. One that does not exist reads as an empty document;
// one that others may read or write is an [ErrTooOpen] (not on Windows).
func (f *File) Read() (*Document, error) {
	doc, _, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("reading the configuration %s: %w", f.path, err)
	}
	return doc, nil
}

func (f *File) read() (*Document, fs.FileMode, error) {
	h, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Document{}, 0o600, nil
	}
	if err != nil {
		return nil, 0, reason(err)
	}
	defer h.Close()
	st, err := h.Stat()
	if err != nil {
		return nil, 0, reason(err)
	}
	if !st.Mode().IsRegular() {
		return nil, 0, errors.New("it is not a regular file")
	}
	others := fs.FileMode(0o077)
	if st.Mode().Perm()&0o222 == 0 { // nobody writes it: it was mounted as a secret
		others = secretfile.GroupMayRead
	}
	if secretfile.TooOpen(st, others) {
		return nil, 0, fmt.Errorf("%w (mode %04o), and it may hold tokens; run: chmod 600 %s", ErrTooOpen, st.Mode().Perm(), f.path)
	}
	data, err := io.ReadAll(io.LimitReader(h, maxSize+1))
	if err != nil {
		return nil, 0, reason(err)
	}
	doc, err := Parse(data)
	return doc, st.Mode().Perm(), err
}

// Writable reports whether the file can be changed: whether its lock, which lies
// beside it, can be had.
func (f *File) Writable() bool {
	target, err := atomicfile.Resolve(f.path)
	if err != nil {
		return false
	}
	lock, err := os.OpenFile(target+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // the folder will be made
	}
	return lock.Close() == nil
}

// reason takes the path off an error that is wrapped with it anyway.
func reason(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Op, pe.Err)
	}
	return err
}

// Lock waits until nobody else holds the lock, until ctx ends, or for half a
// minute, after which it is an [ErrLocked]. release gives the lock back. It
// makes the folder, with mode 700, if there is none.
func (f *File) Lock(ctx context.Context) (release func(), err error) {
	// Two names of one file must mean one lock.
	target, err := atomicfile.Resolve(f.path)
	if err != nil {
		return nil, fmt.Errorf("locking the configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return nil, fmt.Errorf("locking the configuration: %w", err)
	}
	lock := flock.New(target+".lock", flock.SetPermissions(0o600))
	told, giveUp := time.NewTimer(f.tellAfter), time.NewTimer(f.giveUpAfter)
	defer told.Stop()
	defer giveUp.Stop()
	for {
		switch ok, err := lock.TryLock(); {
		case err != nil:
			return nil, fmt.Errorf("locking the configuration: %w", err)
		case ok:
			// The error could only be about closing a file that nothing was
			// written to; the lock is gone either way.
			return func() { _ = lock.Unlock() }, nil
		}
		// Uneven pauses keep waiting processes from moving in step.
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock %s: %w", lock.Path(), ctx.Err())
		case <-giveUp.C:
			return nil, fmt.Errorf("waiting for the lock %s: %w for %v; it may be stopped or hang: end it, or try again later",
				lock.Path(), ErrLocked, f.giveUpAfter)
		case <-told.C:
			if f.onWait != nil {
				f.onWait(lock.Path())
			}
		case <-time.After(2*time.Millisecond + rand.N(8*time.Millisecond)):
		}
	}
}

// Write replaces the file by the document; it is on disk when Write returns.
// The mode is 600. The caller holds the lock since it read the document.
func (f *File) Write(doc *Document) error {
	doc.stamp()
	data, err := doc.Bytes()
	if err == nil {
		err = roundTrip(data)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration %s: %w", f.path, err)
	}
	target, err := atomicfile.Resolve(f.path)
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	// A writer that was killed left its tokens in a temporary file. Under the
	// lock nobody else is writing now.
	if err := atomicfile.RemoveLeftovers(target); err != nil {
		return err
	}
	return atomicfile.Write(target, data, 0o600)
}

// roundTrip makes sure that what is about to be written can be read again.
func roundTrip(data []byte) error {
	if _, err := Parse(data); err != nil {
		return fmt.Errorf("the result could not be read again, so nothing was written: %w", err)
	}
	return nil
}

// Update changes the file under the lock: it reads, calls change, and writes
// if change returns nil. A change that changes nothing writes nothing.
func (f *File) Update(ctx context.Context, change func(*Document) error) error {
	release, err := f.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	doc, err := f.Read()
	if err != nil {
		return err
	}
	before, err := doc.Bytes()
	if err != nil {
		return err
	}
	if err := change(doc); err != nil {
		return err
	}
	if after, err := doc.Bytes(); err == nil && string(before) == string(after) {
		return nil
	}
	return f.Write(doc)
}

package erptest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// FromTwin are the options of a server on a copy of the twin in a folder, as
// package erp/erptest/twin makes it: with the dictionary, roles and data of
// somebody's own ERP. The copy is the server's own, in the system's folder for
// temporary files, and is removed when the server is closed; the twin stays as it
// is.
//
//	srv := erptest.New(t, erptest.FromTwin("testdata/twin"))
func FromTwin(dir string) Options { return Options{Twin: dir} }

// openDatabase opens the database of a server. discard removes what belongs to the
// server alone; nil when there is nothing.
func openDatabase(ctx context.Context, opts Options) (db *store.Store, discard func() error, err error) {
	path := opts.Path
	if opts.Twin != "" {
		if path != "" {
			return nil, nil, errors.New("Path and Twin exclude each other: a server on a twin works on a copy")
		}
		if path, discard, err = copyTwin(ctx, opts.Twin); err != nil {
			return nil, nil, err
		}
	}
	db, err = seed.OpenWith(ctx, path, seed.Options{RealProcessNumbers: opts.Strict, Durable: opts.Durable})
	if err == nil {
		if err = db.View(ctx, func(tx *store.Tx) error {
			_, err := twinfile.ReadHead(ctx, tx.Query)
			return err
		}); err != nil {
			err = errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
		}
	}
	if err != nil && discard != nil {
		err = errors.Join(err, discard())
	}
	return db, discard, err
}

// removeCopy removes the copy of a twin, if there is one.
func (s *Server) removeCopy() error {
	if s.discard == nil {
		return nil
	}
	return s.discard()
}

// copyTwin makes a copy of a twin and returns the file, and what removes it.
func copyTwin(ctx context.Context, dir string) (path string, remove func() error, err error) {
	from := filepath.Join(dir, twinfile.FileName)
	db, err := store.OpenReadOnly(from)
	if err != nil {
		return "", nil, fmt.Errorf("opening the twin in %s: %w; make one with erphub sandbox clone", dir, err)
	}
	head, err := twinfile.ReadHead(ctx, db.QueryContext)
	switch err = errors.Join(err, db.Close()); {
	case err != nil:
		return "", nil, fmt.Errorf("opening the twin in %s: %w", dir, err)
	case head == nil:
		return "", nil, fmt.Errorf("opening the twin in %s: %s is a sandbox, but no twin: make one with erphub sandbox clone, or open it with Options.Path", dir, from)
	}
	folder, err := os.MkdirTemp("", "erphub-twin-")
	if err != nil {
		return "", nil, fmt.Errorf("copying the twin: %w", err)
	}
	remove = func() error { return os.RemoveAll(folder) }
	path = filepath.Join(folder, twinfile.FileName)
	if err := store.CopyFile(from, path); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return path, remove, nil
}

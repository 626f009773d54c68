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
	if opts.Twin == "" {
		db, _, err = openChecked(ctx, opts.Path, opts)
		return db, nil, err
	}
	if opts.Path != "" {
		return nil, nil, errors.New("Path and Twin exclude each other: a server on a twin works on a copy")
	}
	from := filepath.Join(opts.Twin, twinfile.FileName)
	if _, err := os.Stat(from); err != nil {
		return nil, nil, fmt.Errorf("opening the twin in %s: %w; make one with erphub sandbox clone", opts.Twin, err)
	}
	folder, err := os.MkdirTemp("", "erphub-twin-")
	if err != nil {
		return nil, nil, fmt.Errorf("copying the twin: %w", err)
	}
	discard = func() error { return os.RemoveAll(folder) }
	path := filepath.Join(folder, twinfile.FileName)
	var isTwin bool
	if err = store.CopyFile(from, path); err == nil {
		db, isTwin, err = openChecked(ctx, path, opts)
	}
	if err == nil && !isTwin {
		err = errors.Join(errors.New("it is a sandbox, but no twin: make one with erphub sandbox clone, or open it with Options.Path"), db.Close())
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening a copy of the twin in %s: %w", opts.Twin, err), discard())
	}
	return db, discard, nil
}

// openChecked opens a database and refuses a twin of another version.
func openChecked(ctx context.Context, path string, opts Options) (db *store.Store, isTwin bool, err error) {
	db, err = seed.OpenWith(ctx, path, seed.Options{RealProcessNumbers: opts.Strict, Durable: opts.Durable, Scratch: opts.Twin != ""})
	if err != nil {
		return nil, false, err
	}
	err = db.View(ctx, func(tx *store.Tx) error {
		head, err := twinfile.ReadHead(ctx, tx.Query)
		isTwin = head != nil
		return err
	})
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
	}
	return db, isTwin, nil
}

// removeCopy removes the copy of a twin, if there is one.
func (s *Server) removeCopy() error {
	if s.discard == nil {
		return nil
	}
	return s.discard()
}

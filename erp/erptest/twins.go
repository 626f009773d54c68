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

// FromTwin are the options of a server over the twin in a folder, as package
// erp/erptest/twin makes it: with the dictionary, roles and data of somebody's own
// ERP. The server holds in memory what is changed in it, and loses it when it is
// closed; the twin stays as it is. Nobody may write to the twin meanwhile: a server
// whose twin was changed fails every request, rather than mix the two.
//
//	srv := erptest.New(t, erptest.FromTwin("testdata/twin"))
func FromTwin(dir string) Options { return Options{Twin: dir} }

// openDatabase opens the database of a server. discard gives back what the server
// holds beside it; nil when there is nothing.
func openDatabase(ctx context.Context, opts Options) (db *store.Store, discard func() error, err error) {
	if opts.Twin == "" {
		with := seed.Options{RealProcessNumbers: opts.Strict, Durable: opts.Durable}
		if opts.Recent {
			with.Today = opts.Clock().In(opts.Location)
		}
		db, err = seed.Open(ctx, opts.Path, with)
		if err == nil {
			_, err = checkTwin(ctx, db, opts.Path)
		}
		return db, nil, err
	}
	if opts.Path != "" {
		return nil, nil, errors.New("Path and Twin exclude each other: a server over a twin changes no file")
	}
	path := filepath.Join(opts.Twin, twinfile.FileName)
	if _, err := os.Stat(path); err != nil {
		return nil, nil, fmt.Errorf("opening the twin in %s: %w; make one with erphub sandbox clone", opts.Twin, err)
	}
	db, discard, err = openTwin(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the twin in %s: %w", opts.Twin, err)
	}
	isTwin, err := checkTwin(ctx, db, path)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening the twin in %s: %w", opts.Twin, err), discard())
	}
	if !isTwin {
		return nil, nil, errors.Join(fmt.Errorf("opening the twin in %s: it is a sandbox, but no twin: make one with erphub sandbox clone, or open it with Options.Path", opts.Twin),
			db.Close(), discard())
	}
	return db, discard, nil
}

// openTwin opens the file of a twin. What an earlier process left in its journal is
// in no file that can be read as it is, so that one is copied.
func openTwin(ctx context.Context, path string) (db *store.Store, discard func() error, err error) {
	if !store.HasJournal(path) {
		return seed.OpenOver(ctx, path)
	}
	folder, err := os.MkdirTemp("", "erphub-twin-")
	if err != nil {
		return nil, nil, fmt.Errorf("copying the twin: %w", err)
	}
	remove := func() error { return os.RemoveAll(folder) }
	whole := filepath.Join(folder, twinfile.FileName)
	var closeFile func() error
	if err = store.CopyFile(path, whole); err == nil {
		db, closeFile, err = seed.OpenOver(ctx, whole)
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return db, func() error { return errors.Join(closeFile(), remove()) }, nil
}

// checkTwin reports whether a database is a twin, and closes one that another version
// made.
func checkTwin(ctx context.Context, db *store.Store, path string) (isTwin bool, err error) {
	err = db.View(ctx, func(tx *store.Tx) error {
		head, err := twinfile.ReadHead(ctx, tx.Query)
		isTwin = head != nil
		return err
	})
	if err != nil {
		return false, errors.Join(fmt.Errorf("opening %s: %w", path, err), db.Close())
	}
	return isTwin, nil
}

// closeTwin gives back what belongs to a twin, if there is one.
func (s *Server) closeTwin() error {
	if s.discard == nil {
		return nil
	}
	return s.discard()
}

package twin

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
)

// The file in which a clone is at work, beside the twin, and the tables in it that
// remember how far it is.
const (
	workSuffix = ".clone"
	// sealedSuffix is behind the twin's name in that of its last copy.
	sealedSuffix = ".sealed"
	workTable    = "ERPHUB_Work"
	keysTable    = "ERPHUB_WorkKeys"
)

// schemaSQL makes the tables of the work. A step is done when its row says so, in
// the same transaction as the rows that it wrote.
const schemaSQL = `CREATE TABLE IF NOT EXISTS ` + workTable + ` (Name TEXT PRIMARY KEY, State TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ` + keysTable + ` (Target TEXT NOT NULL, KeyColumn TEXT NOT NULL, KeyValue NOT NULL, Round INTEGER NOT NULL, Done INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (Target, KeyColumn, KeyValue)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ` + keysTable + `_Round ON ` + keysTable + ` (Round, Done, Target, KeyColumn)`

// tableState is how far a table is.
type tableState struct {
	Done   bool        `json:"done"`
	Last   *int64      `json:"last,omitempty"` // the last key that was written
	Read   int64       `json:"read"`           // rows
	Report TableReport `json:"report"`
}

// stepState is how far what is not a table is.
type stepState struct {
	Done bool `json:"done"`
	N    int  `json:"n,omitempty"`
}

// checkFolder refuses a folder with something in it that is not a clone's: its name may
// be a link, or a mistake.
func checkFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("looking into the folder of the twin: %w", err)
	}
	for _, e := range entries { // a twin in it is looked at later
		if e.Name() == twinfile.FileName {
			return nil
		}
	}
	for _, e := range entries {
		if e.Name() != lockName && !strings.HasPrefix(e.Name(), twinfile.FileName) {
			return fmt.Errorf("the folder %s has other files in it, such as %s, and no twin: name an empty one, or one that is not there yet", dir, e.Name())
		}
	}
	return nil
}

// lockName is the file in a folder of a twin or a sandbox that its process locks.
const lockName = "lock"

// lockFolder keeps other processes out of a folder of a twin or a sandbox.
func lockFolder(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the twin: %w", err)
	}
	lock := flock.New(filepath.Join(dir, lockName))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the folder %s: %w", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("the folder %s is in use by a sandbox or another clone: stop that one, or choose another folder", dir)
	}
	return func() { _ = lock.Unlock() }, nil // the system frees it with the process at the latest
}

// checkTarget refuses to replace what is not a twin.
func checkTarget(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at the target: %w", err)
	}
	foreign := fmt.Errorf("%s is there already and is no twin, so it stays as it is: name another folder, or move the file away", path)
	if !info.Mode().IsRegular() {
		return foreign
	}
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it is only read
	head, err := twinfile.ReadHead(ctx, db.QueryContext)
	switch {
	case errors.Is(err, twinfile.ErrVersion), errors.Is(err, twinfile.ErrDamaged):
		return nil // a twin, whichever
	case err != nil, head == nil:
		return foreign
	}
	return nil
}

// work is a clone's work file.
type work struct {
	s       *store.Store
	resumed bool           // there was one to continue
	sealed  *twinfile.Head // set when nothing is left to do but to put it in its place
}

// errOtherClone is why a work file is not continued.
var errOtherClone = errors.New("it belongs to a clone of another ERP, or with other options: use those, or begin anew without resuming")

// openWork opens the work file of a clone.
func openWork(ctx context.Context, path, mark string, opts Options) (_ *work, err error) {
	if _, err := os.Stat(path); err == nil && !opts.Resume {
		opts.Logger.WarnContext(ctx, "an interrupted clone is given up, and a new one begins; with Resume (--resume) it would have gone on", "file", path)
		removeDatabase(path)
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err != nil { // nobody else reads somebody's data
		return nil, fmt.Errorf("opening the work file: %w", err)
	} else if err := f.Close(); err != nil {
		return nil, fmt.Errorf("opening the work file: %w", err)
	}
	s, err := store.Open(ctx, path, store.Options{Cache: 32 << 20})
	if err != nil {
		return nil, fmt.Errorf("opening the work file %s: %w", path, err)
	}
	fail := func(err error) (*work, error) {
		return nil, errors.Join(fmt.Errorf("opening the work file %s: %w", path, err), s.Close())
	}
	w := &work{s: s}
	if err := s.View(ctx, func(tx *store.Tx) error {
		unfinished, err := tx.TableExists(ctx, workTable)
		if err != nil || unfinished {
			return err
		}
		w.sealed, err = twinfile.ReadHead(ctx, tx.Query)
		return err
	}); err != nil {
		return fail(err)
	}
	if w.sealed != nil {
		if w.sealed.Mark != mark {
			return fail(errOtherClone)
		}
		w.resumed = true
		return w, nil
	}
	if err := s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, schemaSQL)
		return err
	}); err != nil {
		return fail(err)
	}
	var was string
	found, err := load(ctx, s, "options", &was)
	switch {
	case err != nil:
		return fail(err)
	case found && was != mark:
		return fail(errOtherClone)
	case !found:
		if err := s.Update(ctx, func(tx *store.Tx) error { return save(ctx, tx, "options", mark) }); err != nil {
			return fail(err)
		}
	}
	w.resumed = found
	return w, nil
}

// removeDatabase removes a database with what belongs to it.
func removeDatabase(path string) {
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		_ = os.Remove(path + suffix) // what cannot be removed is found by who opens it
	}
}

// load reads a state into v and reports whether there was one.
func load(ctx context.Context, s *store.Store, name string, v any) (found bool, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		found, err = loadIn(ctx, tx, name, v)
		return err
	})
	return found, err
}

func loadIn(ctx context.Context, tx *store.Tx, name string, v any) (bool, error) {
	var text string
	err := tx.QueryRow(ctx, `SELECT State FROM `+workTable+` WHERE Name=?`, name).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal([]byte(text), v)
}

func save(ctx context.Context, tx *store.Tx, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO `+workTable+`(Name, State) VALUES(?,?) ON CONFLICT(Name) DO UPDATE SET State=excluded.State`, name, string(text))
	return err
}

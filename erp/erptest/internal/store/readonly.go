package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// OpenReadOnly opens a database file for reading alone, with the collations and
// functions of the ERP. A file that nobody writes to stays as it is to the byte.
// The caller closes it.
func OpenReadOnly(path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("opening the ERP database: %w", err)
	}
	plain, err := sqlite.NewConnector(readOnlyURI(path))
	if err != nil {
		return nil, fmt.Errorf("opening the ERP database: %w", err)
	}
	db := sql.OpenDB(plain)
	db.SetMaxOpenConns(4)
	return db, nil
}

// readOnlyURI is where a file is read without being changed. One without a
// journal is taken as it is; otherwise what the journal holds counts.
func readOnlyURI(path string) string {
	uri := "file:" + escapePath(path) + "?mode=ro"
	if !HasJournal(path) {
		uri += "&immutable=1"
	}
	return uri
}

// HasJournal reports whether there are changes beside the file, in its journal: a
// process has it open, or ended without closing it.
func HasJournal(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// CopyFile copies a database, with what its journal holds, to a new file at to.
func CopyFile(from, to string) (err error) {
	plain, err := sqlite.NewConnector(readOnlyURI(from))
	if err != nil {
		return fmt.Errorf("copying the ERP database: %w", err)
	}
	conn, err := plain.Driver().Open(readOnlyURI(from))
	if err != nil {
		return fmt.Errorf("copying the ERP database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	source, ok := conn.(interface {
		NewBackup(targetURI string) (*sqlite.Backup, error)
	})
	if !ok {
		return errors.New("copying the ERP database: the database driver cannot copy")
	}
	backup, err := source.NewBackup("file:" + escapePath(to))
	if err != nil {
		return fmt.Errorf("copying the ERP database: %w", err)
	}
	for more := true; more && err == nil; {
		more, err = backup.Step(-1)
	}
	if err = errors.Join(err, backup.Finish()); err != nil {
		return fmt.Errorf("copying the ERP database: %w", err)
	}
	return nil
}

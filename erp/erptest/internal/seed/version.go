package seed

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// A database file says in its header whose it is and which form its data have.
const (
	applicationID = 0x65727068 // "erph"
	// schemaVersion is raised with every change of the tables or of the dictionary
	// that the server's own code depends on. A file of another form is refused.
	schemaVersion = 5
)

// Offsets in the header of an SQLite file.
const (
	headerVersion     = 60
	headerApplication = 68
	headerSize        = 100
)

// inspect looks at a database file without changing it, and reports whether there
// is one.
func inspect(path string) (found bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, jerr := os.Stat(path + "-wal"); jerr == nil {
			if _, err = os.Stat(path); err == nil { // another process has just made it
				return true, nil
			}
			return false, fmt.Errorf("opening the database: %s is missing, but its journal %[1]s-wal is there, which holds changes to it: "+
				"put the database back, or remove the journal to begin anew with the demo data", path)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("opening the database: %w", err)
	case info.IsDir():
		return false, fmt.Errorf("opening the database: %s is a directory; name a file", path)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("opening the database: %s is not a regular file", path)
	case info.Size() == 0:
		return false, fmt.Errorf("opening the database: %s is empty, so its data are lost: put back a copy, or remove it to begin anew with the demo data", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("opening the database: %w", err)
	}
	defer f.Close()
	header := make([]byte, headerSize)
	if n, err := io.ReadFull(f, header); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("opening the database %s: %w", path, err)
	} else if n < headerSize || !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) {
		return false, explain("opening the database", path, store.ErrDamaged)
	}
	owner, version := binary.BigEndian.Uint32(header[headerApplication:]), binary.BigEndian.Uint32(header[headerVersion:])
	if err := checkMarks(int64(owner), int64(version)); err != nil {
		return false, fmt.Errorf("opening the database %s: %w", path, err)
	}
	return true, nil
}

// checkMarks refuses what is not ours, or of another form.
func checkMarks(owner, version int64) error {
	switch {
	case owner != applicationID:
		return errors.New("it belongs to another program; name another file")
	case version != schemaVersion:
		return fmt.Errorf("its data have form %d, and this erphub reads form %d alone: name another file; to take tables and records along, "+
			"write them to files with the erphub that made it (`erphub dict inspect`, `erphub record export`), and clone a twin again", version, schemaVersion)
	}
	return nil
}

// Marks writes the marks of this version.
var Marks = fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, schemaVersion)

// settle makes sure that an open database is one of this version and can be written.
func settle(ctx context.Context, s *store.Store) error {
	err := s.View(ctx, func(tx *store.Tx) error {
		var owner, version int64
		if err := tx.QueryRow(ctx, "PRAGMA application_id").Scan(&owner); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if err := checkMarks(owner, version); err != nil {
			return err
		}
		return checkFilled(ctx, tx)
	})
	if err != nil {
		return err
	}
	return s.Touch(ctx)
}

// checkFilled refuses a database without the rows that every request needs.
func checkFilled(ctx context.Context, tx *store.Tx) error {
	for _, table := range []string{"AD_Table", "AD_Column", "AD_Client", "AD_Role", "AD_User", "AD_Sequence"} {
		exists, err := tx.TableExists(ctx, table)
		if err != nil {
			return err
		}
		var n int
		if exists {
			if err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+sqlquote.Name(table)+" LIMIT 1)").Scan(&n); err != nil {
				return err
			}
		}
		if n == 0 {
			return fmt.Errorf("it is not a database of the embedded ERP, or was changed by other programs: %s has no rows; "+
				"put back a copy, or name another file", table)
		}
	}
	return nil
}

// explain says what was tried with the database, and what can be done when it is
// its files that stand against it.
func explain(what, path string, err error) error {
	advice := ""
	switch cond := condition(err); cond {
	case store.ErrDiskFull:
		advice = "the disk is full; make room, or choose another folder: "
	case store.ErrReadOnly, store.ErrNotOpen:
		advice = fmt.Sprintf("the file and its folder %s must be writable; change that, or choose another folder: ", filepath.Dir(path))
	case store.ErrDamaged:
		advice = fmt.Sprintf("the file is damaged, or no database; put back a copy, or move it away, with %s-wal, to begin anew with the demo data: ", path)
	}
	return fmt.Errorf("%s %s: %s%w", what, path, advice, err)
}

// condition is what an error of the database or of the system says about the
// files.
func condition(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return store.ErrDiskFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return store.ErrReadOnly
	case errors.Is(err, store.ErrDamaged):
		return store.ErrDamaged
	}
	return store.Condition(err)
}

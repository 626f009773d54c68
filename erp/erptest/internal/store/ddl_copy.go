package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// CopyFrom replaces everything in s by what src holds, with SQLite's backup
// function. Neither may be in use.
func (s *Store) CopyFrom(ctx context.Context, src *Store) (err error) {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.state.Lock()
	defer s.state.Unlock()
	src.state.RLock()
	defer src.state.RUnlock()
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("copying a database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	err = conn.Raw(func(driverConn any) error {
		restorer, ok := driverConn.(interface {
			NewRestore(srcURI string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the database driver cannot copy")
		}
		// Without the settings of its other connections: each of them has the whole
		// schema read, which copying pages does not need.
		uri, _, _ := strings.Cut(src.uri, "&_")
		uri, _, _ = strings.Cut(uri, "?_")
		backup, err := restorer.NewRestore(uri)
		if err != nil {
			return err
		}
		for more := true; more; {
			if more, err = backup.Step(-1); err != nil {
				return errors.Join(err, backup.Finish())
			}
		}
		return backup.Finish()
	})
	if err != nil {
		return fmt.Errorf("copying a database: %w", err)
	}
	s.dict.Store(src.dict.Load().clone())
	return nil
}

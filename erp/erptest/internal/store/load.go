package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// Load replaces everything in a store in memory, which nobody uses yet, by the
// database that the bytes of a file hold. dict, which may be nil, is what was read
// of that database's dictionary before; it must not be in use by a store that
// is written to.
func (s *Store) Load(ctx context.Context, image []byte, dict *Dictionary) (err error) {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.state.Lock()
	defer s.state.Unlock()
	// Without the settings of other connections, for which each of them would read
	// the whole schema: copying pages does not need it.
	target, _, _ := strings.Cut(s.uri, "&_")
	conn, err := s.db.Driver().Open(":memory:")
	if err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	loader, ok := conn.(interface {
		Deserialize(image []byte) error
		NewBackup(targetURI string) (*sqlite.Backup, error)
	})
	if !ok {
		return errors.New("loading a database: the database driver cannot copy")
	}
	if err := loader.Deserialize(image); err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	backup, err := loader.NewBackup(target)
	if err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	for more := true; more; {
		if more, err = backup.Step(-1); err != nil {
			return fmt.Errorf("loading a database: %w", errors.Join(err, backup.Finish()))
		}
	}
	if err := backup.Finish(); err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	if dict != nil {
		s.dict.Store(dict.clone())
	}
	return nil
}

// Dictionary is what the store has read of its dictionary. It grows as more is
// read.
func (s *Store) Dictionary() *Dictionary { return s.dict.Load() }

// UseDictionary has the store, which nobody uses yet, know what was read of the
// dictionary of a database equal to its own.
func (s *Store) UseDictionary(dict *Dictionary) { s.dict.Store(dict.clone()) }

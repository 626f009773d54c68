package store

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// plainConn is what a connection of the driver can do besides the usual.
type plainConn interface {
	Deserialize(image []byte) error
	NewBackup(targetURI string) (*sqlite.Backup, error)
}

// plainURI is where a database in memory is found, without the settings of its
// connections: for those each connection would read the whole schema, which
// copying does not need.
func (s *Store) plainURI() string {
	uri, _, _ := strings.Cut(s.uri, "&_")
	return uri
}

// withPlain runs fn with a connection of its own to a database.
func (s *Store) withPlain(uri string, fn func(plainConn) error) (err error) {
	conn, err := s.db.Driver().Open(uri)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	plain, ok := conn.(plainConn)
	if !ok {
		return errors.New("the database driver cannot copy")
	}
	return fn(plain)
}

// Load replaces everything in a store in memory, which nobody uses yet, by the
// database that the bytes of a file hold.
func (s *Store) Load(image []byte) error {
	err := s.withPlain(":memory:", func(conn plainConn) error {
		if err := conn.Deserialize(image); err != nil {
			return err
		}
		return s.receive(conn)
	})
	if err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	return nil
}

// LoadFile is Load from a database file, which nobody writes to.
func (s *Store) LoadFile(path string) error {
	if err := s.withPlain("file:"+escapePath(path)+"?mode=ro&immutable=1", s.receive); err != nil {
		return fmt.Errorf("loading a database: %w", err)
	}
	return nil
}

// receive takes over what a connection has.
func (s *Store) receive(conn plainConn) error {
	s.writer.Lock()
	defer s.writer.Unlock()
	s.state.Lock()
	defer s.state.Unlock()
	backup, err := conn.NewBackup(s.plainURI())
	if err != nil {
		return err
	}
	return runBackup(backup)
}

func runBackup(backup *sqlite.Backup) error {
	for more := true; more; {
		var err error
		if more, err = backup.Step(-1); err != nil {
			return errors.Join(err, backup.Finish())
		}
	}
	return backup.Finish()
}

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
	Serialize() ([]byte, error)
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

// CopyFrom replaces everything in a store in memory, which nobody uses yet, by what
// src, another one, holds and has read of its dictionary. Nobody may write to src meanwhile.
func (s *Store) CopyFrom(src *Store) error {
	if err := src.withPlain(src.plainURI(), s.receive); err != nil {
		return fmt.Errorf("copying a database: %w", err)
	}
	s.dict.Store(src.dict.Load().clone())
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
	for more := true; more; {
		if more, err = backup.Step(-1); err != nil {
			return errors.Join(err, backup.Finish())
		}
	}
	return backup.Finish()
}

// Image is the database of a store in memory as the bytes of a file. Nobody may
// write to the store meanwhile.
func (s *Store) Image() (image []byte, err error) {
	err = s.withPlain(s.plainURI(), func(conn plainConn) error {
		image, err = conn.Serialize()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading a database: %w", err)
	}
	return image, nil
}

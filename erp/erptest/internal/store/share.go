package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
)

// Reader opens the store's database for reading alone, for services that run
// beside the server: its connections cannot write. Statements find the tables
// without a row, the database's own list of tables does not. The caller closes it.
func (s *Store) Reader() *sql.DB {
	db := sql.OpenDB(readConnector{s})
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(4)
	return db
}

// Write runs fn in a writing transaction of database/sql and commits it when fn
// returns nil. The function that [Store.OnChange] has set gets the names of
// the tables it writes to; without any, all may have changed. fn can write to no
// table without a row that is not named.
func (s *Store) Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error {
	if len(tables) == 0 || slices.Contains(tables, everyTable) {
		if err := s.makeAll(ctx); err != nil {
			return err
		}
	}
	return s.Update(ctx, func(tx *Tx) error {
		if err := tx.MakeAbsent(ctx, tables...); err != nil {
			return err
		}
		if err := fn(tx.tx); err != nil {
			return err
		}
		tx.changeDict() // tables may have other columns now
		if len(tables) == 0 {
			tx.touch(anyTable)
		}
		for _, t := range tables {
			t = strings.ToUpper(t)
			tx.touch(t)
			if dictionaryTables[t] {
				tx.DictionaryChanged()
			}
		}
		return nil
	})
}

// dictionaryTables are those that [Dictionary] is read from.
var dictionaryTables = map[string]bool{
	"AD_TABLE": true, "AD_COLUMN": true, "AD_ELEMENT": true, "AD_REFERENCE": true, "AD_REF_LIST": true, "AD_REF_TABLE": true,
}

// readConnector makes connections that only read.
type readConnector struct{ s *Store }

// Driver is the one that has the functions and collations.
func (c readConnector) Driver() driver.Driver { return c.s.db.Driver() }

func (c readConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.s.uri + "&_query_only=1")
	if err != nil {
		return nil, fmt.Errorf("opening the ERP database for reading: %w", err)
	}
	return conn, nil
}

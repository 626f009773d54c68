package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// Most tables of the ERP have no row, and each connection would read the definitions
// of them all. So the database of an image does not have them: it has their
// statements, in a table of its own. Reading finds such a table empty; before the
// first write the database gets it, as it would have been from the start.

// AbsentTable is the table with the statements of the tables that a database does not
// have: CREATE TABLE first, and then the indexes.
const (
	AbsentTable = "REST_AbsentTable"
	AbsentSQL   = `CREATE TABLE "REST_AbsentTable" ("TableName" TEXT NOT NULL, "SeqNo" INTEGER NOT NULL, "Statement" TEXT NOT NULL)`
)

// absentTables are the absent tables of an image; nil: no tables. They never change.
type absentTables struct {
	all   []*absentTable
	named map[string]*absentTable // by the upper-case names of tables and of indexes
}

type absentTable struct {
	name       string
	statements []string
}

// tables are the statements that make the tables alone.
func (a *absentTables) tables() map[string]string {
	out := map[string]string{}
	for _, t := range a.all {
		out[t.name] = t.statements[0]
	}
	return out
}

var indexName = lazyregexp.New(`^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?"(\w+)"`)

// ReadAbsent reads which tables the image does not have. It is called once, before
// the image is used.
func (i *Image) ReadAbsent(ctx context.Context) (err error) {
	s, err := i.Open(ctx, Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	found := &absentTables{named: map[string]*absentTable{}}
	err = s.View(ctx, func(tx *Tx) error {
		rows, err := tx.Query(ctx, "SELECT TableName, Statement FROM "+AbsentTable+" ORDER BY TableName, SeqNo")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name, statement string
			if err := rows.Scan(&name, &statement); err != nil {
				return err
			}
			t := found.named[strings.ToUpper(name)]
			if t == nil {
				t = &absentTable{name: name}
				found.all = append(found.all, t)
				found.named[strings.ToUpper(name)] = t
			}
			t.statements = append(t.statements, statement)
			if m := indexName().FindStringSubmatch(statement); m != nil {
				found.named[strings.ToUpper(m[1])] = t
			}
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("reading which tables an image lacks: %w", err)
	}
	i.absent = found
	return i.layer.Absent(found.tables())
}

// MakeAbsent has the database get the tables of these names, or with indexes of
// these names, that it does not have yet.
func (tx *Tx) MakeAbsent(ctx context.Context, names ...string) error {
	_, err := tx.makeAbsent(ctx, names)
	return err
}

func (tx *Tx) makeAbsent(ctx context.Context, names []string) (made bool, err error) {
	if tx.s.absent == nil {
		return false, nil
	}
	for _, name := range names {
		t := tx.s.absent.named[strings.ToUpper(name)]
		if t == nil {
			continue
		}
		made1, err := tx.makeTable(ctx, t)
		if err != nil {
			return made, err
		}
		made = made || made1
	}
	return made, nil
}

func (tx *Tx) makeTable(ctx context.Context, t *absentTable) (made bool, err error) {
	if there, err := tx.TableExists(ctx, AbsentTable); err != nil || !there {
		return false, err
	}
	gone, err := tx.tx.ExecContext(ctx, "DELETE FROM "+AbsentTable+" WHERE TableName=?", t.name)
	if err != nil {
		return false, err
	}
	if n, err := gone.RowsAffected(); err != nil || n == 0 {
		return false, err // it was made, and may have another name by now
	}
	return true, tx.run(ctx, t)
}

// run makes a table.
func (tx *Tx) run(ctx context.Context, t *absentTable) error {
	for _, statement := range t.statements {
		if _, err := tx.tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("making table %s: %w", t.name, err)
		}
	}
	return nil
}

var (
	// notThere is what the database says of a statement that would change a table that
	// it does not have.
	notThere = lazyregexp.New(`may not be (?:modified|indexed|altered|dropped)|on virtual tables`)
	words    = lazyregexp.New(`\w+`)
)

// makeFor has the database get the tables that a statement failed for, and reports
// whether there were any: then it is worth another try.
func (tx *Tx) makeFor(ctx context.Context, query string, failed error) (bool, error) {
	var db *sqlite.Error
	if tx.s.absent == nil || !errors.As(failed, &db) || !notThere().MatchString(db.Error()) {
		return false, nil
	}
	return tx.makeAbsent(ctx, words().FindAllString(query, -1))
}

// MakeAll has the database get all tables that it does not have, for those who look
// at it from outside, and forget that there were any.
func (tx *Tx) MakeAll(ctx context.Context) error {
	if tx.s.absent == nil {
		return nil
	}
	if some, err := tx.TableExists(ctx, AbsentTable); err != nil || !some {
		return err
	}
	left, err := tx.values(ctx, "SELECT DISTINCT TableName FROM "+AbsentTable, nil)
	if err != nil {
		return err
	}
	for _, row := range left {
		if err := tx.run(ctx, tx.s.absent.named[strings.ToUpper(fmt.Sprint(row[0]))]); err != nil {
			return err
		}
	}
	clear(tx.exists)
	_, err = tx.tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+AbsentTable)
	return err
}

// makeAll is [Tx.MakeAll], once.
func (s *Store) makeAll(ctx context.Context) error {
	if s.absent == nil || s.whole.Load() {
		return nil
	}
	err := s.Update(ctx, func(tx *Tx) error { return tx.MakeAll(ctx) })
	if err != nil {
		return fmt.Errorf("making the tables that hold nothing: %w", err)
	}
	s.whole.Store(true)
	return nil
}

// Absent are the names of the tables of the image that the database may lack.
func (s *Store) Absent() []string {
	if s.absent == nil {
		return nil
	}
	names := make([]string, len(s.absent.all))
	for i, t := range s.absent.all {
		names[i] = t.name
	}
	return names
}

// Tables are the lower-case names of the tables and views that statements find.
func (tx *Tx) Tables(ctx context.Context) (map[string]bool, error) {
	found, err := tx.Values(ctx, `SELECT lower(name) FROM sqlite_schema WHERE type IN ('table','view')`)
	if err != nil {
		return nil, fmt.Errorf("reading the list of tables: %w", err)
	}
	names := map[string]bool{}
	for _, row := range found {
		if name, ok := row[0].(string); ok {
			names[name] = true
		}
	}
	for _, name := range tx.s.Absent() {
		names[strings.ToLower(name)] = true
	}
	return names, nil
}

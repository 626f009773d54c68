package seed

import (
	"context"
	_ "embed" // of the demo database
	"errors"
	"fmt"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/packed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

//go:generate go run ./mkimage demo.db.packed

//go:embed demo.db.packed
var demoFile string

// template is the demo database, without the secrets that each database has of its
// own. All of a process begin with it; it never changes.
type template struct {
	image *store.Image
	own   []string // the tables that the server itself and the demo work with

	mu     sync.Mutex
	copies int
	dict   *store.Dictionary // what copies need not read; nil until it is worth it
}

// demo opens the template once for the process. Nobody's context ends it.
var demo = sync.OnceValues(func() (*template, error) {
	t, err := openTemplate(context.Background(), demoFile)
	if err != nil {
		return nil, fmt.Errorf("opening the demo data: %w", err)
	}
	return t, nil
})

func openTemplate(ctx context.Context, content string) (*template, error) {
	file, err := packed.Open(content)
	if err != nil {
		return nil, err
	}
	t := &template{}
	if t.image, err = store.ImageOf(file, file.Size()); err != nil {
		return nil, err
	}
	if err := t.image.ReadAbsent(ctx); err != nil {
		return nil, err
	}
	s, err := t.image.Open(ctx, store.Options{})
	if err != nil {
		return nil, err
	}
	err = s.View(ctx, func(tx *store.Tx) error {
		rows, err := tx.Values(ctx, "SELECT TableName FROM "+OwnTables+" ORDER BY rowid")
		for _, row := range rows {
			t.own = append(t.own, fmt.Sprint(row[0]))
		}
		return err
	})
	return t, errors.Join(err, s.Close())
}

// OwnTables is the table of the demo database with the names of the tables that the
// server's own code and the demo data depend on.
const (
	OwnTables    = "REST_OwnTable"
	OwnTablesSQL = `CREATE TABLE "REST_OwnTable" ("TableName" TEXT NOT NULL)`
)

// open opens a store in memory that begins with the template. The dictionary of the
// own tables comes with it from the second one on: a program with one server reads
// what it needs.
func (t *template) open(ctx context.Context) (*store.Store, error) {
	s, err := t.image.Open(ctx, store.Options{})
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.copies++; t.copies == 1 {
		return s, nil
	}
	if t.dict == nil {
		if err := s.View(ctx, func(tx *store.Tx) error { _, err := t.tables(ctx, tx); return err }); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		t.dict = s.Dictionary()
	}
	s.Know(t.dict)
	return s, nil
}

// tables are the definitions of the own tables.
func (t *template) tables(ctx context.Context, tx *store.Tx) (tables []*store.Table, err error) {
	for _, name := range t.own {
		table, err := tx.Table(ctx, name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// ownTables are the definitions of the own tables, which are read once.
var ownTables = sync.OnceValues(func() (tables []*store.Table, err error) {
	err = viewDemo(func(ctx context.Context, t *template, tx *store.Tx) (err error) {
		tables, err = t.tables(ctx, tx)
		return err
	})
	return tables, err
})

// viewDemo reads the demo database.
func viewDemo(fn func(ctx context.Context, t *template, tx *store.Tx) error) error {
	ctx := context.Background() // of nobody, as for the template
	t, err := demo()
	if err != nil {
		return err
	}
	s, err := t.image.Open(ctx, store.Options{})
	if err != nil {
		return err
	}
	err = s.View(ctx, func(tx *store.Tx) error { return fn(ctx, t, tx) })
	return errors.Join(err, s.Close())
}

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
	// common is what is known of databases that begin with it, for those with the
	// numbers of processes that are real and for the others.
	common map[bool]*store.Common
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
	t := &template{common: map[bool]*store.Common{false: store.NewCommon(), true: store.NewCommon()}}
	if t.image, err = store.ImageOf(file, file.Size()); err != nil {
		return nil, err
	}
	return t, t.image.ReadAbsent(ctx)
}

// OwnTables is the table of the demo database with the names of the tables that the
// server's own code and the demo data depend on.
const (
	OwnTables    = "REST_OwnTable"
	OwnTablesSQL = `CREATE TABLE "REST_OwnTable" ("TableName" TEXT NOT NULL)`
)

// open opens a store in memory that begins with the template. What is read of its
// dictionary and roles is read once for all of them, until one changes its own.
func (t *template) open(ctx context.Context, opts Options) (*store.Store, error) {
	s, err := t.image.Open(ctx, store.Options{})
	if err != nil {
		return nil, err
	}
	if opts.Today.IsZero() {
		s.Share(t.common[opts.RealProcessNumbers])
	}
	if err := complete(ctx, s, opts); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ownTables are the definitions of the own tables, which are read once.
var ownTables = sync.OnceValues(func() (tables []*store.Table, err error) {
	err = viewDemo(func(ctx context.Context, tx *store.Tx) error {
		names, err := tx.Values(ctx, "SELECT TableName FROM "+OwnTables+" ORDER BY rowid")
		if err != nil {
			return err
		}
		for _, row := range names {
			table, err := tx.Table(ctx, fmt.Sprint(row[0]))
			if err != nil {
				return err
			}
			tables = append(tables, table)
		}
		return nil
	})
	return tables, err
})

// viewDemo reads the demo database.
func viewDemo(fn func(ctx context.Context, tx *store.Tx) error) error {
	ctx := context.Background() // of nobody, as for the template
	t, err := demo()
	if err != nil {
		return err
	}
	s, err := t.image.Open(ctx, store.Options{})
	if err != nil {
		return err
	}
	err = s.View(ctx, func(tx *store.Tx) error { return fn(ctx, tx) })
	return errors.Join(err, s.Close())
}

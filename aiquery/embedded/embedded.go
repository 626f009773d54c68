package embedded

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// Server is an embedded ERP: package erptest has one.
type Server interface {
	// Database opens the ERP's database for reading alone.
	Database() *sql.DB
	// EmptyTables names tables that statements find although sqlite_schema lacks them.
	EmptyTables() []string
	// Write runs fn in a transaction that writes, and names the tables written to.
	Write(ctx context.Context, fn func(*sql.Tx) error, tables ...string) error
}

// Database is an embedded ERP's database. It is safe for concurrent use.
type Database struct{ d *database }

// Open opens the database of an embedded ERP. The audit is written through the
// server.
func Open(srv Server) (*Database, error) {
	if srv == nil {
		return nil, errors.New("open the embedded database: there is no server")
	}
	return &Database{&database{srv: srv, read: srv.Database()}}, nil
}

// Runner is for package aiquery.
func (db *Database) Runner() run.Runner { return db.d }

// String is the same for all.
func (db *Database) String() string { return "the embedded database" }

// Close closes what was opened for it. The server stays open.
func (db *Database) Close() error { return db.d.read.Close() }

// database runs statements on the embedded ERP's SQLite database.
type database struct {
	srv  Server
	read *sql.DB

	mu       sync.Mutex                 // guards what follows
	columns  map[string][]sqlite.Column // of tables, by physical name
	rendered map[*guard.Plan]*sqlite.Statement
}

// Schema implements run.Runner.
func (d *database) Schema() string { return "main" }

// Snapshot implements run.Runner.
func (d *database) Snapshot(ctx context.Context, do func(run.Reader) error) error {
	return d.within(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return do(func(ctx context.Context, text string) ([]run.Cells, error) { return readCells(ctx, tx, text) })
	})
}

// within runs do in a transaction, which reads one state.
func (d *database) within(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	tx, err := d.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return run.Unavailable(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return do(ctx, tx)
}

func readCells(ctx context.Context, tx *sql.Tx, text string, args ...any) ([]run.Cells, error) {
	rows, err := tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []run.Cells
	for rows.Next() {
		row, scan := make(run.Cells, len(names)), make([]any, len(names))
		for i := range row {
			scan[i] = &row[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// Check implements run.Runner.
func (d *database) Check(ctx context.Context) (run.Checked, error) {
	return run.Checked{}, d.Snapshot(ctx, func(read run.Reader) error {
		_, err := read(ctx, "SELECT 1 FROM AD_Role LIMIT 1")
		return err
	})
}

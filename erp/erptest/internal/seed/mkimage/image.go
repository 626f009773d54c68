package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/seed"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// build makes the demo database from the embedded files. Two are equal.
func build(ctx context.Context) ([]byte, error) {
	m, err := parseModel()
	if err != nil {
		return nil, err
	}
	b := newBuilder(m)
	b.addDictionary()
	if err := b.addData("data/*.txt"); err != nil {
		return nil, err
	}
	b.addRules()
	b.addDocumentWorkflows()
	b.addAccess()
	if err := b.addMenu(); err != nil {
		return nil, err
	}
	b.addPeriods()
	if err := b.addTrade(); err != nil {
		return nil, err
	}
	if err := b.addData("follow/*.txt"); err != nil {
		return nil, err
	}
	b.markPaid()
	b.addMovements()
	b.addColumns()
	b.addFields()
	b.addSequences()
	return b.image(ctx)
}

// image is the database file with the tables and their rows.
func (b *builder) image(ctx context.Context) (content []byte, err error) {
	if b.err != nil {
		return nil, b.err
	}
	folder, err := os.MkdirTemp("", "mkimage-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "demo.db")
	db, err := store.Open(ctx, "", store.Options{})
	if err != nil {
		return nil, err
	}
	err = db.Update(ctx, func(tx *store.Tx) error { return b.write(ctx, tx) })
	if err == nil {
		err = db.CopyTo(ctx, path) // so that no page is empty or out of order
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (b *builder) write(ctx context.Context, tx *store.Tx) error {
	for _, statement := range []string{seed.Marks, seed.ServerTables, store.AbsentSQL, store.ViewSQL, seed.OwnTablesSQL} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, t := range b.m.tables {
		if err := b.writeTable(ctx, tx, t); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	for _, v := range b.m.views {
		if err := v.write(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// write makes a view. One of which the files do not know what it shows is not in the
// database.
func (v *view) write(ctx context.Context, tx *store.Tx) error {
	own, err := v.query(sqlite)
	if err != nil {
		return err
	}
	theirs, err := v.query(postgres)
	if err != nil {
		return err
	}
	return tx.AddView(ctx, store.View{Name: v.table.Name, SQLite: own, PostgreSQL: theirs, Columns: store.ViewColumns(&v.table.Table)})
}

func (b *builder) writeTable(ctx context.Context, tx *store.Tx, t *table) error {
	s := b.sheets[t.Name]
	if t.own {
		if _, err := tx.Exec(ctx, "INSERT INTO "+seed.OwnTables+" VALUES (?)", t.Name); err != nil {
			return err
		}
	}
	if err := s.complete(); err != nil || !t.Active {
		return err
	}
	if t.IsView {
		return nil
	}
	statements := []string{s.layout.SQL}
	if s.layout.UUIDIndex != "" {
		statements = append(statements, s.layout.UUIDIndex)
	}
	statements = append(statements, seed.IndexStatements(&t.Table)...)
	if len(s.rows) == 0 { // the database gets the table when it is written to
		for i, statement := range statements {
			if _, err := tx.Exec(ctx, "INSERT INTO "+store.AbsentTable+" VALUES (?, ?, ?)", t.Name, i, statement); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := tx.Exec(ctx, statements[0]); err != nil {
		return err
	}
	if err := s.write(ctx, tx); err != nil {
		return err
	}
	for _, statement := range statements[1:] {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// write writes the rows of a table.
func (s *sheet) write(ctx context.Context, tx *store.Tx) error {
	names, marks := make([]string, len(s.layout.Columns)), make([]string, len(s.layout.Columns))
	for i, c := range s.layout.Columns {
		names[i], marks[i] = sqlquote.Name(c.Name), "?"
	}
	insert := "INSERT INTO " + sqlquote.Name(s.t.Name) + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
	for n, row := range s.rows {
		if _, err := tx.Exec(ctx, insert, row...); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
	}
	return nil
}

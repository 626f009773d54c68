package seed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// template is the database, without the secrets, that new ones are copied from.
// It never changes. It is a file in the user's cache, so that no program but the
// first has to build it or to hold it; where no file can be kept it is in memory.
type template struct {
	file  string
	image []byte // when there is no file

	mu     sync.Mutex
	copies int
	dict   *store.Dictionary // what copies need not read; nil until it is worth it
}

// templates is that of this process: a test pays for it once, and not with every
// server.
var templates templateCache

type templateCache struct {
	mu sync.Mutex
	t  *template
}

func (c *templateCache) get(ctx context.Context) (*template, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.t != nil && c.t.usable() {
		return c.t, nil
	}
	file, err := cachedImage(context.WithoutCancel(ctx)) // others wait for it too
	t := &template{file: file}
	if err != nil { // no folder, no room, no permission: what a file would save is not needed
		if t.image, err = buildImage(); err != nil {
			return nil, fmt.Errorf("building the demo data: %w", err)
		}
	}
	if c.t != nil {
		t.copies, t.dict = c.t.copies, c.t.dict
	}
	c.t = t
	return t, nil
}

// usable tells whether it is still there: caches are emptied.
func (t *template) usable() bool {
	if t.image != nil {
		return true
	}
	_, err := os.Stat(t.file)
	return err == nil
}

// fill makes s, a store in memory that nobody uses yet, a copy. The dictionary of
// the tables that the server itself and the demo work with comes with it from the
// second one on: a program with one server reads what it needs.
func (t *template) fill(ctx context.Context, s *store.Store) error {
	var err error
	if t.image != nil {
		err = s.Load(t.image)
	} else {
		err = s.LoadFile(t.file)
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.copies++; t.copies == 1 {
		return nil
	}
	if t.dict == nil {
		err := s.View(ctx, func(tx *store.Tx) error { return readDictionary(ctx, tx) })
		if err != nil {
			return err
		}
		t.dict = s.Dictionary()
	}
	s.Know(t.dict)
	return nil
}

// write writes it to w as a file.
func (t *template) write(w io.Writer) error {
	if t.image != nil {
		_, err := io.Copy(w, bytes.NewReader(t.image))
		return err
	}
	f, err := os.Open(t.file)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// readDictionary reads the tables that the server itself and the demo work with.
func readDictionary(ctx context.Context, tx *store.Tx) error {
	text, err := parseText()
	if err != nil {
		return err
	}
	for _, t := range text.tables {
		if _, err := tx.Table(ctx, t.Name); err != nil {
			return err
		}
	}
	return nil
}

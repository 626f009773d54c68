package seed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// template is the database, without the secrets, that new ones are copied from.
// It never changes. It is a file in the user's cache, so that no program but the
// first has to build it or to hold it; where no file can be kept it is in memory.
type template struct {
	file  string // "" when it is in memory
	image *store.Image

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
	if c.t != nil {
		return c.t, nil
	}
	ctx = context.WithoutCancel(ctx) // others wait for it too
	t := &template{}
	var err error
	if t.file, err = cachedImage(ctx); err == nil {
		t.image, err = store.OpenImage(t.file, false)
	}
	if err != nil { // no folder, no room, no permission: what a file would save is not needed
		t.file = ""
		var content []byte
		if content, err = buildImage(); err == nil {
			t.image, err = store.ImageOf(content)
		}
	}
	if err == nil {
		err = t.image.ReadAbsent(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("building the demo data: %w", err)
	}
	c.t = t
	return t, nil
}

// open opens a store in memory that begins with the template. The dictionary of
// the tables that the server itself and the demo work with comes with it from the
// second one on: a program with one server reads what it needs.
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
		if err := s.View(ctx, func(tx *store.Tx) error { return readDictionary(ctx, tx) }); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		t.dict = s.Dictionary()
	}
	s.Know(t.dict)
	return s, nil
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

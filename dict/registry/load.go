package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// LoadCatalog reads a whole dictionary. Programs that run for a while want a
// [Cache]; those that ask about a few tables once want [LoadScope].
func LoadCatalog(ctx context.Context, source Source) (*Catalog, error) {
	return loadCatalog(ctx, source, time.Now)
}

func loadCatalog(ctx context.Context, source Source, now func() time.Time) (*Catalog, error) {
	return reload(ctx, source, nil, rowKinds(), now)
}

// reload reads the given kinds of rows and takes the others from before.
func reload(ctx context.Context, source Source, before *Catalog, wanted []rowKind, now func() time.Time) (*Catalog, error) {
	at := now()
	kinds := rowKinds()
	l := newLoader(wanted)
	stamps := make([]Stamp, len(kinds))
	if before != nil {
		for i, k := range kinds {
			k.share(l.into, &before.content)
			stamps[i] = before.stamps[i]
		}
	}
	for _, k := range wanted {
		k.reset(l.into, 0)
	}
	got, err := source.Read(ctx, sourcesOf(wanted), l)
	if err != nil {
		return nil, fmt.Errorf("read the dictionary of %s: %w", source.Origin(), err)
	}
	if len(got) != len(wanted) {
		return nil, fmt.Errorf("read the dictionary of %s: the source gave %d stamps for %d tables", source.Origin(), len(got), len(wanted))
	}
	for i, k := range kinds {
		for j, w := range wanted {
			if w.source().Name == k.source().Name {
				stamps[i] = got[j]
			}
		}
	}
	if len(l.into.tables) == 0 || len(l.into.columns) == 0 {
		return nil, fmt.Errorf("read the dictionary of %s: %w", source.Origin(), errEmptyDictionary)
	}
	return newCatalog(*l.into, source.Origin(), stamps, at), nil
}

var errEmptyDictionary = errors.New("it has no tables or no columns; is this the ERP, and may the user read AD_Table and AD_Column?")

// loader is the sink that makes content. The same text is kept once.
type loader struct {
	mu      sync.Mutex // guards what follows
	kinds   []rowKind
	into    *content
	strings map[string]string
	rows    []int // rows taken, per kind
}

func newLoader(kinds []rowKind) *loader {
	return &loader{kinds: kinds, into: &content{}, strings: map[string]string{}, rows: make([]int, len(kinds))}
}

// maxRows bounds the rows of one table of the dictionary, so that a source gone
// wild does not fill the memory.
const maxRows = 5_000_000

// maxExpected bounds the room that is made for rows before they come.
const maxExpected = 100_000

func (l *loader) Begin(table int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[table].reset(l.into, 0)
	l.rows[table] = 0
}

// Expect makes room for rows of a table, which a source calls that knows how many
// there will be, after Begin.
func (l *loader) Expect(table, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[table].reset(l.into, min(max(rows, 0), maxExpected))
}

func (l *loader) Row(table int, values []SourceValue) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows[table]++; l.rows[table] > maxRows {
		return fmt.Errorf("%s has more than %d rows", l.kinds[table].source().Name, maxRows)
	}
	l.kinds[table].add(l.into, values, l.intern)
	return nil
}

func (l *loader) intern(s string) string {
	if s == "" {
		return ""
	}
	if own, ok := l.strings[s]; ok {
		return own
	}
	l.strings[s] = s
	return s
}

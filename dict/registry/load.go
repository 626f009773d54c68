package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/textcache"
)

// LoadCatalog reads a whole dictionary. Programs that run for a while want a
// [Cache]; those that ask about a few tables once want [LoadScope].
func LoadCatalog(ctx context.Context, source Source) (*Catalog, error) {
	return loadCatalog(ctx, source, time.Now)
}

func loadCatalog(ctx context.Context, source Source, now func() time.Time) (*Catalog, error) {
	catalog, _, err := reload(ctx, source, nil, rowKinds(), now)
	return catalog, err
}

// wholeEvery is how long rows of a kind are kept up to date by reading what
// changed. After that the next change makes all of them be read, which shows
// what cannot be told from the number of rows and their times.
const wholeEvery = 24 * time.Hour

// maxRounds is after how many attempts to read what changed everything is read as
// a whole, while the ERP changes all the time.
const maxRounds = 2

// reload reads what changed of the given kinds of rows and takes all else from
// before; without that it reads all rows. It tells which of the kinds differ from
// before.
func reload(ctx context.Context, source Source, before *Catalog, wanted []rowKind, now func() time.Time) (*Catalog, []rowKind, error) {
	at := now()
	since := make([]int64, len(wanted)) // 0: all rows are read
	for i, k := range wanted {
		if before == nil {
			break
		}
		if age := at.Sub(before.whole[place(rowKinds(), k)]); age >= 0 && age < wholeEvery {
			since[i] = newest(k.times(&before.content))
		}
	}
	for round := 0; ; round++ {
		if round == maxRounds {
			clear(since)
		}
		r := &reading{before: before, wanted: wanted, since: since, at: at}
		if err := r.read(ctx, source); err != nil {
			return nil, nil, fmt.Errorf("read the dictionary of %s: %w", source.Origin(), err)
		}
		if r.torn {
			continue // all rows of those tables; the others anew, so that they fit together
		}
		return r.catalog(source.Origin()), r.changed, nil
	}
}

// place is where a kind is among others, -1 when it is not.
func place(kinds []rowKind, k rowKind) int {
	name := k.source().Name
	return slices.IndexFunc(kinds, func(other rowKind) bool { return other.source().Name == name })
}

// reading is one call to a source, with what comes of it.
type reading struct {
	before *Catalog // nil: none
	wanted []rowKind
	since  []int64 // per wanted kind; that of kinds which have to be read as a whole is made 0
	at     time.Time

	content content
	stamps  []Stamp     // of all kinds
	whole   []time.Time // likewise
	changed []rowKind
	torn    bool // changes do not fit to what is there
}

func (r *reading) read(ctx context.Context, source Source) error {
	tables := sourcesOf(r.wanted)
	for i := range tables {
		tables[i].Since, tables[i].Settled = r.since[i], r.settled(i)
	}
	l := newLoader(r.wanted)
	for _, k := range r.wanted {
		k.reset(l.into, 0)
	}
	got, err := source.Read(ctx, tables, l)
	if err != nil {
		return err
	}
	if len(got) != len(tables) {
		return fmt.Errorf("the source gave %d stamps for %d tables", len(got), len(tables))
	}
	kinds := rowKinds()
	r.stamps, r.whole = make([]Stamp, len(kinds)), make([]time.Time, len(kinds))
	for i, k := range kinds {
		if r.before != nil {
			k.share(&r.content, &r.before.content)
			r.stamps[i], r.whole[i] = r.before.stamps[i], r.before.whole[i]
		}
		if at := place(r.wanted, k); at >= 0 {
			if got[at].Partial && r.since[at] == 0 {
				return fmt.Errorf("the source left out rows of %s although all were requested", tables[at].Name)
			}
			r.take(i, at, k, l.into, got[at])
		}
	}
	if !r.torn && (len(r.content.tables) == 0 || len(r.content.columns) == 0) {
		return errEmptyDictionary
	}
	return nil
}

// settled reports whether the rows of a wanted kind in before are from a settled
// state, so that only newer ones are of interest.
func (r *reading) settled(wanted int) bool {
	return r.since[wanted] != 0 && !r.before.stamps[place(rowKinds(), r.wanted[wanted])].Unsettled
}

// take takes what was read of a kind.
func (r *reading) take(kind, wanted int, k rowKind, from *content, stamp Stamp) {
	changed := true
	if stamp.Partial {
		m := k.merge(&r.content, &r.before.content, from, r.settled(wanted))
		if !m.fits(stamp) {
			r.torn, r.since[wanted] = true, 0
			return
		}
		changed = m.changed
	} else {
		k.share(&r.content, from)
		r.whole[kind] = r.at
	}
	stamp.Partial, stamp.Sum, stamp.Newest = false, 0, 0 // they are about the rows, which are here
	r.stamps[kind] = stamp
	if changed {
		r.changed = append(r.changed, k)
	}
}

func (r *reading) catalog(origin string) *Catalog {
	if r.before != nil && len(r.changed) == 0 {
		return r.before.restamped(r.stamps, r.whole, r.at)
	}
	c := newCatalog(r.content, r.before, origin, r.stamps, r.at)
	c.whole = r.whole
	return c
}

var errEmptyDictionary = errors.New("it has no tables or no columns; is this the ERP, and may the user read AD_Table and AD_Column?")

// loader is the sink that makes content. The same text is mostly kept once.
type loader struct {
	mu    sync.Mutex // guards what follows
	kinds []rowKind
	into  *content
	texts *textcache.Cache
	rows  []int // rows taken, per kind
}

func newLoader(kinds []rowKind) *loader {
	return &loader{kinds: kinds, into: &content{}, texts: textcache.New(), rows: make([]int, len(kinds))}
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
	return l.row(table, values, l.texts.String)
}

// RowOfShared is Row for values whose equal texts share their memory already, which a
// source calls that sees to that itself.
func (l *loader) RowOfShared(table int, values []SourceValue) error {
	return l.row(table, values, nil)
}

func (l *loader) row(table int, values []SourceValue, intern func(string) string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows[table]++; l.rows[table] > maxRows {
		return fmt.Errorf("%s has more than %d rows", l.kinds[table].source().Name, maxRows)
	}
	l.kinds[table].add(l.into, values, intern)
	return nil
}

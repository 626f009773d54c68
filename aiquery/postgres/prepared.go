package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erphub/erphub/aiquery/internal/run"
)

const (
	// maxPrepared and maxPreparedText bound what one connection keeps prepared:
	// how many statements, and how many bytes of text. The server keeps a plan
	// with each, which takes some hundred times as much.
	maxPrepared     = 100
	maxPreparedText = 256 << 10
	// maxPreparable is the longest text that is worth it: what is longer takes
	// longer to run than to plan.
	maxPreparable = 16 << 10
)

// maxKnown is how many bytes of texts and stamps are remembered, about, in each
// of the maps that do.
const maxKnown = 16 << 20

// preparedKey is where a connection's own data has what is prepared on it.
const preparedKey = "erphub.prepared"

// prepared is what is prepared on a connection, the least recently used first.
// After an error nobody knows what is: then the session is made as new, or closed.
type prepared struct {
	names []string
	sizes map[string]int // of the texts, by name
	size  int            // of all
}

// preparedOn is what is prepared on a connection.
func preparedOn(conn *pgconn.PgConn) *prepared {
	data := conn.CustomData()
	p, ok := data[preparedKey].(*prepared)
	if !ok {
		p = &prepared{sizes: map[string]int{}}
		data[preparedKey] = p
	}
	return p
}

// forgetPrepared is called when a session is made as new.
func forgetPrepared(conn *pgconn.PgConn) { delete(conn.CustomData(), preparedKey) }

// use notes that a statement is used now, and reports whether it is prepared
// already, and which others have to make room.
func (p *prepared) use(name string, size int) (known bool, gone []string) {
	if _, known = p.sizes[name]; known {
		p.names = slices.DeleteFunc(p.names, func(n string) bool { return n == name })
	} else {
		p.sizes[name] = size
		p.size += size
	}
	p.names = append(p.names, name)
	for len(p.names) > maxPrepared || p.size > maxPreparedText {
		oldest := p.names[0]
		p.names = p.names[1:]
		p.size -= p.sizes[oldest]
		delete(p.sizes, oldest)
		gone = append(gone, oldest)
	}
	return known, gone
}

// bounded is a map that starts anew when what its keys and values hold is more
// than maxKnown.
type bounded[K comparable, V any] struct {
	mu   sync.Mutex // guards what follows
	kept map[K]V
	size int
}

func (b *bounded[K, V]) get(key K) (V, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	value, ok := b.kept[key]
	return value, ok
}

// put keeps a value that holds about that many bytes together with its key, what
// the key points to included.
func (b *bounded[K, V]) put(key K, value V, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.kept[key]; ok {
		b.kept[key] = value
		return
	}
	size += entryBytes
	if b.kept == nil || b.size+size > maxKnown {
		b.kept, b.size = map[K]V{}, 0
	}
	b.kept[key] = value
	b.size += size
}

// entryBytes is what an entry of a map takes by itself, about.
const entryBytes = 128

// statementName is the name a statement is prepared under: statements that
// differ have names that do.
func statementName(text string, types []uint32) string {
	sum := sha256.Sum256(fmt.Append([]byte(text), types))
	return "erphub_" + hex.EncodeToString(sum[:16])
}

// stamp is a statement that makes one value of what the statements of a
// fingerprint return, and the value it made of what a policy was made of.
type stamp struct{ text, name, value string }

// newStamp is a stamp without its value. The order of rows does not count. All
// statements are parts of one: each by itself would be sorted and aggregated alone,
// which takes most of the time for the few rows there are.
func newStamp(f *run.Fingerprint) stamp {
	parts := make([]string, len(f.Queries))
	for i, q := range f.Queries {
		parts[i] = fmt.Sprintf("SELECT %d AS part, r::pg_catalog.text AS cells FROM (%s) r", i, q)
	}
	text := "SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(coalesce(pg_catalog.string_agg(" +
		"pg_catalog.concat(part, ' ', pg_catalog.length(cells), ' ', cells), '' ORDER BY part, cells COLLATE pg_catalog.\"C\"), ''), 'UTF8')), 'hex') FROM (" +
		strings.Join(parts, " UNION ALL ") + ") rows"
	return stamp{text: text, name: statementName(text, nil)}
}

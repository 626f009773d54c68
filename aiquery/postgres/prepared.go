package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erphub/erphub/aiquery/internal/run"
)

// maxPrepared is how many statements one connection keeps prepared.
const maxPrepared = 200

// maxKnown is how many texts and stamps are remembered.
const maxKnown = 10_000

// preparedKey is where a connection's own data has the names of the statements
// that are prepared on it, as a map[string]bool.
const preparedKey = "erphub.prepared"

// preparedOn are the names of what is prepared on a connection.
func preparedOn(conn *pgconn.PgConn) map[string]bool {
	data := conn.CustomData()
	names, ok := data[preparedKey].(map[string]bool)
	if !ok {
		names = map[string]bool{}
		data[preparedKey] = names
	}
	return names
}

// forgetPrepared is called when a session is made as new.
func forgetPrepared(conn *pgconn.PgConn) { delete(conn.CustomData(), preparedKey) }

// bounded is a map that starts anew when it is full.
type bounded[K comparable, V any] struct {
	mu   sync.Mutex // guards what follows
	kept map[K]V
}

func (b *bounded[K, V]) get(key K) (V, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	value, ok := b.kept[key]
	return value, ok
}

func (b *bounded[K, V]) put(key K, value V) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil || len(b.kept) >= maxKnown {
		b.kept = map[K]V{}
	}
	b.kept[key] = value
}

// statementName is the name a statement is prepared under: statements that
// differ have names that do.
func statementName(text string, types []uint32) string {
	sum := sha256.Sum256(fmt.Append([]byte(text), types))
	return "erphub_" + hex.EncodeToString(sum[:16])
}

// stampText is a statement that makes one value of what the statements of a
// fingerprint return: the order of rows does not count.
func stampText(f *run.Fingerprint) string {
	parts := make([]string, len(f.Queries))
	for i, q := range f.Queries {
		parts[i] = "(SELECT pg_catalog.concat(pg_catalog.count(*), ' ', pg_catalog.string_agg(r::pg_catalog.text, E'\\n' ORDER BY r::pg_catalog.text COLLATE pg_catalog.\"C\")) FROM (" + q + ") r)"
	}
	return "SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat_ws(E'\\x01', " + strings.Join(parts, ", ") + "), 'UTF8')), 'hex')"
}

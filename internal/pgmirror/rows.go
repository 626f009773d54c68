package pgmirror

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/sqlquote"
	"github.com/erphub/erphub/internal/text"
)

// rowSet is what the copy has of a table: a digest of each row by its key. For
// tables without a key there is one digest, of all rows.
type rowSet map[string]digest

type digest [16]byte

func digestOf(line []byte) digest {
	sum := sha256.Sum256(line)
	return digest(sum[:16])
}

// delta is how the rows of a table change.
type delta struct {
	shape *shape
	all   bool     // all rows are removed first
	keys  []string // of rows that are removed; parts of a key are separated by NUL
	lines bytes.Buffer
	now   rowSet
}

// readRows compares a table with what the copy has of it, nil for nothing. It
// returns nil when that is the same.
func readRows(ctx context.Context, tx *sql.Tx, s *shape, old rowSet) (*delta, error) {
	fail := func(err error) (*delta, error) { return nil, fmt.Errorf("read the ERP's table %s: %w", s.source, err) }
	columns := make([]string, len(s.columns))
	for i, c := range s.columns {
		columns[i] = sqlquote.Name(c.source)
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+sqlquote.Name(s.source))
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	d := &delta{shape: s, now: rowSet{}}
	values, scan, key := make([]any, len(columns)), make([]any, len(columns)), make([]string, len(s.key))
	for i := range values {
		scan[i] = &values[i]
	}
	var line []byte
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			return fail(err)
		}
		line = line[:0]
		for i, v := range values {
			if i > 0 {
				line = append(line, '\t')
			}
			line = appendValue(line, v)
		}
		line = append(line, '\n')
		if len(s.key) == 0 {
			d.lines.Write(line)
			continue
		}
		for i, at := range s.key {
			key[i] = plainValue(values[at])
		}
		d.row(strings.Join(key, "\x00"), line, old)
	}
	if err := rows.Err(); err != nil {
		return fail(err)
	}
	return d.against(old), nil
}

// row takes a row of a table with a key.
func (d *delta) row(key string, line []byte, old rowSet) {
	sum := digestOf(line)
	d.now[key] = sum
	was, there := old[key]
	if there && was == sum {
		return
	}
	if there {
		d.keys = append(d.keys, key)
	}
	d.lines.Write(line)
}

// against completes the comparison.
func (d *delta) against(old rowSet) *delta {
	if len(d.shape.key) == 0 {
		sum := digestOf(d.lines.Bytes())
		d.now[""] = sum
		if was, there := old[""]; there && was == sum {
			return nil
		}
		d.all = old != nil
		return d
	}
	for key := range old {
		if _, there := d.now[key]; !there {
			d.keys = append(d.keys, key)
		}
	}
	if old != nil && len(d.keys) == 0 && d.lines.Len() == 0 {
		return nil
	}
	return d
}

var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// appendValue adds a value in the text format of COPY.
func appendValue(line []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(line, `\N`...)
	case []byte:
		line = append(line, `\\x`...)
		return append(line, hex.EncodeToString(v)...)
	}
	return append(line, escape.Replace(plainValue(v))...)
}

// plainValue is the text of a value that is not NULL. PostgreSQL has no NUL
// character and nothing that is not UTF-8; a replacement stands for them.
func plainValue(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	case string:
		return text.Storable(v)
	}
	return fmt.Sprint(v)
}

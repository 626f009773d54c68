// Package twinfile knows how a database of the embedded ERP says that it is a
// twin: a copy of somebody's own ERP. It is one table beside the ERP's: a row
// with the version and the circumstances, and one per table with the number of
// its rows and a digest over them.
package twinfile

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/sqlquote"
)

// Version is the form of twins that this program makes and reads.
const Version = 1

// FileName is the database in a folder of a twin, as in one of a sandbox.
const FileName = "erp.db"

// Table is the table that marks a twin.
const Table = "ERPHUB_Twin"

// CreateSQL makes the table.
const CreateSQL = `CREATE TABLE IF NOT EXISTS ` + Table + ` (Name TEXT PRIMARY KEY, Rows INTEGER NOT NULL, Digest TEXT NOT NULL, Info TEXT NOT NULL)`

// Head is what a twin says of itself.
type Head struct {
	Version int       `json:"version"`
	Origin  string    `json:"origin"` // without secrets
	Kind    string    `json:"kind"`   // of the source
	Made    time.Time `json:"made"`
	Masked  bool      `json:"masked"`
	// Mark tells one clone's source and options from another's.
	Mark string `json:"mark"`
	// Options and Report are the clone's own.
	Options json.RawMessage `json:"options,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"`
}

// Part is a table of a twin.
type Part struct {
	Name   string
	Rows   int64
	Digest string
	Info   string
}

// Query is how rows are read: the method of *sql.DB, *sql.Tx or a transaction of
// the store.
type Query func(ctx context.Context, query string, args ...any) (*sql.Rows, error)

// ErrVersion is in the error for a twin of another version.
var ErrVersion = errors.New("another version of erphub made the twin")

// ErrDamaged is in the error for a twin that cannot be understood.
var ErrDamaged = errors.New("the twin is damaged")

// ReadHead is what a database says of itself, nil when it is not a twin.
func ReadHead(ctx context.Context, query Query) (*Head, error) {
	there, err := one[int](ctx, query, `SELECT COUNT(*) FROM pragma_table_info(?)`, Table)
	if err != nil || there == nil || *there == 0 {
		return nil, err
	}
	rows, err := query(ctx, `SELECT Rows, Info FROM `+Table+` WHERE Name=''`)
	if err != nil {
		return nil, fmt.Errorf("%w: its table %s cannot be read: %w; clone it again", ErrDamaged, Table, err)
	}
	defer rows.Close()
	var version int
	var info string
	if !rows.Next() {
		return nil, errors.Join(fmt.Errorf("%w: %s does not say which version it has; clone it again", ErrDamaged, Table), rows.Err())
	}
	if err := rows.Scan(&version, &info); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; clone it again", ErrDamaged, Table, err)
	}
	if version != Version {
		return nil, fmt.Errorf("%w: it has form %d, and this erphub reads form %d alone: clone it again, or use the erphub that made it", ErrVersion, version, Version)
	}
	h := &Head{}
	if err := json.Unmarshal([]byte(info), h); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; clone it again", ErrDamaged, Table, err)
	}
	h.Version = version
	return h, rows.Err()
}

// ReadParts lists the tables of a twin by name.
func ReadParts(ctx context.Context, query Query) ([]Part, error) {
	rows, err := query(ctx, `SELECT Name, Rows, Digest, Info FROM `+Table+` WHERE Name<>'' ORDER BY Name`)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer rows.Close()
	var out []Part
	for rows.Next() {
		var p Part
		if err := rows.Scan(&p.Name, &p.Rows, &p.Digest, &p.Info); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

func one[T any](ctx context.Context, query Query, text string, args ...any) (*T, error) {
	rows, err := query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var v T
	if !rows.Next() {
		return nil, rows.Err()
	}
	return &v, rows.Scan(&v)
}

// own are the columns that do not count in digests, so that two clones of the same
// source have the same ones: what each twin fills with values of its own, and what an
// ERP writes whenever somebody logs in, as the clone itself does, or takes a number.
var own = map[string]map[string]bool{
	"AD_USER":     {"PASSWORD": true, "SALT": true, "DATELASTLOGIN": true, "FAILEDLOGINCOUNT": true, "DATEACCOUNTLOCKED": true, "UPDATED": true, "UPDATEDBY": true},
	"AD_SEQUENCE": {"CURRENTNEXT": true, "CURRENTNEXTSYS": true, "UPDATED": true, "UPDATEDBY": true},
}

// ownRows are the rows each twin has of its own, as a condition for the others.
var ownRows = map[string]string{"AD_SYSCONFIG": ` WHERE Name<>'REST_TOKEN_SECRET'`}

// Digest counts the rows of a table and sums up their digests: the order in
// which they were written does not matter. The memory it takes does not depend
// on their number.
func Digest(ctx context.Context, query Query, table string) (count int64, digest string, err error) {
	fail := func(err error) (int64, string, error) {
		return 0, "", fmt.Errorf("summing up the rows of %s: %w", table, err)
	}
	rows, err := query(ctx, "SELECT * FROM "+sqlquote.Name(table)+ownRows[strings.ToUpper(table)])
	if err != nil {
		return fail(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return fail(err)
	}
	values, scan := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		scan[i] = &values[i]
	}
	skip := make([]bool, len(names))
	for i, name := range names {
		skip[i] = own[strings.ToUpper(table)][strings.ToUpper(name)]
	}
	var sum [4]uint64
	var line []byte
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			return fail(err)
		}
		line = line[:0]
		for i, v := range values {
			if v == nil || skip[i] {
				continue
			}
			line = appendText(line, names[i])
			line = appendValue(line, v)
		}
		h := sha256.Sum256(line)
		var carry uint64
		for i := range sum {
			sum[i], carry = bits.Add64(sum[i], binary.BigEndian.Uint64(h[i*8:]), carry)
		}
		count++
	}
	if err := rows.Err(); err != nil {
		return fail(err)
	}
	var out [32]byte
	for i, n := range sum {
		binary.BigEndian.PutUint64(out[i*8:], n)
	}
	return count, hex.EncodeToString(out[:]), nil
}

func appendText(line []byte, s string) []byte {
	return append(binary.AppendUvarint(line, uint64(len(s))), s...)
}

func appendValue(line []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return binary.AppendVarint(append(line, 'i'), v)
	case float64:
		return binary.BigEndian.AppendUint64(append(line, 'f'), math.Float64bits(v))
	case []byte:
		return appendText(append(line, 'b'), string(v))
	case string:
		return appendText(append(line, 's'), v)
	case time.Time:
		return appendText(append(line, 't'), v.UTC().Format(time.RFC3339Nano))
	}
	return appendText(append(line, '?'), fmt.Sprint(v))
}

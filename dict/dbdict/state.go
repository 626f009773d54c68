package dbdict

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/internal/changes"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/sqlquote"
)

// late is by how much changes may come late, in milliseconds. It is longer than
// unsettled and skew together.
const late = 10_000

// state is the state of a table.
type state struct {
	rows   int
	newest int64 // change, in microseconds since 1970; 0: none
	sum    int64 // of the times of all changes, in milliseconds, which shows those that carry an older time
}

// add counts a row.
func (s *state) add(micros int64) {
	s.rows++
	s.sum += micros / 1000
	s.newest = max(s.newest, micros)
}

// stamp is the state as the registry wants it. The age of the newest change is
// told by the database's own clock.
func (s *state) stamp(now int64) registry.Stamp {
	return registry.Stamp{Rows: s.rows, Mark: strconv.FormatInt(s.newest, 10) + " " + strconv.FormatInt(s.sum, 10), Sum: s.sum, Newest: s.newest / 1000,
		Unsettled: s.newest != 0 && changes.MayBeNew(time.UnixMicro(now).Sub(time.UnixMicro(s.newest)), unsettled, skew)}
}

// changedAt is when a row was changed, in microseconds; false when the table does
// not tell, such as a view of an old release.
func (s *Source) changedAt(has columns) (string, bool) {
	own, ok := has[strings.ToLower(updated)]
	if !ok {
		return "", false
	}
	return s.micros(sqlquote.Name(own)), true
}

// micros is a time in microseconds since 1970, as if it were UTC.
func (s *Source) micros(at string) string {
	if s.dialect == SQLite {
		return "COALESCE(unixepoch(" + at + ") * 1000000, 0)"
	}
	return "COALESCE(CAST(DATE_PART('epoch', " + at + ") * 1000000 AS BIGINT), 0)"
}

// now is the database's clock.
func (s *Source) now(ctx context.Context, db *session) (micros int64, err error) {
	clock := "LOCALTIMESTAMP"
	if s.dialect == SQLite {
		clock = "'now'"
	}
	if err := db.tx.QueryRowContext(ctx, "SELECT "+s.micros(clock)).Scan(&micros); err != nil {
		return 0, fmt.Errorf("read the clock of the database: %w", clean(err))
	}
	return micros, nil
}

// states reads the state of the tables that are there, in one statement; of those
// that counted is true for, only the number of rows.
func (s *Source) states(ctx context.Context, db *session, tables []registry.SourceTable, present []columns, counted func(registry.SourceTable) bool) (_ []state, err error) {
	states := make([]state, len(tables))
	var parts []string
	for i, t := range tables {
		at, ok := s.changedAt(present[i])
		switch {
		case present[i] == nil:
		case !ok || counted(t):
			parts = append(parts, fmt.Sprintf("SELECT %d, COUNT(*), 0, 0 FROM %s", i, s.name(t.Name)))
		default:
			parts = append(parts, fmt.Sprintf("SELECT %d, COUNT(*), COALESCE(MAX(at), 0), CAST(COALESCE(SUM(at / 1000), 0) AS BIGINT) FROM (SELECT %s AS at FROM %s) AS t",
				i, at, s.name(t.Name)))
		}
	}
	if len(parts) == 0 {
		return states, nil
	}
	rows, err := db.tx.QueryContext(ctx, strings.Join(parts, " UNION ALL "))
	if err != nil {
		return nil, fmt.Errorf("look for changes in the dictionary: %w", clean(err))
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var at int
		var st state
		if err := rows.Scan(&at, &st.rows, &st.newest, &st.sum); err != nil {
			return nil, fmt.Errorf("look for changes in the dictionary: %w", clean(err))
		}
		states[at] = st
	}
	return states, rows.Err()
}

package store

import (
	"context"
	"fmt"
	"os"
)

const (
	// longJournal is how large the journal of a file grows before readers are kept
	// back, for a moment, to shorten it. SQLite begins it anew only when nobody reads,
	// which may be never while readers follow each other.
	longJournal = 16 << 20
	// drainWait is how many milliseconds the readers at work have to end; new ones
	// wait as long.
	drainWait = 200
	// busyWait is how many milliseconds a connection waits for another process.
	busyWait = 10_000
)

// shortenJournal brings a long journal into the database. The caller is the writer,
// its transaction has ended, and it holds state. What does not work is tried again
// when the journal has grown further.
func (s *Store) shortenJournal(ctx context.Context) {
	if s.path == "" {
		return
	}
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() < s.journal {
		return
	}
	s.journal = info.Size() + longJournal
	ctx = context.WithoutCancel(ctx) // the commit is done, whatever became of its caller
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout=%d", drainWait)); err != nil {
		return
	}
	var busy, frames, done int
	if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done); err == nil && busy == 0 {
		s.journal = longJournal
	}
	_, _ = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout=%d", busyWait)) // it cannot fail on an open connection
}

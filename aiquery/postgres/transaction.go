package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/erphub/erphub/aiquery/internal/run"
)

// Snapshot implements run.Runner.
func (d *database) Snapshot(ctx context.Context, do func(run.Reader) error) (err error) {
	conn, err := d.acquire(ctx, ownTimeout, nil, nil)
	if err != nil {
		return err
	}
	defer func() { d.end(conn, err != nil) }()
	pg := conn.Conn().PgConn()
	return do(func(ctx context.Context, text string) ([]run.Cells, error) { return query(ctx, pg, text) })
}

// acquire takes a connection and begins a transaction on it, or runs a statement
// in one that is over when it returns. Connections that the server has given up
// in the meantime are passed over.
func (d *database) acquire(ctx context.Context, timeout time.Duration, rights *run.Fingerprint, only *pipelined) (*pgxpool.Conn, error) {
	for attempt := 0; ; attempt++ {
		conn, err := d.queries.Acquire(ctx)
		if err != nil {
			return nil, run.Unavailable(err)
		}
		pg := conn.Conn().PgConn()
		if err = d.begin(ctx, pg, timeout, rights, only); err == nil {
			return conn, nil
		}
		again := errors.As(err, new(notBegun)) && pg.IsClosed() && ctx.Err() == nil && attempt < d.opts.Connections
		d.end(conn, !errors.Is(err, run.ErrRightsChanged))
		if !again {
			return nil, err
		}
	}
}

// ownTimeout bounds the statements that read rights and the catalog.
const ownTimeout = 10 * time.Second

// begin begins a transaction that only reads, bounds it, and compares the
// rights, in one round trip. With a statement it runs that, too, and ends the
// transaction.
func (d *database) begin(ctx context.Context, conn *pgconn.PgConn, timeout time.Duration, rights *run.Fingerprint, only *pipelined) (err error) {
	ms := strconv.FormatInt(max(timeout.Milliseconds(), 1), 10)
	pipeline := conn.StartPipeline(ctx)
	defer func() {
		if closed := pipeline.Close(); !conn.IsClosed() || err != nil {
			err = errors.Join(err, closed)
		}
	}()
	send := func(text string) { pipeline.SendQueryParams(text, nil, nil, nil, nil) }
	send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	send("SELECT pg_catalog.set_config('statement_timeout', '" + ms + "ms', true), pg_catalog.set_config('work_mem', " + literal(d.opts.WorkMem) +
		", true), pg_catalog.set_config('max_parallel_workers_per_gather', '0', true), " +
		"pg_catalog.set_config('idle_in_transaction_session_timeout', '15s', true)")
	count := 0
	if rights != nil {
		for _, q := range rights.Queries {
			send(q)
		}
		count = len(rights.Queries)
	}
	if only != nil {
		pipeline.SendQueryParams(only.text, only.values, only.types, nil, nil)
		send("ROLLBACK")
	}
	if err := pipeline.Sync(); err != nil {
		return notBegun{err}
	}
	changed := false
	for i := -2; ; i++ {
		result, err := pipeline.GetResults()
		switch {
		case err != nil && i == -2:
			return notBegun{err}
		case err != nil && i >= count:
			return ofStatement(err)
		case err != nil:
			return ofRights(i, err)
		}
		switch r := result.(type) {
		case *pgconn.ResultReader:
			if i == count && only != nil {
				switch err := only.read(r); {
				case errors.Is(err, errEnough):
					return conn.Close(ctx) // the rest is not waited for
				case err != nil:
					return ofStatement(err)
				}
				continue
			}
			rows, err := collect(r)
			if err != nil {
				return ofRights(i, err)
			}
			if i >= 0 && i < count && !rights.Same(i, rows) {
				changed = true
			}
			if changed && i == count-1 {
				return run.ErrRightsChanged // what comes of the statement is not looked at
			}
		case *pgconn.PipelineSync:
			if changed {
				return run.ErrRightsChanged
			}
			return nil
		default:
			return fmt.Errorf("begin a transaction: unexpected %T", result)
		}
	}
}

// notBegun is an error before the transaction began: nothing was run.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

// ofRights tells errors about the rights' tables and columns, which are no more
// what they were, from others.
func ofRights(i int, err error) error {
	var server *pgconn.PgError
	if i >= 0 && errors.As(err, &server) && strings.HasPrefix(server.Code, "42") {
		return errors.Join(run.ErrRightsChanged, err)
	}
	return err
}

// end rolls back and gives the connection back, or closes it when that does
// not work. After a failure the session is made as new.
func (d *database) end(conn *pgxpool.Conn, failed bool) {
	defer conn.Release()
	pg := conn.Conn().PgConn()
	if pg.IsClosed() {
		return
	}
	// The caller may be gone; the connection must be clean all the same.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := query(ctx, pg, "ROLLBACK")
	if err == nil && failed {
		if _, err = query(ctx, pg, "DISCARD ALL"); err == nil {
			err = d.establishQueries(ctx, pg)
		}
	}
	if err != nil || pg.TxStatus() != 'I' {
		_ = pg.Close(ctx) // of no use to anybody
	}
}

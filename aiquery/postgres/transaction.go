package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
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
func (d *database) acquire(ctx context.Context, timeout time.Duration, permissions []*run.Fingerprint, only *pipelined) (*pgxpool.Conn, error) {
	for attempt := 0; ; attempt++ {
		conn, err := d.queries.Acquire(ctx)
		if err != nil {
			return nil, run.Unavailable(err)
		}
		pg := conn.Conn().PgConn()
		if err = d.begin(ctx, pg, timeout, permissions, only); err == nil {
			return conn, nil
		}
		again := errors.As(err, new(notBegun)) && pg.IsClosed() || errors.As(err, new(stale))
		d.end(conn, true)
		if !again || ctx.Err() != nil || attempt >= d.opts.Connections {
			return nil, err
		}
	}
}

// ownTimeout bounds the statements that read permissions and the catalog.
const ownTimeout = 10 * time.Second

// step is a statement of the pipeline a transaction begins with.
type step struct {
	text    string
	values  [][]byte
	types   []uint32
	prepare bool                             // keep it prepared on the connection
	name    string                           // it is prepared under; empty: statementName's
	read    func(*pgconn.ResultReader) error // nil: what it returns does not matter
	fail    func(error) error                // what its errors are; nil: as they are
}

// begin begins a transaction that only reads, bounds it, and compares the
// permissions, in one round trip. With a statement it runs that, too, and ends the
// transaction.
func (d *database) begin(ctx context.Context, conn *pgconn.PgConn, timeout time.Duration, permissions []*run.Fingerprint, only *pipelined) error {
	changed := false
	steps := []step{
		{text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", prepare: true, fail: func(err error) error { return notBegun{err} }},
		d.bounds(timeout),
	}
	for _, p := range permissions {
		steps = append(steps, d.permissionSteps(p, &changed)...)
	}
	if only != nil {
		name, again := d.comesAgain(only)
		steps = append(steps, step{
			text: only.text, values: only.values, types: only.types, prepare: again, name: name, fail: ofStatement,
			read: func(r *pgconn.ResultReader) error {
				if changed {
					return run.ErrPermissionsChanged // what comes of the statement is not looked at
				}
				return only.read(r)
			},
		}, step{text: "ROLLBACK", prepare: true})
	}
	err := pipeline(ctx, conn, steps)
	if changed {
		return run.ErrPermissionsChanged
	}
	return err
}

// bounds limits what a statement may take.
func (d *database) bounds(timeout time.Duration) step {
	return step{
		text: "SELECT pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('work_mem', " + sqlquote.Text(d.opts.WorkMem) +
			", true), pg_catalog.set_config('max_parallel_workers_per_gather', '0', true), " +
			"pg_catalog.set_config('idle_in_transaction_session_timeout', '15s', true)",
		values: [][]byte{[]byte(strconv.FormatInt(max(timeout.Milliseconds(), 1), 10) + "ms")}, types: []uint32{pgtype.TextOID}, prepare: true,
	}
}

// permissionSteps compare the permissions with what they were. Once that is done, one
// statement does it, which returns what it did in the same transaction.
func (d *database) permissionSteps(permissions *run.Fingerprint, changed *bool) []step {
	if len(permissions.Queries) == 0 {
		return nil
	}
	before, known := d.stamps.get(permissions)
	if !known {
		before = newStamp(permissions)
	}
	compare := step{text: before.text, prepare: true, name: before.name, fail: aboutPermissions, read: func(r *pgconn.ResultReader) error {
		rows, err := collect(r)
		switch {
		case err != nil:
			return err
		case len(rows) != 1 || len(rows[0]) != 1 || !rows[0][0].Valid:
			return fmt.Errorf("compare the permissions: %d rows", len(rows))
		case known:
			*changed = *changed || rows[0][0].String != before.value
		case !*changed:
			before.value = rows[0][0].String
			d.stamps.put(permissions, before, 2*len(before.text)) // the statements and the one made of them
		}
		return nil
	}}
	if known {
		return []step{compare}
	}
	steps := make([]step, len(permissions.Queries), len(permissions.Queries)+1)
	for i, q := range permissions.Queries {
		steps[i] = step{text: q, fail: aboutPermissions, read: func(r *pgconn.ResultReader) error {
			rows, err := collect(r)
			*changed = *changed || err == nil && !permissions.Same(i, rows)
			return err
		}}
	}
	return append(steps, compare)
}

// comesAgain reports whether a statement came before: those that do are worth
// being prepared, under its name.
func (d *database) comesAgain(s *pipelined) (name string, before bool) {
	name = statementName(s.text, s.types)
	_, before = d.seen.get(name)
	if !before {
		d.seen.put(name, true, len(name))
	}
	return name, before
}

// send puts a statement into a pipeline, prepared where that is worth it.
func (s *step) send(p *pgconn.Pipeline, prepared *prepared) {
	if !s.prepare || len(s.text) > maxPreparable {
		p.SendQueryParams(s.text, s.values, s.types, nil, nil)
		return
	}
	name := s.name
	if name == "" {
		name = statementName(s.text, s.types)
	}
	known, gone := prepared.use(name, len(s.text))
	for _, old := range gone {
		p.SendDeallocate(old)
	}
	if !known {
		p.SendPrepare(name, s.text, s.types)
	}
	p.SendQueryPrepared(name, s.values, nil, nil)
}

// pipeline runs statements in one round trip, up to the first that fails.
func pipeline(ctx context.Context, conn *pgconn.PgConn, steps []step) (err error) {
	p := conn.StartPipeline(ctx)
	defer func() {
		if closed := p.Close(); !conn.IsClosed() || err != nil {
			err = errors.Join(err, closed)
		}
	}()
	prepared := preparedOn(conn)
	for i := range steps {
		steps[i].send(p, prepared)
	}
	if err := p.Sync(); err != nil {
		return notBegun{err}
	}
	for i := 0; ; {
		result, err := p.GetResults()
		if r, ok := result.(*pgconn.ResultReader); ok && err == nil {
			if read := steps[i].read; read != nil {
				err = read(r)
			} else {
				_, err = r.Close()
			}
			if errors.Is(err, errEnough) {
				return conn.Close(ctx) // the rest is not waited for
			}
			if err == nil {
				i++
				continue
			}
		}
		if err != nil {
			if i < len(steps) && steps[i].fail != nil {
				err = steps[i].fail(err)
			}
			return err
		}
		switch result.(type) {
		case *pgconn.StatementDescription, *pgconn.CloseComplete:
		case *pgconn.PipelineSync:
			return nil
		default:
			return fmt.Errorf("begin a transaction: unexpected %T", result)
		}
	}
}

// notBegun is an error before the transaction began: nothing was run.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

// aboutPermissions tells errors about the permission tables and columns, which are no more
// what they were, from others.
func aboutPermissions(err error) error {
	var server *pgconn.PgError
	if errors.As(err, &server) && strings.HasPrefix(server.Code, "42") {
		return errors.Join(run.ErrPermissionsChanged, err)
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
		forgetPrepared(pg)
		if _, err = query(ctx, pg, "DISCARD ALL"); err == nil {
			err = d.establishQueries(ctx, pg)
		}
	}
	if err != nil || pg.TxStatus() != 'I' {
		_ = pg.Close(ctx) // of no use to anybody
	}
}

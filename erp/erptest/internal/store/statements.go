package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// Bounds of the prepared statements that a connection keeps. Handling a request
// takes a dozen of the same few statements, and preparing one takes longer than
// most of them run.
const (
	maxStatements   = 100
	maxOnce         = 1000    // texts of those that were asked for once
	maxStatementSQL = 4 << 10 // bytes
)

// connector makes connections that keep their prepared statements.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := conn.(writingConn)
	if !ok {
		return nil, errors.Join(errors.New("the database driver lacks what is needed here"), conn.Close())
	}
	return &keepingConn{writingConn: full, idle: map[string]driver.Stmt{}, once: map[string]bool{}}, nil
}

// writingConn is what the driver's connections can do.
type writingConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keepingConn keeps statements to be used again. database/sql uses a connection
// from one goroutine at a time.
type keepingConn struct {
	writingConn
	idle  map[string]driver.Stmt // not in use at the moment
	once  map[string]bool        // was asked for, so that it is kept the next time: many never come again
	order []string               // of idle, the one used last at the end
}

// kept reports whether a statement comes again: reading and writing rows does.
func kept(query string) bool {
	if len(query) > maxStatementSQL {
		return false
	}
	verb, _, _ := strings.Cut(query, " ")
	switch verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "SAVEPOINT", "RELEASE":
		return true
	}
	return false
}

// take is a statement that nobody uses: a kept one, or a new one.
func (c *keepingConn) take(ctx context.Context, query string) (driver.Stmt, error) {
	if stmt, ok := c.idle[query]; ok {
		delete(c.idle, query)
		for i := len(c.order) - 1; i >= 0; i-- {
			if c.order[i] == query {
				c.order = append(c.order[:i], c.order[i+1:]...)
				break
			}
		}
		return stmt, nil
	}
	return c.writingConn.PrepareContext(ctx, query)
}

// giveBack keeps a statement that came again, unless the same is there already.
func (c *keepingConn) giveBack(query string, stmt driver.Stmt) error {
	if _, ok := c.idle[query]; ok {
		return stmt.Close()
	}
	if !c.once[query] {
		if len(c.once) >= maxOnce {
			clear(c.once)
		}
		c.once[query] = true
		return stmt.Close()
	}
	c.idle[query] = stmt
	if c.order = append(c.order, query); len(c.order) <= maxStatements {
		return nil
	}
	oldest := c.order[0]
	c.order = c.order[1:]
	stmt = c.idle[oldest]
	delete(c.idle, oldest)
	return stmt.Close()
}

// runKept runs a statement that nobody uses, and closes it when it fails.
func runKept[S, T any](ctx context.Context, c *keepingConn, query string, run func(S) (T, error)) (stmt driver.Stmt, result T, err error) {
	if stmt, err = c.take(ctx, query); err != nil {
		return nil, result, err
	}
	s, ok := stmt.(S)
	if !ok {
		return nil, result, errors.Join(fmt.Errorf("%T takes no context", stmt), stmt.Close())
	}
	if result, err = run(s); err != nil {
		_ = stmt.Close() // says the same again
	}
	return stmt, result, err
}

func (c *keepingConn) Close() error {
	var errs []error
	for _, stmt := range c.idle {
		errs = append(errs, stmt.Close())
	}
	c.idle, c.order = nil, nil
	return errors.Join(append(errs, c.writingConn.Close())...)
}

func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (res driver.Result, err error) {
	err = c.withViews(ctx, func() (err error) {
		res, err = c.exec(ctx, query, args)
		return err
	})
	return res, err
}

func (c *keepingConn) exec(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !kept(query) {
		return c.writingConn.ExecContext(ctx, query, args)
	}
	stmt, res, err := runKept(ctx, c, query, func(stmt driver.StmtExecContext) (driver.Result, error) { return stmt.ExecContext(ctx, args) })
	if err != nil {
		return nil, err
	}
	return res, c.giveBack(query, stmt)
}

func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = c.withViews(ctx, func() (err error) {
		rows, err = c.query(ctx, query, args)
		return err
	})
	return rows, err
}

func (c *keepingConn) query(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !kept(query) {
		return c.writingConn.QueryContext(ctx, query, args)
	}
	stmt, rows, err := runKept(ctx, c, query, func(stmt driver.StmtQueryContext) (driver.Rows, error) { return stmt.QueryContext(ctx, args) })
	if err != nil {
		return nil, err
	}
	return &keptRows{Rows: rows, c: c, stmt: stmt, query: query}, nil
}

// keptRows gives the statement back once its rows are read.
type keptRows struct {
	driver.Rows
	c     *keepingConn
	stmt  driver.Stmt // nil when given back
	query string
}

func (r *keptRows) Close() error {
	if r.stmt == nil {
		return nil
	}
	stmt := r.stmt
	r.stmt = nil
	if err := r.Rows.Close(); err != nil { // it did not end well: nothing to be used again
		_ = stmt.Close()
		return err
	}
	return r.c.giveBack(r.query, stmt)
}

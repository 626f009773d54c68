package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// grammar is PostgreSQL's parser. None of its functions can be interrupted.
// Which library stands behind it is decided by the build constraint cgo.
type grammar struct {
	scan    func(sql string) (*pg.ScanResult, error)
	parse   func(sql string) (*pg.ParseResult, error)
	deparse func(tree *pg.ParseResult) (string, error)

	// syntaxError tells the parser's complaint about a text from its other
	// errors. The position counts characters from 1.
	syntaxError func(err error) (message string, position int, ok bool)

	// maxWeight is the greatest nesting weight of a statement the parser's
	// stack is sure to hold, and maxSecured that of a secured one.
	maxWeight, maxSecured int

	// short is up to how many bytes a text is parsed in no time.
	short int

	// slots bounds how many calls run at once.
	slots chan struct{}

	// broken is set after a panic in the library, whose state nobody knows
	// then: it refuses all further work.
	broken atomic.Bool
}

// parseTimeout is far more than the longest statement takes, loading the parser
// included.
const parseTimeout = 30 * time.Second

var errBroken = errors.New("the SQL parser failed and is out of use; restart the program")

// run calls f, which takes about as long as parsing that many bytes, in a slot of
// its own. What is short is not interrupted. When the context or the time ends
// before something long does, f keeps its slot until it returns.
func run[T any](ctx context.Context, g *grammar, size int, f func() (T, error)) (T, error) {
	var zero T
	if size <= g.short && ctx.Err() == nil {
		select {
		case g.slots <- struct{}{}:
			defer func() { <-g.slots }()
			return guarded(g, f)
		default:
		}
	}
	ctx, cancel := context.WithTimeout(ctx, parseTimeout)
	defer cancel()
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return zero, fmt.Errorf("wait for the SQL parser: %w", context.Cause(ctx))
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := guarded(g, f)
		<-g.slots
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return zero, fmt.Errorf("parse SQL: %w", context.Cause(ctx))
	}
}

// guarded calls f unless the library is out of use, and puts it out of use when
// it panics.
func guarded[T any](g *grammar, f func() (T, error)) (value T, err error) {
	if g.broken.Load() {
		return value, errBroken
	}
	defer func() {
		if r := recover(); r != nil {
			g.broken.Store(true)
			err = fmt.Errorf("%w: %v", errBroken, r)
		}
	}()
	return f()
}

// selectOf returns the only statement of a tree when that is a SELECT.
func selectOf(tree *pg.ParseResult) *pg.SelectStmt {
	if len(tree.GetStmts()) != 1 {
		return nil
	}
	return tree.Stmts[0].GetStmt().GetSelectStmt()
}

// characters returns the position of a byte offset, counted in characters from
// 1. It is 0 for what is not a position of the text.
func characters(sql string, offset int32) int {
	if offset < 0 || int(offset) > len(sql) {
		return 0
	}
	return strings.Count(sql[:offset], "") // one more than characters
}

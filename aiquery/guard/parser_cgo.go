//go:build cgo

package guard

import (
	"errors"
	"runtime"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"
)

// postgres is the library itself. A thread has a stack of some megabytes, of
// which a level of nesting takes about two kilobytes.
var postgres = grammar{
	scan:    pg.Scan,
	parse:   pg.Parse,
	deparse: pg.Deparse,
	syntaxError: func(err error) (string, int, bool) {
		var e *parser.Error
		if !errors.As(err, &e) {
			return "", 0, false
		}
		return e.Message, e.Cursorpos, true
	},
	maxWeight:  200,
	maxSecured: 800,
	short:      4 << 10,
	slots:      make(chan struct{}, max(2, runtime.NumCPU())),
}

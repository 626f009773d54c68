//go:build !cgo

package guard

import (
	"errors"

	wasm "github.com/wasilibs/go-pgquery"
	"github.com/wasilibs/go-pgquery/parser"
)

// postgres is the library compiled to WebAssembly. It is compiled to machine
// code at the first call. Its stack has 64 KiB and no guard page: trees of 94
// levels and more, such as 45 nested CASE, overwrite what lies below, unnoticed.
// One instance takes some 270 MB, so there is one.
var postgres = grammar{
	scan:    wasm.Scan,
	parse:   wasm.Parse,
	deparse: wasm.Deparse,
	syntaxError: func(err error) (string, int, bool) {
		var e *parser.Error
		if !errors.As(err, &e) {
			return "", 0, false
		}
		return e.Message, e.Cursorpos, true
	},
	maxWeight:  30,
	maxSecured: 64,
	slots:      make(chan struct{}, 1),
}

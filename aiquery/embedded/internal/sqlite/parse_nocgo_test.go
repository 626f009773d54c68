//go:build !cgo

package sqlite_test

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"
	wasm "github.com/wasilibs/go-pgquery"
)

func parse(sql string) (*pg_query.ParseResult, error) { return wasm.Parse(sql) }

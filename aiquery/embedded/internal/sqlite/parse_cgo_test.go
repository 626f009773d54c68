//go:build cgo

package sqlite_test

import pg_query "github.com/pganalyze/pg_query_go/v6"

func parse(sql string) (*pg_query.ParseResult, error) { return pg_query.Parse(sql) }
